// What a person asks of a store and does to it: the same for a worker that runs and for one that is stopped.
import type { DeadMessage, Operations, UnsureSend } from '../control/index.js';
import type { OutboxRow } from '../domain/outbox.js';
import type { Store } from '../mailbox/index.js';
import type { Clock } from '../ports/clock.js';
import type { MessageLife } from '../ports/mailbox.js';

/** More than anybody decides over one by one. */
const LISTED = 500;

export function storeOperations(
  { mailbox, outbox, ledger }: Pick<Store, 'mailbox' | 'outbox' | 'ledger'>,
  clock: Clock,
): Operations {
  return {
    async show(id) {
      const message = await mailbox.show(id);
      if (!message) return undefined;
      const { claimId } = message;
      if (claimId === undefined) return { message, sends: [], turns: [] };
      return { message, sends: await outbox.ofClaim(claimId), turns: await ledger.ofClaim(claimId) };
    },
    turns: (limit) => ledger.recent(limit),
    async dead() {
      const messages = await mailbox.list({ states: ['dead'], limit: LISTED });
      const sends = await outbox.list({ states: ['unsure'], limit: LISTED });
      const mail = await mailbox.counts();
      const sent = await outbox.counts();
      return {
        messages: messages.map(toDead),
        sends: sends.map(toUnsure),
        total: { messages: mail.messages.dead, sends: sent.unsure },
      };
    },
    async retry(id) {
      const reopened = await mailbox.reopen(id, clock.now());
      const after = await mailbox.show(id);
      // A worker that runs may have claimed it by now: then it waits for nothing.
      return { ...reopened, waits: after?.state === 'retry' && after.retryAt === undefined };
    },
    drop: (id) => mailbox.drop(id, clock.now()),
    settleUnsure: (rowId, how) => outbox.settleUnsure(rowId, how, clock.now()),
  };
}

function toDead(life: MessageLife): DeadMessage {
  const { id, conversation, sender, claimId, attempts, lastError, spooledAt, settledAt } = life;
  return {
    id,
    conversation,
    sender,
    chars: life.text.length,
    claimId,
    attempts,
    lastError,
    spooledAt,
    diedAt: settledAt,
  };
}

function toUnsure(row: OutboxRow): UnsureSend {
  const { to, kind, part, replyToId, attempts, lastError, queuedAt } = row;
  return {
    id: `out-${row.id}`,
    to,
    kind,
    part,
    chars: row.text.length,
    replyToId,
    attempts,
    lastError,
    queuedAt,
  };
}
