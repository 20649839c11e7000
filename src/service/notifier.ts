// What systemd is told of a worker: that it is ready, how it is, that it is alive, that it stops.

import type { Status } from '../domain/status.js';
import { type Coalesced, coalesced } from '../lib/coalesce.js';
import { withDeadline } from '../lib/deadline.js';
import { oneLine } from '../lib/one-line.js';
import type { Observer, WorkerEvent } from '../ports/observer.js';
import { type NotifySocket, notifySocket } from './notify-socket.js';

export interface ServiceNotifier extends Observer {
  /** From now on the status line and the signs of life follow this. */
  watch(status: () => Promise<Status>): void;
  /** Ends the signs of life; resolves when what was to be said is said. Never rejects. */
  close(): Promise<void>;
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
/** Of these a restart is the cure: everything else waits for something. */
const SICK: readonly Status['health'][] = ['stuck', 'deaf'];

/** Something has changed that the status line may tell. */
const CHANGES: ReadonlySet<WorkerEvent['type']> = new Set([
  ...(['standing-by', 'agent-ready', 'agent-not-ready', 'hold-began', 'hold-ended'] as const),
  ...(['turn-began', 'turn-ended', 'stopping'] as const),
]);
/** We know where we stand: Claude waits for messages, or we wait for something that we can name. */
const READY: ReadonlySet<WorkerEvent['type']> = new Set([
  'standing-by',
  'agent-ready',
  'hold-began',
] as const);

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
  #status: (() => Promise<Status>) | undefined;
  #line = 'Starting.';
  #said: readonly string[] = [];
  #ready = false;
  #stopping = false;
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

  on(event: WorkerEvent): void {
    if (this.#closed || !CHANGES.has(event.type)) return;
    if (READY.has(event.type)) this.#ready = true;
    if (event.type === 'stopping') this.#stopping = true;
    if (event.type === 'standing-by') this.#line = event.text;
    this.#sender.request();
  }

  watch(status: () => Promise<Status>): void {
    this.#status = status;
    this.#sender.request();
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#timer);
    await this.#sender.idle();
  }

  /** A timer that fires shows that the event loop turns; the rest is the worker's to say. */
  async #beat(limitMs: number): Promise<void> {
    const health = await this.#health(Math.min(STATUS_LIMIT_MS, limitMs / 2));
    if (this.#closed || health === undefined || SICK.includes(health)) return;
    this.#alive = true;
    this.#sender.request();
  }

  async #health(limitMs: number): Promise<Status['health'] | undefined> {
    // Still starting, or standing by: there is nothing yet that could be stuck but the event loop.
    if (!this.#status) return 'idle';
    const status = await withDeadline(this.#status(), limitMs, 'the status').catch(() => undefined);
    return status?.health;
  }

  async #send(): Promise<void> {
    await this.#describe();
    const state = [
      ...(this.#ready ? ['READY=1'] : []),
      ...(this.#stopping ? ['STOPPING=1'] : []),
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
    if (!this.#status || this.#closed) return;
    const status = await withDeadline(this.#status(), STATUS_LIMIT_MS, 'the status').catch(() => undefined);
    if (status) this.#line = `${status.stopping ? 'Stopping; ' : ''}${status.health}: ${status.why}`;
  }
}
