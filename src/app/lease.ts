// Takes the lease of an inbox, or says who holds it; on standby, waits.
import { WorkerError } from '../domain/errors.js';
import type { LeaseRow } from '../domain/lease.js';
import type { Clock } from '../ports/clock.js';
import type { Lease } from '../ports/lease.js';

export interface LeaseWish {
  readonly lease: Lease;
  readonly clock: Clock;
  /** Wait for the lease instead of giving up. */
  readonly standby: boolean;
  readonly retryMs: number;
  readonly signal: AbortSignal;
  tell(text: string): void;
  /** Somebody else holds it and we wait: one sentence, once. Never called unless `standby`. */
  standBy?(text: string): void;
}

/** @throws WorkerError `lease-held`, naming the owner, unless `standby` */
export async function takeLease(wish: LeaseWish): Promise<'taken' | 'aborted'> {
  const { lease, clock, signal } = wish;
  for (let told = false; !signal.aborted; told = true) {
    const outcome = await lease.acquire();
    if (outcome.kind === 'acquired') {
      if (outcome.how === 'dead-owner' || outcome.how === 'stale') {
        wish.tell(
          `Took the inbox over from a worker that is ${outcome.how === 'stale' ? 'silent' : 'gone'}.`,
        );
      }
      return 'taken';
    }
    if (!wish.standby)
      throw new WorkerError('lease-held', `Another worker answers this inbox: ${describe(outcome.by)}.`);
    if (!told) wish.standBy?.(`Standing by for the worker that holds the inbox: ${describe(outcome.by)}.`);
    await clock.sleepUntil(clock.now() + wish.retryMs, signal);
  }
  return 'aborted';
}

function describe({ holder, heartbeatAt }: LeaseRow): string {
  return `process ${holder.pid} on ${holder.host} for ${holder.folder}, last heard of ${new Date(heartbeatAt).toISOString()}`;
}
