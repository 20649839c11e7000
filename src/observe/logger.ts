// The logger: JSON lines to stderr, a calm page on a terminal, and no secret in either.
import { type DestinationStream, type Logger, pino, stdTimeFunctions } from 'pino';
import { prettyFactory } from 'pino-pretty';
import { describeError } from './describe-error.js';
import { scrubber } from './scrub.js';

export type { Logger } from 'pino';

export interface LoggerOptions {
  /** The agent's own name: each line carries it as `agent`. */
  readonly agent?: string | undefined;
  /** trace, debug, info, warn, error, fatal or silent. */
  readonly level: string;
  /** `auto`: pretty when the stream is a terminal, else JSON. */
  readonly format: 'auto' | 'json' | 'pretty';
  /** Literals that must never be printed, whatever holds them. Read at each line: more may be pushed later. */
  readonly secrets: readonly string[];
  /** Default: stderr, since stdout belongs to results. */
  readonly stream?: LogStream;
  /** Gets each line too, as JSON with its end. */
  onLine?(line: string): void;
}

export type LogStream = NodeJS.WritableStream & { readonly isTTY?: boolean };

/** Does the log go out as JSON there? */
export function isJson(format: LoggerOptions['format'], stream: LogStream): boolean {
  return format === 'json' || (format === 'auto' && stream.isTTY !== true);
}

/**
 * Makes the logger of one agent. Every string of every line, in errors and in the bindings of children too, has its
 * secrets taken out where the line is written, so that no call can forget it. Lines are written at once: none is
 * lost when the process ends.
 */
export function createLogger(options: LoggerOptions): Logger {
  const stream = options.stream ?? process.stderr;
  // Whoever read our log has gone (`| head`): that must not end the worker in the middle of a turn.
  if (stream.listenerCount('error') === 0) stream.on('error', () => {});
  const logger: Logger = pino(
    {
      level: options.level,
      base: options.agent === undefined ? null : { agent: options.agent },
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: describeError, error: describeError, cause: describeError },
    },
    // It may be another from one line to the next.
    destination(stream, options, () => logger.level),
  );
  return logger;
}

function destination(stream: LogStream, options: LoggerOptions, level: () => string): DestinationStream {
  const { secrets, onLine } = options;
  const scrub = scrubber(secrets, { printable: false });
  const json = (line: string): string => `${JSON.stringify(scrub(line))}\n`;
  if (isJson(options.format, stream)) {
    return {
      write(line) {
        const clean = json(line);
        stream.write(clean);
        onLine?.(clean);
      },
    };
  }

  const common = {
    colorize: stream.isTTY === true && !process.env.NO_COLOR,
    translateTime: 'SYS:HH:MM:ss',
    singleLine: true,
    messageFormat: '{if agent}{agent}: {end}{msg}',
  };
  const whole = prettyFactory({ ...common, ignore: 'agent' });
  // The sentence says it all; the fields beside it are for machines and for debugging.
  const plain = prettyFactory({ ...common, include: 'level,time,err,error' });
  const page = () => (level() === 'debug' || level() === 'trace' ? whole : plain);
  const printable = scrubber(secrets, { printable: true });
  return {
    write(line) {
      stream.write(`${page()(printable(line)).trimEnd()}\n`);
      onLine?.(json(line));
    },
  };
}
