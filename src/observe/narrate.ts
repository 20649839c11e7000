// Tells events as calm plain lines to a person who watches, as in the rehearsal.
import { counted, humanDuration } from '../lib/human.js';
import { oneLine } from '../lib/one-line.js';
import type { Observer, WorkerEvent } from '../ports/observer.js';
import { sentence, turnSentence, wakeName } from './sentences.js';

export interface NarratorOptions {
  /** Also tell of looks that found nothing, and of the timer that caused them. Default false. */
  readonly quietLooks?: boolean;
  /** Nothing costs anything: no sums are told. Default false. */
  readonly free?: boolean;
}

/** Calls `write` with a line (no line end in it) for each event worth a person's eye. No message text: no event has any. */
export function narrator(write: (line: string) => void, options: NarratorOptions = {}): Observer {
  let last: string | undefined;
  let pid: number | undefined;

  const lineFor = (event: WorkerEvent): string | undefined => {
    switch (event.type) {
      // Of several wakes for one message only those that made the look are worth a line: its own.
      case 'woken':
        return options.quietLooks ? `woken by ${wakeName(event.kind)}` : undefined;
      case 'looked': {
        const by = event.wokenBy.map(wakeName).join(' and ');
        if (event.fresh > 0) return `woken by ${by}: ${counted(event.fresh, 'new message')}`;
        return options.quietLooks ? 'looked: nothing new' : undefined;
      }
      case 'turn-began': {
        const them = event.messages === 1 ? 'a message' : counted(event.messages, 'message');
        const how = event.attempt > 1 || event.mode === 'continue' ? 'takes up again' : 'is answering';
        return `Claude ${how} ${them} from ${oneLine(event.conversation, 80)}`;
      }
      case 'turn-ended':
        return turnSentence(event, options.free);
      case 'sent': {
        const what = [
          ...(event.kind === 'reply' ? [] : [event.kind]),
          ...(event.part > 0 ? [`part ${event.part + 1}`] : []),
        ];
        return `sent to ${oneLine(event.to, 80)}${what.length > 0 ? ` (${what.join(', ')})` : ''}`;
      }
      case 'hold-began':
        return `waiting (${event.hold.reason}): ${oneLine(event.hold.why)}`;
      case 'hold-ended':
        return `going on after ${humanDuration(event.at - event.hold.since)} (${event.hold.reason})`;
      case 'agent-ready': {
        const another = event.pid !== pid;
        pid = event.pid;
        return another ? sentence(event) : undefined;
      }
      case 'look-began':
      case 'look-due':
      case 'turn-progress':
      case 'dead':
      case 'webhook-refused':
        return undefined;
      case 'notice':
        if (event.level === 'info') return sentence(event);
        return `${event.level === 'warn' ? 'warning' : 'error'}: ${sentence(event)}`;
      default:
        return sentence(event);
    }
  };

  return {
    on(event) {
      const line = lineFor(event);
      // A refused connection that is refused again is no news.
      if (line === undefined || (line === last && event.type === 'look-failed')) return;
      last = line;
      write(line);
    },
  };
}
