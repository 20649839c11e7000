// What every store must do, whatever lies under it. Run over each one by mailbox.test.ts.
import { afterEach, beforeEach, describe } from 'vitest';
import type { LeaseHolder } from '../../src/domain/lease.js';
import type { IncomingMessage } from '../../src/domain/message.js';
import type { Store } from '../../src/mailbox/index.js';
import type { Settlement } from '../../src/ports/mailbox.js';
import type { VirtualClock } from '../support/virtual-clock.js';
import { byHandRules } from './mailbox-by-hand.js';
import { claimRules } from './mailbox-claims.js';
import { leaseRules } from './mailbox-lease.js';
import { memoryRules } from './mailbox-memory.js';
import { noticeRules } from './mailbox-notices.js';
import { outboxRules } from './mailbox-outbox.js';
import { previewRules } from './mailbox-preview.js';
import { recordRules } from './mailbox-records.js';
import { reportRules } from './mailbox-reports.js';
import { settleRules } from './mailbox-settle.js';

export interface StoreWishes {
  readonly owner: LeaseHolder & { readonly owner: string };
  /** Its heart beats: within `HEARTBEAT_MS` of the bench's clock, or more often. By default it does not in a test. */
  readonly beating?: boolean;
}

/** One disk, on which any number of stores can be opened. */
export interface Bench {
  readonly clock: VirtualClock;
  open(wishes?: StoreWishes): Promise<Store>;
  /** Closes all stores and removes the disk. */
  close(): Promise<void>;
}

export type OpenBench = () => Promise<Bench>;

export const STALE_MS = 5 * 60_000;
export const HEARTBEAT_MS = 20_000;

export function mailboxConformance(name: string, openBench: OpenBench): void {
  describe(`a store on ${name}`, () => {
    let bench: Bench;
    beforeEach(async () => {
      bench = await openBench();
    });
    afterEach(() => bench.close());
    const get = (): Bench => bench;
    claimRules(get);
    settleRules(get);
    memoryRules(get);
    outboxRules(get);
    noticeRules(get);
    byHandRules(get);
    recordRules(get);
    previewRules(get);
    reportRules(get);
    leaseRules(get);
  });
}

/** Process `pid` lives exactly when it is below 9000; its start time follows from its number. */
export const startOf = (pid: number): string | undefined => (pid < 9_000 ? `start of ${pid}` : undefined);

export function holder(owner: string, pid = 1_000): LeaseHolder & { readonly owner: string } {
  const place = { host: 'host', bootId: 'boot', pidNamespace: 'pid:[1]', folder: `/agents/${owner}` };
  return { owner, pid, processStart: `start of ${pid}`, ...place };
}

/** A store that holds the lease. */
export async function opened(bench: Bench): Promise<Store> {
  const store = await bench.open();
  await store.lease.acquire();
  return store;
}

export function message(
  id: string,
  conversation = '@alice',
  more: Partial<IncomingMessage> = {},
): IncomingMessage {
  return { id, conversation, sender: conversation, text: `text of ${id}`, kind: 'agent', ...more };
}

export const reply = (text: string | readonly string[], to = '@alice') => ({
  to,
  parts: typeof text === 'string' ? [text] : text,
  replyToId: undefined,
});

export const answered = (text: string, to?: string): Settlement => ({
  kind: 'answered',
  reply: reply(text, to),
});

export const retryAt = (
  at: number,
  more: Partial<Extract<Settlement, { kind: 'retry' }>> = {},
): Settlement => ({
  kind: 'retry',
  retryAt: at,
  error: 'it failed',
  countsAttempt: true,
  before: { sessionId: 'session-1', promptKept: true, rescued: false, lastError: 'it failed' },
  ...more,
});

/** Spools one message, claims it and settles it. */
export async function exchange(
  store: Store,
  id: string,
  settlement: Settlement,
  options: { at?: number; conversation?: string } = {},
): Promise<void> {
  const { at = 1_000, conversation = '@alice' } = options;
  await store.mailbox.spool([message(id, conversation)], at);
  await store.mailbox.claim({ at, slot: 0, newId: `claim-${id}`, prefer: conversation });
  await store.mailbox.settle(`claim-${id}`, settlement, at);
}
