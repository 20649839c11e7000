// What is known of an agent whose worker does not run, as plain text.
import type { StoppedStatus, StoreReport } from '../domain/status.js';
import { humanDuration } from '../lib/human.js';
import { oneLine } from '../lib/one-line.js';
import { budgetRow, page, type Row, sessionRow, storeRows } from './render-store.js';

/** @param start the command that starts it, to be typed */
export function renderStopped(status: StoppedStatus, now: number, start: string): string {
  const { budgets, session } = status;
  const rows: Row[] = [
    ['since', since(status, now)],
    ...(hasStore(status) ? storeRows(status, now) : []),
    ...(budgets ? [budgetRow(budgets, now)] : []),
    ...(session ? [sessionRow(session, now)] : []),
    ['paused', status.paused ? 'no turn starts until `inbox-worker resume`' : undefined],
    ['start', status.ended === 'elsewhere' ? undefined : start],
  ];
  return page(`not running: ${oneLine(status.why)}`, rows);
}

/** Left out as a whole, or there as a whole. */
const hasStore = (status: StoppedStatus): status is StoppedStatus & StoreReport =>
  status.messages !== undefined;

function since({ ended, lastSeenAt, lastTurn }: StoppedStatus, now: number): string | undefined {
  const heard = ended === 'stopped' ? 'ended' : 'last heard of';
  const parts = [
    ...(lastSeenAt === undefined ? [] : [`${heard} ${humanDuration(now - lastSeenAt)} ago`]),
    ...(lastTurn
      ? [
          `last turn ${humanDuration(now - (lastTurn.endedAt ?? lastTurn.startedAt))} ago ` +
            `(${oneLine(lastTurn.conversation, 80)}: ${lastTurn.verdict ?? 'no end'})`,
        ]
      : []),
  ];
  return parts.length > 0 ? parts.join(', ') : undefined;
}
