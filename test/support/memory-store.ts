// The store's twin in memory: same rules, no disk, no clock and no chance of its own.
import { WorkerError } from '../../src/domain/errors.js';
import { judgeLease, type LeaseHolder, type LeaseRow } from '../../src/domain/lease.js';
import { addUsage, NO_USAGE } from '../../src/domain/turn.js';
import { type Deferred, deferred } from '../../src/lib/deferred.js';
import type { Store } from '../../src/mailbox/index.js';
import type { Clock } from '../../src/ports/clock.js';
import type { Deliveries } from '../../src/ports/deliveries.js';
import type { LastHolder, Lease, LeaseOutcome } from '../../src/ports/lease.js';
import type { Ledger } from '../../src/ports/ledger.js';
import type { Slots } from '../../src/ports/slots.js';
import { bug, type MemoryDisk, type MemoryFence } from './memory-disk.js';
import { MemoryMailbox } from './memory-mailbox.js';
import { MemoryOutbox } from './memory-outbox.js';
import { reportsOver } from './memory-reports.js';

export { MemoryDisk } from './memory-disk.js';

const KEPT_DELIVERIES = 5_000;

export interface MemoryStoreOptions {
  readonly disk: MemoryDisk;
  readonly clock: Clock;
  readonly owner: LeaseHolder & { readonly owner: string };
  readonly staleMs?: number | undefined;
  readonly heartbeatMs?: number | undefined;
  /** Start time of a simulated process; by default no process lives. */
  readonly startOf?: ((pid: number) => string | undefined) | undefined;
}

/** Every method is one step: it has happened whole or not at all, also when it throws. */
export function openMemoryStore(options: MemoryStoreOptions): Store {
  const { disk } = options;
  const lease = new MemoryLease(options);
  return {
    mailbox: new MemoryMailbox(disk, lease),
    outbox: new MemoryOutbox(disk, lease),
    ledger: ledgerOver(disk, lease),
    reports: reportsOver(disk, lease),
    slots: slotsOver(disk, lease),
    lease,
    deliveries: deliveriesOver(disk, lease),
    async close() {
      lease.stop();
    },
  };
}

class MemoryLease implements Lease, MemoryFence {
  readonly #options: MemoryStoreOptions;
  #generation: number | undefined;
  #lost: Deferred<LeaseRow | undefined> = deferred();
  #isLost = false;
  #beating: AbortController | undefined;

  constructor(options: MemoryStoreOptions) {
    this.#options = options;
  }

  get lost(): Promise<LeaseRow | undefined> {
    return this.#lost.promise;
  }

  async acquire(): Promise<LeaseOutcome> {
    const { disk, clock, owner, staleMs = 300_000, startOf = () => undefined } = this.#options;
    const now = clock.now();
    const before = disk.lease?.row;
    const holder = disk.lease?.releasedAt !== undefined ? undefined : before;
    const how = judgeLease(holder, owner, now, staleMs, startOf);
    if (how === 'held') return holder ? { kind: 'held', by: holder } : bug('held by nobody');
    const ours = how === 'ours' && holder !== undefined;
    const generation = ours ? holder.generation : (before?.generation ?? 0) + 1;
    const { owner: name, ...place } = owner;
    const acquiredAt = ours ? holder.acquiredAt : now;
    disk.lease = {
      row: { owner: name, generation, heartbeatAt: now, acquiredAt, holder: place },
      releasedAt: undefined,
    };
    this.#generation = generation;
    if (this.#isLost) this.#lost = deferred();
    this.#isLost = false;
    this.stop();
    this.#beating = new AbortController();
    void this.#beat(this.#beating.signal);
    return { kind: 'acquired', generation, how };
  }

  async release(): Promise<void> {
    this.stop();
    const { disk, clock } = this.#options;
    if (this.#generation !== undefined && this.#isOurs() && disk.lease) disk.lease.releasedAt = clock.now();
    this.#generation = undefined;
  }

  async evict(owner: string): Promise<boolean> {
    const { disk, clock } = this.#options;
    const { lease } = disk;
    if (!lease || lease.releasedAt !== undefined || lease.row.owner !== owner) return false;
    lease.releasedAt = clock.now();
    return true;
  }

  async show(): Promise<LeaseRow | undefined> {
    const { lease } = this.#options.disk;
    return lease === undefined || lease.releasedAt !== undefined ? undefined : lease.row;
  }

  async last(): Promise<LastHolder | undefined> {
    const { lease } = this.#options.disk;
    return lease && { ...lease };
  }

  async read<T>(work: () => T): Promise<T> {
    return work();
  }

  async write<T>(work: () => T): Promise<T> {
    if (!this.#isOurs()) {
      this.#lose();
      throw new WorkerError('lease-lost', 'The lease of this inbox is not ours; nothing was written.');
    }
    return work();
  }

  stop(): void {
    this.#beating?.abort();
    this.#beating = undefined;
  }

  async #beat(signal: AbortSignal): Promise<void> {
    const { clock, disk, heartbeatMs = 20_000 } = this.#options;
    for (;;) {
      await clock.sleepUntil(clock.now() + heartbeatMs, signal);
      if (signal.aborted) return;
      if (!this.#isOurs() || !disk.lease) return this.#lose();
      disk.lease.row = { ...disk.lease.row, heartbeatAt: clock.now() };
    }
  }

  #isOurs(): boolean {
    const { disk, owner } = this.#options;
    if (this.#generation === undefined || disk.lease === undefined || disk.lease.releasedAt !== undefined)
      return false;
    return disk.lease.row.owner === owner.owner && disk.lease.row.generation === this.#generation;
  }

  #lose(): void {
    if (this.#generation === undefined) return;
    this.stop();
    this.#generation = undefined;
    this.#isLost = true;
    this.#lost.resolve(this.#options.disk.lease?.row);
  }
}

function ledgerOver(disk: MemoryDisk, fence: MemoryFence): Ledger {
  return {
    begin: (turn) =>
      fence.write(() => {
        if (disk.turns.has(turn.id)) bug(`Turn ${turn.id} has begun already.`);
        disk.turns.set(turn.id, { begun: { ...turn }, result: undefined });
      }),
    end: (turnId, result) =>
      fence.write(() => {
        const turn = disk.turns.get(turnId) ?? bug(`Turn ${turnId} has not begun.`);
        const sessionId = result.sessionId ?? turn.result?.sessionId ?? turn.begun.sessionId;
        turn.result = { ...result, sessionId };
      }),
    totals: (since) =>
      fence.read(() => {
        const turns = [...disk.turns.values()].filter((turn) => turn.begun.startedAt >= since);
        const usage = turns.reduce((sum, turn) => addUsage(sum, turn.result?.usage ?? NO_USAGE), NO_USAGE);
        return { turns: turns.length, ...usage };
      }),
    recent: (limit) =>
      fence.read(() =>
        [...disk.turns.values()]
          .reverse()
          .slice(0, limit)
          .map((turn) => ({ ...turn.begun, ...turn.result })),
      ),
    ofClaim: (claimId) =>
      fence.read(() =>
        [...disk.turns.values()]
          .filter((turn) => turn.begun.claimId === claimId)
          .map((turn) => ({ ...turn.begun, ...turn.result })),
      ),
    spent: ({ since, conversation, sender, claimId }) =>
      fence.read(() => {
        const claimsOf = new Set(
          [...disk.messages.values()]
            .filter((message) => message.incoming.sender === sender)
            .map((message) => message.claimId),
        );
        const usage = [...disk.turns.values()]
          .filter(({ begun }) => begun.startedAt >= since)
          .filter(({ begun }) => conversation === undefined || begun.conversation === conversation)
          .filter(({ begun }) => claimId === undefined || begun.claimId === claimId)
          .filter(({ begun }) => sender === undefined || claimsOf.has(begun.claimId))
          .reduce((sum, turn) => addUsage(sum, turn.result?.usage ?? NO_USAGE), NO_USAGE);
        return { usd: usage.costUsd, tokens: usage.inputTokens + usage.outputTokens };
      }),
    turnEnds: (conversation, since) =>
      fence.read(() =>
        [...disk.turns.values()]
          .filter(({ begun }) => begun.conversation === conversation)
          .flatMap(({ result }) =>
            result?.verdict === 'answered' || result?.verdict === 'silent' ? [result.endedAt] : [],
          )
          .filter((at) => at >= since)
          .sort((a, b) => a - b),
      ),
  };
}

function slotsOver(disk: MemoryDisk, fence: MemoryFence): Slots {
  return {
    load: (slot) => fence.read(() => disk.slots.get(slot)),
    save: (memory) => fence.write(() => void disk.slots.set(memory.slot, { ...memory })),
  };
}

function deliveriesOver(disk: MemoryDisk, fence: MemoryFence): Deliveries {
  return {
    remember: (id) =>
      fence.write(() => {
        if (disk.deliveries.has(id)) return false;
        disk.deliveries.add(id);
        const [oldest] = disk.deliveries;
        if (disk.deliveries.size > KEPT_DELIVERIES && oldest !== undefined) disk.deliveries.delete(oldest);
        return true;
      }),
  };
}
