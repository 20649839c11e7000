// Events to log lines: one a turn, one at each edge of a hold, and quiet in between.
import type { HoldReason } from '../domain/hold.js';
import { oneLine } from '../lib/one-line.js';
import { redact } from '../lib/redact.js';
import type { Observer, Words, WorkerEvent } from '../ports/observer.js';
import type { Logger } from './logger.js';
import { sentence } from './sentences.js';
import { turnLines } from './turn-lines.js';

type Level = 'trace' | 'debug' | 'info' | 'warn' | 'error';

/** Each line: `event`, the event's facts as flat fields, and a human sentence as `msg`. */
export function logObserver(logger: Logger): Observer {
  const level = levels();
  const turn = turnLines();
  return {
    on(event) {
      const line = turn(event);
      if (line) logger[line.level](line.fields, line.sentence);
      if (event.type === 'turn-ended') return;
      const at = level(event);
      if (logger.isLevelEnabled(at)) logger[at](fields(event), sentence(event));
    },
  };
}

/** Enough to know what it was about. */
const WORDS_CHARS = 500;

/** What people write and are answered, where the user wants that logged: cut, on one line, and without secrets. */
export function logWords(logger: Logger, secrets: readonly string[]): (words: Words) => void {
  return ({ direction, who, conversation, id, text }) => {
    // Redacted before it is cut: half a key would pass for none.
    const said = oneLine(redact(text, secrets), WORDS_CHARS);
    const name = oneLine(who, 80);
    const fields = { event: 'words', direction, who, conversation, id, chars: text.length };
    logger.info(fields, direction === 'in' ? `${name} wrote: ${said}` : `wrote to ${name}: ${said}`);
  };
}

/** Which level an event deserves. What repeats is said once, until it has been otherwise. */
function levels(): (event: Exclude<WorkerEvent, { type: 'turn-ended' }>) => Level {
  const holds = new Set<HoldReason>();
  const said = new Map<string, string>();
  const news = (subject: string, state: string): boolean => {
    const fresh = said.get(subject) !== state;
    said.set(subject, state);
    return fresh;
  };

  return (event) => {
    switch (event.type) {
      case 'turn-progress':
      case 'look-began':
      case 'look-due':
      // Strangers can call as often as they like; the first of a kind is a notice of its own.
      case 'webhook-refused':
        return 'trace';
      case 'woken':
      case 'turn-began':
      // The end of its last turn, or what else gave it up, has had its line.
      case 'dead':
        return 'debug';
      case 'sent':
        said.delete(`send ${event.to}`);
        return 'debug';
      case 'looked':
        said.delete('look');
        return event.fresh > 0 ? 'info' : 'debug';
      case 'look-failed':
        // A hold that stands has had its line; the hundredth refused connection tells nothing more.
        return holds.size === 0 && news('look', event.outcome) ? 'warn' : 'debug';
      case 'hold-began':
        holds.add(event.hold.reason);
        return event.hold.reason === 'paused' || event.hold.reason === 'done' ? 'info' : 'warn';
      case 'hold-ended':
        holds.delete(event.hold.reason);
        return 'info';
      case 'send-failed':
        if (event.state !== 'queued') said.delete(`send ${event.to}`);
        return event.state !== 'queued' || news(`send ${event.to}`, 'queued') ? 'warn' : 'debug';
      case 'agent-ready':
        // Told at every turn; a line is worth it when the process is another one.
        said.delete('not ready');
        return news('ready', String(event.pid)) ? 'info' : 'debug';
      case 'agent-not-ready':
        return news('not ready', event.text) ? 'warn' : 'debug';
      case 'rescued':
      case 'standing-by':
      case 'capped':
        return 'warn';
      case 'notice':
        return event.level;
      case 'started':
      case 'stopping':
      case 'stopped':
        return 'info';
    }
  };
}

/** Flat fields, instants as ISO time, and no field that only repeats the sentence. */
function fields(event: WorkerEvent): Record<string, unknown> {
  switch (event.type) {
    case 'turn-progress':
      return { event: event.type, turnId: event.turnId, ...event.progress };
    case 'looked':
    case 'look-due': {
      const { type, nextAt, ...rest } = event;
      return { event: type, ...rest, nextAt: iso(nextAt) };
    }
    case 'look-failed': {
      const { type, nextAt, text: _said, ...rest } = event;
      return { event: type, ...rest, nextAt: iso(nextAt) };
    }
    case 'turn-began': {
      const { type, spooledAt, ...rest } = event;
      return { event: type, ...rest, spooledAt: iso(spooledAt[0]) };
    }
    case 'capped': {
      const { type, why: _said, until, ...rest } = event;
      return { event: type, ...rest, until: iso(until) };
    }
    case 'sent':
    case 'send-failed': {
      const { type, queuedAt, ...rest } = event;
      return { event: type, ...rest, queuedAt: iso(queuedAt), text: undefined };
    }
    case 'hold-began':
    case 'hold-ended': {
      const { reason, since, until } = event.hold;
      return { event: event.type, reason, since: iso(since), until: iso(until) };
    }
    case 'notice':
      return { event: event.type };
    default: {
      const { type, ...rest } = event;
      return 'text' in rest ? { event: type, ...rest, text: undefined } : { event: type, ...rest };
    }
  }
}

function iso(at: number | undefined): string | undefined {
  return at !== undefined && Number.isFinite(at) ? new Date(at).toISOString() : undefined;
}
