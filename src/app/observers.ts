// Who listens to an agent: its log, its files, its traces, and whoever else was handed in; all behind one gate.
import type { Settings } from '../config/index.js';
import { RotatingFile } from '../lib/rotating-file.js';
import {
  cleaned,
  createLogger,
  fanOut,
  flushSpans,
  type LogStream,
  ledgerFileObserver,
  logObserver,
  logWords,
  progressFileObserver,
  spanObserver,
  tracerIfAny,
} from '../observe/index.js';
import type { Clock } from '../ports/clock.js';
import type { Observer, Words } from '../ports/observer.js';
import { makeMetrics, type RunMetrics } from './metrics.js';

export interface Observers {
  readonly observer: Observer;
  readonly metrics: RunMetrics | undefined;
  /** From now on. */
  setLogging(settings: Pick<Settings, 'logLevel' | 'logBodies'>): void;
  /** One more, which hears what happens from now on. */
  add(observer: Observer): void;
  /** Hears what people write, where the settings want that logged. */
  onWords(words: Words): void;
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
  readonly log?: LogStream;
}

export async function makeObservers(wish: ObserversWish): Promise<Observers> {
  const { settings, inbox, folder, clock, secrets } = wish;
  const metrics = await makeMetrics(settings, wish, clock);
  const file = logFile(settings, (text) => onTrouble(text));
  const logger = createLogger({
    agent: settings.name,
    level: settings.logLevel,
    format: settings.logFormat,
    secrets,
    ...(wish.log ? { stream: wish.log } : {}),
    ...(file ? { onLine: (line) => file.append(line) } : {}),
  });
  const onTrouble = (text: string): void => logger.warn(text);
  const tracer = tracerIfAny(wish.version);
  const spans =
    tracer && spanObserver({ tracer, clock, agent: settings.name ?? inbox, model: settings.model, secrets });
  const ledger = ledgerFileObserver({ folder, clock, onTrouble });
  const progress = progressFileObserver({ folder, clock, onTrouble });
  const all: Observer[] = [
    logObserver(logger),
    ledger,
    progress,
    ...(spans ? [spans] : []),
    ...(metrics ? [metrics] : []),
    ...wish.others,
  ];
  const every = fanOut(all, (error) => logger.error({ err: error }, 'an observer failed'));
  const tellWords = logWords(logger, secrets);
  let bodies = settings.logBodies;
  return {
    metrics,
    observer: cleaned(every, secrets),
    add: (observer) => void all.push(observer),
    onWords: (words) => {
      if (bodies) tellWords(words);
    },
    setLogging: ({ logLevel, logBodies }) => {
      logger.level = logLevel;
      bodies = logBodies;
    },
    flush: async () => {
      await Promise.all([ledger.flush(), progress.flush(), spans && flushSpans().catch(() => {})]);
      // Last: the others may have had something to say.
      await file?.flush();
    },
  };
}

function logFile(settings: Settings, onTrouble: (text: string) => void): RotatingFile | undefined {
  const { logFile: path, logFileSize, logFileCount: keep } = settings;
  if (path === undefined) return undefined;
  const time = (): string => new Date().toISOString();
  const lost = (count: number): string =>
    `${JSON.stringify({ level: 'warn', time: time(), event: 'lines-lost', count, msg: `${count} lines could not be written here` })}\n`;
  return new RotatingFile({ path, maxBytes: logFileSize * 1024 * 1024, keep, lost, onTrouble });
}
