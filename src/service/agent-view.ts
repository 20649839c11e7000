// One agent as a service manager sees it: followed from its events, asked for its status.
import type { Status } from '../domain/status.js';
import { withDeadline } from '../lib/deadline.js';
import type { Observer, WorkerEvent } from '../ports/observer.js';

type Glimpse = Pick<Status, 'health' | 'why'>;

/** Of these a restart is the cure: everything else waits for something. */
const SICK: readonly Glimpse['health'][] = ['stuck', 'deaf'];

/** We know where we stand: Claude waits for messages, or we wait for something that we can name. */
const READY: ReadonlySet<WorkerEvent['type']> = new Set([
  'standing-by',
  'agent-ready',
  'hold-began',
] as const);
/** Something has changed that the status line may tell. */
const CHANGES: ReadonlySet<WorkerEvent['type']> = new Set([
  ...READY,
  ...(['agent-not-ready', 'hold-ended', 'turn-began', 'turn-ended', 'stopping'] as const),
]);

export class AgentView implements Observer {
  ready = false;
  stopping = false;
  over = false;
  readonly #name: string;
  readonly #changed: () => void;
  #status: (() => Promise<Glimpse>) | undefined;
  #last = { word: 'starting', line: 'Starting.' };

  /** @param changed something may have to be said */
  constructor(name: string, changed: () => void) {
    this.#name = name;
    this.#changed = changed;
  }

  on(event: WorkerEvent): void {
    if (!CHANGES.has(event.type)) return;
    if (READY.has(event.type)) this.ready = true;
    if (event.type === 'stopping') this.stopping = true;
    if (event.type === 'standing-by') this.#last = { word: 'standing by', line: event.text };
    this.#changed();
  }

  watch(status: () => Promise<Glimpse>): void {
    this.#status = status;
    this.#changed();
  }

  end(): void {
    this.over = true;
    this.#changed();
  }

  /** Still starting, or standing by: there is nothing yet that could be stuck but the event loop. */
  async lives(limitMs: number): Promise<boolean> {
    if (!this.#status) return true;
    const status = await this.#ask(limitMs);
    return status !== undefined && !SICK.includes(status.health);
  }

  /** As it was, where it cannot say now. */
  async describe(limitMs: number): Promise<{ name: string; word: string; line: string }> {
    const status = await this.#ask(limitMs);
    if (status) {
      const line = `${this.stopping ? 'Stopping; ' : ''}${status.health}: ${status.why}`;
      this.#last = { word: status.health, line };
    }
    return { name: this.#name, ...this.#last };
  }

  async #ask(limitMs: number): Promise<Glimpse | undefined> {
    if (!this.#status) return undefined;
    return withDeadline(this.#status(), limitMs, 'the status').catch(() => undefined);
  }
}
