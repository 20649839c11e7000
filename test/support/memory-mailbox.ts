// The mailbox's twin in memory: maps in the order of arrival instead of tables.
import { canonicalName } from '../../src/domain/addressing.js';
import { CLAIM_MESSAGES, type Claim } from '../../src/domain/claim.js';
import {
  DROPPED_BY_HAND,
  type Exchange,
  type IncomingMessage,
  isSettled,
  type Message,
  type MessageState,
  mayBecome,
} from '../../src/domain/message.js';
import type { MessageTally } from '../../src/domain/status.js';
import type {
  LifeStep,
  Mailbox,
  MailboxCounts,
  MessageLife,
  OpenClaim,
  Settlement,
  Unanswered,
  UpcomingClaim,
} from '../../src/ports/mailbox.js';
import {
  bug,
  type ClaimRecord,
  type MemoryDisk,
  type MemoryFence,
  type MessageRecord,
  refused,
} from './memory-disk.js';
import { addRows } from './memory-outbox.js';

export class MemoryMailbox implements Mailbox {
  readonly #disk: MemoryDisk;
  readonly #fence: MemoryFence;

  constructor(disk: MemoryDisk, fence: MemoryFence) {
    this.#disk = disk;
    this.#fence = fence;
  }

  spool(
    batch: readonly IncomingMessage[],
    at: number,
    silent: ReadonlySet<string> = new Set(),
  ): Promise<{ fresh: number; known: number }> {
    return this.#fence.write(() => {
      let fresh = 0;
      for (const incoming of batch) {
        const known = this.#disk.messages.get(incoming.id);
        const foreign = known !== undefined && known.incoming.conversation !== incoming.conversation;
        const id = foreign ? `${incoming.conversation}/${incoming.id}` : incoming.id;
        if (this.#disk.messages.has(id)) continue;
        fresh += 1;
        const falls = silent.has(incoming.id);
        this.#disk.messages.set(id, {
          incoming: { ...incoming, id },
          spooledAt: at,
          state: falls ? 'silent' : 'waiting',
          claimId: undefined,
          settledAt: falls ? at : undefined,
          dropped: false,
        });
      }
      return { fresh, known: batch.length - fresh };
    });
  }

  claim(options: {
    at: number;
    slot: number;
    newId: string;
    prefer?: string | undefined;
  }): Promise<Claim | undefined> {
    return this.#fence.write(() => {
      const claims = [...this.#disk.claims.values()];
      const due = claims
        .filter((claim) => claim.state === 'retry' && (claim.retryAt ?? Infinity) <= options.at)
        .sort((a, b) => (a.retryAt ?? 0) - (b.retryAt ?? 0) || a.seq - b.seq);
      const taken = new Set(claims.filter((claim) => claim.state !== 'settled').map((c) => c.conversation));
      const waiting = [...this.#disk.messages.values()]
        .filter((message) => message.state === 'waiting')
        .map((message) => message.incoming.conversation)
        .filter((conversation) => !taken.has(conversation));
      const preferred = due.find((claim) => claim.conversation === options.prefer);
      if (preferred) return this.#reopen(preferred, options.at);
      const prefer = waiting.find((conversation) => conversation === options.prefer);
      if (prefer !== undefined) return this.#open(prefer, options);
      if (due[0]) return this.#reopen(due[0], options.at);
      return waiting[0] === undefined ? undefined : this.#open(waiting[0], options);
    });
  }

  noteSession(claimId: string, sessionId: string): Promise<void> {
    return this.#fence.write(() => {
      this.#openClaim(claimId).sessionId = sessionId;
    });
  }

  settle(claimId: string, settlement: Settlement, at: number): Promise<void> {
    return this.#fence.write(() => {
      const claim = this.#openClaim(claimId);
      const replies = this.#disk.rows.filter((row) => row.claimId === claimId && row.kind === 'reply');
      if (settlement.kind === 'answered' && !settlement.reply && replies.length === 0) {
        bug(`Claim ${claimId} has no reply.`);
      }
      const own =
        settlement.kind === 'answered'
          ? settlement.reply
          : settlement.kind === 'dead'
            ? settlement.notice
            : undefined;
      this.#mustMove(claim, settlement.kind);
      if (own) {
        const kind = settlement.kind === 'dead' ? 'notice' : 'reply';
        const earlier = this.#disk.rows.filter(
          (row) => row.claimId === claimId && row.kind === kind && row.to === own.to,
        );
        const ordinal = Math.max(-1, ...earlier.map((row) => row.ordinal)) + 1;
        addRows(this.#disk, { ...own, claimId, kind, ordinal }, at);
      }
      this.#move(claim, settlement.kind, at, 'error' in settlement ? settlement.error : undefined);
      if (settlement.kind === 'retry') {
        claim.state = 'retry';
        claim.retryAt = settlement.retryAt;
        claim.before = { ...settlement.before };
        if (settlement.countsAttempt) claim.attempts += 1;
      } else {
        claim.state = 'settled';
        if (settlement.kind === 'dead') claim.attempts += 1;
        this.#takeUpReopened(claim.conversation);
      }
      if ('error' in settlement) claim.lastError = settlement.error;
    });
  }

  openClaims(): Promise<OpenClaim[]> {
    return this.#fence.read(() =>
      [...this.#disk.claims.values()]
        .filter((claim) => claim.state === 'open')
        .map((claim) => ({ ...this.#shown(claim), sessionId: claim.sessionId })),
    );
  }

  nextRetryAt(): Promise<number | undefined> {
    return this.#fence.read(() => {
      const times = [...this.#disk.claims.values()].flatMap((claim) =>
        claim.state === 'retry' && claim.retryAt !== undefined ? [claim.retryAt] : [],
      );
      return times.length === 0 ? undefined : Math.min(...times);
    });
  }

  memory(
    claim: Pick<Claim, 'id' | 'conversation'>,
    limits: { exchanges: number; chars: number },
  ): Promise<Exchange[]> {
    return this.#fence.read(() => {
      const upTo = this.#disk.claims.get(claim.id)?.seq ?? Infinity;
      const all: Exchange[] = [];
      for (const earlier of this.#disk.claims.values()) {
        if (earlier.seq >= upTo) continue;
        for (const message of this.#messagesOf(earlier.id)) {
          const { conversation, sender, text, sentAt } = message.incoming;
          if (conversation !== claim.conversation) continue;
          if ((message.state !== 'answered' && message.state !== 'silent') || message.dropped) continue;
          all.push({ from: 'them', name: sender, text, at: sentAt ?? message.spooledAt });
        }
        all.push(...this.#saidIn(earlier, claim.conversation));
      }
      return trim(limits.exchanges > 0 ? all.slice(-limits.exchanges) : [], limits.chars);
    });
  }

  unanswered(): Promise<Unanswered[]> {
    return this.#fence.read(() => {
      const oldest = new Map<string, MessageRecord>();
      for (const record of this.#disk.messages.values()) {
        const { conversation } = record.incoming;
        if (!isSettled(record.state) && !oldest.has(conversation)) oldest.set(conversation, record);
      }
      const heard = (claimId: string | undefined): boolean =>
        this.#disk.rows.some(
          (row) => row.claimId !== undefined && row.claimId === claimId && row.kind !== 'other',
        );
      return [...oldest.values()]
        .filter((record) => !heard(record.claimId))
        .map(({ incoming, spooledAt }) => ({
          id: incoming.id,
          conversation: incoming.conversation,
          to: incoming.replyTo ?? incoming.conversation,
          spooledAt,
        }));
    });
  }

  counts(): Promise<MailboxCounts> {
    return this.#fence.read(() => {
      const messages = { waiting: 0, claimed: 0, retry: 0, answered: 0, silent: 0, dead: 0 };
      let oldestWaitingAt: number | undefined;
      for (const message of this.#disk.messages.values()) {
        messages[message.state] += 1;
        if (isSettled(message.state)) continue;
        oldestWaitingAt = Math.min(oldestWaitingAt ?? Infinity, message.spooledAt);
      }
      return { messages, oldestWaitingAt };
    });
  }

  tally(since: number): Promise<MessageTally> {
    return this.#fence.read(() => {
      const all = [...this.#disk.messages.values()];
      const ended = (state: MessageState): number =>
        all.filter((one) => one.state === state && (one.settledAt ?? -1) >= since).length;
      return {
        in: all.filter((one) => one.spooledAt >= since).length,
        answered: ended('answered'),
        silent: ended('silent'),
        dead: ended('dead'),
      };
    });
  }

  upcoming({ at, limit }: { at: number; limit: number }): Promise<UpcomingClaim[]> {
    return this.#fence.read(() => {
      const claims = [...this.#disk.claims.values()];
      const again = claims
        .filter((claim) => claim.state === 'retry')
        .sort((a, b) => (a.retryAt ?? 0) - (b.retryAt ?? 0) || a.seq - b.seq)
        .map((claim) => ({
          ...this.#shown(claim),
          dueAt: (claim.retryAt ?? 0) > at ? claim.retryAt : undefined,
        }));
      const waiting = [...this.#disk.messages.values()].filter((message) => message.state === 'waiting');
      const names = new Set(waiting.map((message) => message.incoming.conversation));
      const fresh = [...names]
        .filter((conversation) => !this.#unsettled(conversation))
        .map((conversation) => ({
          id: undefined,
          conversation,
          messages: waiting
            .filter((message) => message.incoming.conversation === conversation)
            .slice(0, CLAIM_MESSAGES)
            .map(toMessage),
          attempts: 0,
          before: undefined,
          dueAt: undefined,
        }));
      const now = again.filter(({ dueAt }) => dueAt === undefined);
      const later = again.filter(({ dueAt }) => dueAt !== undefined);
      return [...now, ...fresh, ...later].slice(0, limit);
    });
  }

  show(id: string): Promise<MessageLife | undefined> {
    return this.#fence.read(() => {
      const record = this.#disk.messages.get(id);
      return record && this.#life(record);
    });
  }

  list({ states, limit }: { states: readonly MessageState[]; limit: number }): Promise<MessageLife[]> {
    return this.#fence.read(() =>
      [...this.#disk.messages.values()]
        .filter((message) => states.includes(message.state))
        .reverse()
        .slice(0, limit)
        .map((message) => this.#life(message)),
    );
  }

  reopen(id: string, at: number): Promise<{ claimId: string; messages: number }> {
    return this.#fence.write(() => {
      const message = this.#disk.messages.get(id) ?? refused(`There is no message ${id}.`);
      if (message.state !== 'dead') refused(`Message ${id} is not dead.`);
      const claim = this.#disk.claims.get(message.claimId ?? '') ?? bug('dead without a claim');
      const { conversation, lastError } = claim;
      this.#mustMove(claim, 'retry');
      if (this.#unsettled(conversation)) {
        claim.reopenedAt = at;
      } else {
        claim.state = 'retry';
        claim.retryAt = at;
      }
      claim.attempts = 0;
      claim.sessionId = undefined;
      const rescued = claim.before?.rescued ?? false;
      claim.before = { sessionId: undefined, promptKept: false, rescued, lastError };
      this.#move(claim, 'retry', at, 'reopened by hand');
      return { claimId: claim.id, messages: this.#messagesOf(claim.id).length };
    });
  }

  drop(id: string, at: number): Promise<{ messages: number }> {
    return this.#fence.write(() => {
      const message = this.#disk.messages.get(id) ?? refused(`There is no message ${id}.`);
      if (!['waiting', 'retry', 'dead'].includes(message.state)) refused(`It is ${message.state}.`);
      if (message.claimId === undefined) {
        message.state = 'silent';
        message.settledAt = at;
        message.dropped = true;
        return { messages: 1 };
      }
      const claim = this.#disk.claims.get(message.claimId) ?? bug('no such claim');
      this.#mustMove(claim, 'silent');
      this.#move(claim, 'silent', at, DROPPED_BY_HAND);
      const was = claim.state;
      claim.state = 'settled';
      claim.retryAt = undefined;
      claim.reopenedAt = undefined;
      for (const one of this.#messagesOf(claim.id)) one.dropped = true;
      if (was !== 'settled') this.#takeUpReopened(claim.conversation);
      return { messages: this.#messagesOf(claim.id).length };
    });
  }

  #life(record: MessageRecord): MessageLife {
    const claim = record.claimId === undefined ? undefined : this.#disk.claims.get(record.claimId);
    const steps: LifeStep[] = [{ state: 'waiting', at: record.spooledAt, note: undefined }];
    if (claim) steps.push(...claim.steps);
    else if (record.settledAt !== undefined) {
      const note = record.dropped ? DROPPED_BY_HAND : undefined;
      steps.push({ state: record.state, at: record.settledAt, note });
    }
    return {
      ...toMessage(record),
      claimId: record.claimId,
      attempts: claim?.attempts ?? 0,
      retryAt: claim?.retryAt,
      lastError: claim?.lastError,
      claimedAt: claim?.openedAt,
      settledAt: record.settledAt,
      steps,
    };
  }

  #unsettled(conversation: string): boolean {
    return [...this.#disk.claims.values()].some(
      (claim) => claim.conversation === conversation && claim.state !== 'settled',
    );
  }

  /** Of the re-opened claims that waited for this conversation, the first opened is due now. */
  #takeUpReopened(conversation: string): void {
    const next = [...this.#disk.claims.values()].find(
      (claim) => claim.conversation === conversation && claim.reopenedAt !== undefined,
    );
    if (!next) return;
    next.state = 'retry';
    next.retryAt = next.reopenedAt;
    next.reopenedAt = undefined;
  }

  #reopen(claim: ClaimRecord, at: number): Claim {
    this.#mustMove(claim, 'claimed');
    this.#move(claim, 'claimed', at);
    claim.state = 'open';
    claim.retryAt = undefined;
    claim.sessionId = undefined;
    return this.#shown(claim);
  }

  #open(conversation: string, options: { at: number; newId: string }): Claim {
    if (this.#disk.claims.has(options.newId)) bug(`Claim ${options.newId} exists already.`);
    const claim: ClaimRecord = {
      id: options.newId,
      seq: this.#disk.claims.size,
      conversation,
      openedAt: options.at,
      steps: [{ state: 'claimed', at: options.at, note: undefined }],
      state: 'open',
      attempts: 0,
      retryAt: undefined,
      lastError: undefined,
      sessionId: undefined,
      before: undefined,
      reopenedAt: undefined,
    };
    this.#disk.claims.set(claim.id, claim);
    const waiting = [...this.#disk.messages.values()].filter(
      (message) => message.state === 'waiting' && message.incoming.conversation === conversation,
    );
    for (const message of waiting.slice(0, CLAIM_MESSAGES)) {
      message.state = 'claimed';
      message.claimId = claim.id;
    }
    return this.#shown(claim);
  }

  #openClaim(id: string): ClaimRecord {
    const claim = this.#disk.claims.get(id);
    return claim?.state === 'open' ? claim : bug(`Claim ${id} is not open.`);
  }

  #messagesOf(claimId: string): MessageRecord[] {
    return [...this.#disk.messages.values()].filter((message) => message.claimId === claimId);
  }

  #shown(claim: ClaimRecord): Claim {
    const { id, conversation, attempts, before } = claim;
    return { id, conversation, messages: this.#messagesOf(id).map(toMessage), attempts, before };
  }

  #mustMove(claim: ClaimRecord, to: MessageState): void {
    for (const { state } of this.#messagesOf(claim.id)) {
      if (!mayBecome(state, to)) bug(`A message cannot go from ${state} to ${to}.`);
    }
  }

  #move(claim: ClaimRecord, to: MessageState, at: number, note?: string): void {
    for (const message of this.#messagesOf(claim.id)) {
      message.state = to;
      message.settledAt = isSettled(to) ? at : undefined;
    }
    claim.steps.push({ state: to, at, note });
  }

  /** What we said to the conversation out of this claim, each send whole. */
  #saidIn(claim: ClaimRecord, conversation: string): Exchange[] {
    const rows = this.#disk.rows.filter((row) => row.claimId === claim.id);
    return rows
      .filter((row) => row.part === 0 && row.state !== 'refused')
      .filter((row) =>
        row.kind === 'reply'
          ? claim.conversation === conversation && claim.state === 'settled'
          : row.kind === 'other' && canonicalName(row.to) === canonicalName(conversation),
      )
      .map((first) => ({
        from: 'us',
        name: 'you',
        text: rows
          .filter((row) => row.sendId === first.sendId && row.state !== 'refused')
          .map((row) => row.text)
          .join(''),
        at: first.queuedAt,
      }));
  }
}

function toMessage(record: MessageRecord): Message {
  return { ...record.incoming, state: record.state, spooledAt: record.spooledAt };
}

function trim(exchanges: readonly Exchange[], chars: number): Exchange[] {
  let kept = [...exchanges];
  const length = (): number => kept.reduce((sum, exchange) => sum + exchange.text.length, 0);
  while (kept.length > 1 && length() > chars) kept = kept.slice(1);
  const [only] = kept;
  if (chars <= 0 || only === undefined) return [];
  if (only.text.length <= chars) return kept;
  // The last place is the ellipsis's; half of a surrogate pair is dropped with it.
  return [{ ...only, text: `${only.text.slice(0, chars - 1).replace(/[\ud800-\udbff]$/, '')}…` }];
}
