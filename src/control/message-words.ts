// What the state of a message alone does not say: when its reply went out, when it is tried again, why it failed.
import { counted, humanDuration } from '../lib/human.js';
import { oneLine } from '../lib/one-line.js';
import type { MessageLine } from '../ports/reports.js';

/** Empty where there is nothing to add. */
export function messageDetail(message: MessageLine, now: number): string {
  const { state, spooledAt, repliedAt, retryAt, attempts, lastError } = message;
  const why = lastError === undefined ? '' : `: ${oneLine(lastError, 120)}`;
  switch (state) {
    case 'answered':
      return repliedAt === undefined
        ? 'reply not sent yet'
        : `reply sent after ${humanDuration(repliedAt - spooledAt)}`;
    case 'retry': {
      const due = retryAt === undefined ? 'after what its conversation has in work' : dueIn(retryAt - now);
      return `${due}, ${counted(attempts, 'failed attempt')}${why}`;
    }
    case 'dead':
      return `after ${counted(attempts, 'attempt')}${why}`;
    default:
      return '';
  }
}

const dueIn = (ms: number): string => (ms <= 0 ? 'due now' : `due in ${humanDuration(ms)}`);
