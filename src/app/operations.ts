// What a person asks of a store and does to it: the same for a worker that runs and for one that is stopped.
import type { DeadMessage, Operations, UnsureSend } from '../control/index.js';
import { windowStart } from '../domain/budget.js';
import type { OutboxRow } from '../domain/outbox.js';
import type { Store } from '../mailbox/index.js';
import type { Clock } from '../ports/clock.js';
import type { MessageLine } from '../ports/reports.js';

/** More than anybody decides over one by one. */
const LISTED = 500;
const CONVERSATIONS = 200;
const ALIKE = 10;
const LATENCIES = 2_000;

export function storeOperations(
  { mailbox, outbox, ledger, reports }: Pick<Store, 'mailbox' | 'outbox' | 'ledger' | 'reports'>,
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
    async turns(limit) {
      const turns = await ledger.recent(limit);
      const ids = await reports.idsOf(turns.map((turn) => turn.claimId));
      return turns.map((turn) => ({ ...turn, messages: ids.get(turn.claimId) ?? [] }));
    },
    conversations: () =>
      reports.conversations({ since: windowStart('day', clock.now()), limit: CONVERSATIONS }),
    async messages(query) {
      // One more than asked for tells whether there are more.
      const found = await reports.messages({ ...query, limit: query.limit + 1 });
      return { messages: found.slice(0, query.limit), more: found.length > query.limit };
    },
    idsLike: (prefix) => reports.idsLike(prefix, ALIKE),
    series: (query) => reports.series(query),
    async latencies(span) {
      const found = await reports.latencies({ ...span, limit: LATENCIES + 1 });
      return { latencies: found.slice(0, LATENCIES), more: found.length > LATENCIES };
    },
    async dead() {
      const messages = await reports.messages({ states: ['dead'], limit: LISTED });
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

function toDead(line: MessageLine): DeadMessage {
  const { id, conversation, sender, chars, claimId, attempts, lastError, spooledAt, settledAt } = line;
  return { id, conversation, sender, chars, claimId, attempts, lastError, spooledAt, diedAt: settledAt };
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
