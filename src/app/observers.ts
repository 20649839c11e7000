// Who listens to an agent: its log, its ledger file, its progress file, and whoever else was handed in.
import type { Settings } from '../config/index.js';
import {
  createLogger,
  fanOut,
  flushSpans,
  ledgerFileObserver,
  logObserver,
  type Metrics,
  progressFileObserver,
  spanObserver,
  tracerIfAny,
} from '../observe/index.js';
import type { Clock } from '../ports/clock.js';
import type { Observer } from '../ports/observer.js';

/** Undefined where nobody could scrape them: a single look is over too soon. Loaded late, for it takes a moment. */
export async function makeMetrics(
  settings: Settings,
  run: { readonly version: string; readonly inbox: string },
  clock: Clock,
): Promise<Metrics | undefined> {
  if (settings.once) return undefined;
  const { agentMetrics } = await import('../observe/metrics.js');
  return agentMetrics(run, clock);
}

export interface Observers {
  readonly observer: Observer;
  /** One more, which hears what happens from now on. */
  add(observer: Observer): void;
  /** Resolves when the files are written. */
  flush(): Promise<void>;
}

export interface ObserversWish {
  readonly settings: Settings;
  /** The inbox's name. */
  readonly inbox: string;
  /** Of this program. */
  readonly version: string;
  /** `.orchestrator` of the agent's folder. */
  readonly folder: string;
  readonly secrets: readonly string[];
  readonly clock: Clock;
  readonly others: readonly Observer[];
  /** Where the log goes; default stderr. */
  readonly log?: NodeJS.WritableStream;
}

export function makeObservers(wish: ObserversWish): Observers {
  const { settings, folder, clock, secrets } = wish;
  const logger = createLogger({
    agent: settings.name,
    level: settings.logLevel,
    format: settings.logFormat,
    secrets,
    ...(wish.log ? { stream: wish.log } : {}),
  });
  const onTrouble = (text: string): void => logger.warn(text);
  const tracer = tracerIfAny(wish.version);
  const { inbox } = wish;
  const spans = tracer && spanObserver({ tracer, clock, inbox, model: settings.model, secrets });
  const ledger = ledgerFileObserver({ folder, clock, onTrouble });
  const progress = progressFileObserver({ folder, clock, onTrouble });
  const all: Observer[] = [logObserver(logger), ledger, progress, ...(spans ? [spans] : []), ...wish.others];
  return {
    observer: fanOut(all, (error) => logger.error({ err: error }, 'an observer failed')),
    add: (observer) => void all.push(observer),
    flush: async () => {
      await Promise.all([ledger.flush(), progress.flush(), spans && flushSpans().catch(() => {})]);
    },
  };
}
