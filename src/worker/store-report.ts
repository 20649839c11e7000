// What the store tells of a worker's messages, sends and spending, whether the worker runs or not.
import { windowStart } from '../domain/budget.js';
import type { StoreReport } from '../domain/status.js';
import type { WorkerParts } from './parts.js';

export async function storeReport(
  { mailbox, outbox, ledger }: Pick<WorkerParts, 'mailbox' | 'outbox' | 'ledger'>,
  now: number,
): Promise<StoreReport> {
  const since = windowStart('day', now);
  const mail = await mailbox.counts();
  const { turns, costUsd, modelCalls, inputTokens, outputTokens } = await ledger.totals(since);
  return {
    messages: mail.messages,
    oldestWaitingAt: mail.oldestWaitingAt,
    outbox: await outbox.counts(),
    today: {
      since,
      turns,
      costUsd,
      tokens: inputTokens + outputTokens,
      modelCalls,
      messages: await mailbox.tally(since),
    },
  };
}
