// Tells commands and webhooks of holds and deaths: hears the worker's events, and never makes it wait.
import { coalesced } from '../lib/coalesce.js';
import { withDeadline } from '../lib/deadline.js';
import { redact } from '../lib/redact.js';
import type { Clock } from '../ports/clock.js';
import type { Ids } from '../ports/ids.js';
import type { Observer, WorkerEvent } from '../ports/observer.js';
import { runCommand } from './command.js';
import { Deaths } from './deaths.js';
import { type Lane, lane } from './lane.js';
import { type Told, writeTold } from './memory.js';
import { type Death, type News, subjectOf, toJson, toVariables } from './news.js';
import { type OutageRules, Outages } from './outages.js';
import { post } from './post.js';
import type { Outcome, Target } from './target.js';

export interface TellerOptions {
  /** The name of the inbox. */
  readonly inbox: string;
  /** Where commands run. */
  readonly folder: string;
  readonly onHold: Target | undefined;
  readonly onDead: Target | undefined;
  readonly rules: OutageRules;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Of commands, besides the facts. */
  readonly environment: Readonly<Record<string, string>>;
  /** Literals that are never told. Read at each telling: more may be pushed later. */
  readonly secrets: readonly string[];
  /** Where what was told is kept. */
  readonly memory: string;
  readonly told: Told;
  /** That no former run has told. */
  readonly deaths: readonly Death[];
  /** Hears `notice` events: what became of each telling. */
  readonly observer: Observer;
}

export interface Teller extends Observer {
  /** Tells what is due and what has died, and waits for it at most `limitMs`; then it is cut off. Never rejects. */
  close(limitMs: number): Promise<void>;
}

const HEARD: ReadonlySet<WorkerEvent['type']> = new Set([
  ...(['hold-began', 'hold-ended', 'looked', 'turn-ended', 'dead'] as const),
]);
const COMMAND_LIMIT_MS = 30_000;
/** For a command that is cut off to go. */
const CUT_MS = 3_000;

export function teller(options: TellerOptions): Teller {
  return new Telling(options);
}

class Telling implements Teller {
  readonly #options: TellerOptions;
  readonly #outages: Outages;
  readonly #deaths: Deaths;
  readonly #lanes: readonly Lane[];
  readonly #cut = new AbortController();
  readonly #memory;
  #deathsUntil: number;
  #closing = false;
  /** That it cannot be kept was said. */
  #forgetful = false;
  #alarm: AbortController | undefined;

  constructor(options: TellerOptions) {
    const { onHold, onDead, rules, told, deaths, clock } = options;
    this.#options = options;
    this.#outages = new Outages(onHold ? rules : { ...rules, reasons: [] }, told.holds);
    this.#deaths = new Deaths(rules.intervalMs, deaths);
    this.#deathsUntil = told.deathsUntil ?? clock.now();
    this.#memory = coalesced(() => this.#remember());
    const now = () => clock.now();
    this.#lanes = [
      ...(onHold ? [this.#lane('on_hold', onHold, () => this.#outages.next(now()))] : []),
      ...(onDead ? [this.#lane('on_dead', onDead, () => this.#deaths.next(now(), this.#closing))] : []),
    ];
    this.#memory.request();
    this.#look();
  }

  on(event: WorkerEvent): void {
    if (this.#closing || !HEARD.has(event.type)) return;
    this.#outages.hear(event, this.#options.clock.now());
    if (this.#options.onDead) this.#deaths.hear(event);
    this.#look();
  }

  async close(limitMs: number): Promise<void> {
    this.#closing = true;
    this.#look();
    this.#alarm?.abort();
    const idle = (): Promise<unknown> => Promise.all(this.#lanes.map((one) => one.idle()));
    await withDeadline(idle(), limitMs, 'telling').catch(() => {});
    this.#cut.abort();
    await withDeadline(idle(), CUT_MS, 'ending a telling').catch(() => {});
    await this.#memory.idle();
  }

  /** Tells what is due, and comes back when more will be. */
  #look(): void {
    for (const one of this.#lanes) one.poke();
    this.#alarm?.abort();
    const { clock } = this.#options;
    // What is due already waits for a telling under way, and comes when that has ended.
    const coming = [this.#outages.nextAt, this.#deaths.nextAt].filter(
      (at) => at !== undefined && at > clock.now(),
    ) as number[];
    if (this.#closing || coming.length === 0) return;
    const alarm = new AbortController();
    this.#alarm = alarm;
    void clock.sleepUntil(Math.min(...coming), alarm.signal).then(() => alarm.signal.aborted || this.#look());
  }

  #lane(setting: string, target: Target, next: () => News | undefined): Lane {
    return lane(next, async (news) => {
      const takenAt = this.#options.clock.now();
      const outcome = await this.#tell(news, target, takenAt).catch(
        (error: unknown): Outcome => ({ kind: 'failed', why: String(error) }),
      );
      const cut = outcome.kind === 'failed' && this.#cut.signal.aborted;
      // What was cut off is told again at the next start; what failed was tried, and is not.
      if (news.type === 'message.dead' && !cut) this.#deathsUntil = takenAt;
      this.#say(setting, news, outcome);
      this.#memory.request();
      if (!this.#closing) queueMicrotask(() => this.#look());
    });
  }

  #tell(news: News, target: Target, at: number): Promise<Outcome> {
    const { inbox, secrets, clock, ids, folder, environment } = this.#options;
    const clean = (text: string): string => redact(text, secrets);
    const body = toJson(news, inbox, at, clean);
    const { signal } = this.#cut;
    if (target.kind === 'webhook') return post(target, { id: `msg_${ids.uuid()}`, body, clock, signal });
    return runCommand(target, {
      cwd: folder,
      environment: { ...environment, ...toVariables(news, inbox, clean) },
      input: `${body}\n`,
      limitMs: COMMAND_LIMIT_MS,
      signal,
    });
  }

  #say(setting: string, news: News, outcome: Outcome): void {
    const subject = subjectOf(news);
    this.#options.observer.on(
      outcome.kind === 'told'
        ? { type: 'notice', level: 'info', text: `${setting}: told of ${subject} ${outcome.how}` }
        : { type: 'notice', level: 'warn', text: `${setting}: could not tell of ${subject}: ${outcome.why}` },
    );
  }

  async #remember(): Promise<void> {
    const { memory, observer } = this.#options;
    try {
      await writeTold(memory, { deathsUntil: this.#deathsUntil, holds: this.#outages.told });
      this.#forgetful = false;
    } catch (error) {
      if (this.#forgetful) return;
      this.#forgetful = true;
      const text = `What was told could not be kept (${String(error)}): it may be told again after a restart.`;
      observer.on({ type: 'notice', level: 'warn', text });
    }
  }
}
