// What systemd is told of a process: that its agents are ready, how they are, that they live, that they stop.

import type { Status } from '../domain/status.js';
import { type Coalesced, coalesced } from '../lib/coalesce.js';
import { withDeadline } from '../lib/deadline.js';
import { oneLine } from '../lib/one-line.js';
import type { Observer } from '../ports/observer.js';
import { AgentView } from './agent-view.js';
import { type NotifySocket, notifySocket } from './notify-socket.js';

export interface ServiceNotifier {
  /** One more agent of this process; all of them are to be named before the first can be ready. */
  agent(name: string): ServiceAgent;
  /** Ends the signs of life; resolves when what was to be said is said. Never rejects. */
  close(): Promise<void>;
}

export interface ServiceAgent extends Observer {
  /** From now on the status line and the signs of life follow this. */
  watch(status: () => Promise<Pick<Status, 'health' | 'why'>>): void;
  /** It is over, or never began: the others count. */
  end(): void;
}

export interface NotifierOptions {
  readonly env: NodeJS.ProcessEnv;
  /** Our own pid: signs of life may have been asked of another process. */
  readonly pid: number;
  /** One sentence, once. */
  onTrouble(text: string): void;
}

/** Who cannot say within this time how it is does nothing else either. */
const STATUS_LIMIT_MS = 10_000;

/** Undefined where no service manager listens. */
export function serviceNotifier({ env, pid, onTrouble }: NotifierOptions): ServiceNotifier | undefined {
  const socket = notifySocket(env, onTrouble);
  return socket && new Notifier(socket, watchdogMs(env, pid));
}

/** After how long without a sign of life the manager ends us; undefined where it asked for none. */
function watchdogMs({ WATCHDOG_USEC, WATCHDOG_PID }: NodeJS.ProcessEnv, pid: number): number | undefined {
  const ms = Number(WATCHDOG_USEC) / 1000;
  const ours = !WATCHDOG_PID || Number(WATCHDOG_PID) === pid;
  return ours && ms > 0 ? ms : undefined;
}

class Notifier implements ServiceNotifier {
  readonly #socket: NotifySocket;
  readonly #sender: Coalesced;
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #agents: AgentView[] = [];
  #line = 'Starting.';
  #said: readonly string[] = [];
  /** Once ready, always: an agent that starts later changes nothing. */
  #ready = false;
  #alive = false;
  #closed = false;

  constructor(socket: NotifySocket, limitMs: number | undefined) {
    this.#socket = socket;
    this.#sender = coalesced(() => this.#send());
    if (limitMs !== undefined) {
      // Four in the time of one, so that a late one or two do not end us. A plain interval: a clock that is set back
      // must not silence it.
      this.#timer = setInterval(() => void this.#beat(limitMs), Math.max(1, limitMs / 4));
      this.#timer.unref();
    }
    this.#sender.request();
  }

  agent(name: string): ServiceAgent {
    const view = new AgentView(name, () => this.#closed || this.#sender.request());
    this.#agents.push(view);
    return view;
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#timer);
    await this.#sender.idle();
  }

  /** A timer that fires shows that the event loop turns; the rest is the agents' to say. */
  async #beat(limitMs: number): Promise<void> {
    const patienceMs = Math.min(STATUS_LIMIT_MS, limitMs / 2);
    const lives = await Promise.all(this.#going().map((agent) => agent.lives(patienceMs)));
    if (this.#closed || lives.includes(false)) return;
    this.#alive = true;
    this.#sender.request();
  }

  async #send(): Promise<void> {
    await this.#describe();
    const all = this.#agents;
    this.#ready ||= all.length > 0 && all.every((agent) => agent.ready || agent.over);
    const state = [
      ...(this.#ready ? ['READY=1'] : []),
      ...(all.length > 0 && all.every((agent) => agent.stopping || agent.over) ? ['STOPPING=1'] : []),
      // A line end would begin an assignment of its own, and strangers choose the names of conversations.
      `STATUS=${oneLine(this.#line, 200)}`,
    ];
    const news = state.filter((assignment) => !this.#said.includes(assignment));
    if (this.#alive) news.push('WATCHDOG=1');
    this.#alive = false;
    this.#said = state;
    if (news.length > 0) await this.#socket.send(news);
  }

  async #describe(): Promise<void> {
    if (this.#closed) return;
    const going = this.#going();
    const lines = await withDeadline(
      Promise.all(going.map((agent) => agent.describe(STATUS_LIMIT_MS / 2))),
      STATUS_LIMIT_MS,
      'the status',
    ).catch(() => []);
    const [only] = lines;
    if (only === undefined) return;
    this.#line = this.#agents.length === 1 ? only.line : inShort(lines);
  }

  #going(): AgentView[] {
    return this.#agents.filter((agent) => !agent.over);
  }
}

/** `3 agents: 2 idle, 1 limited (anna)`: whoever is neither idle nor at work is named. */
function inShort(lines: readonly { readonly name: string; readonly word: string }[]): string {
  const words = [...new Set(lines.map(({ word }) => word))];
  const parts = words.map((word) => {
    const names = lines.filter((line) => line.word === word).map(({ name }) => name);
    const named = word === 'idle' || word === 'working' ? '' : ` (${names.join(', ')})`;
    return `${names.length} ${word}${named}`;
  });
  return `${lines.length} agents: ${parts.join(', ')}`;
}
