// Watches what follows from a turn that failed: an attempt charged, a pause, no more of a history that poisons.
import type { TurnFailure, TurnOutcome } from '../../src/domain/turn.js';
import type { ClaimRecord, MemoryDisk } from '../support/memory-disk.js';
import type { Chronicle } from './chronicle.js';
import type { DiskWatch } from './disk-watch.js';
import type { Life } from './life.js';
import type { PlayedTurn } from './play-turn.js';
import type { SessionRecord } from './sim-agent.js';
import type { Spoken } from './turn-watch.js';

/** They say nothing about the message: free, and a hold follows. */
const HOLDING: readonly TurnFailure[] = [
  'limited',
  'rate-limited',
  'overloaded',
  'credit-exhausted',
  'unauthorised',
  'model-unknown',
];
const SHORTEST_HOLD_MS = 30_000;

export class FailureWatch {
  readonly #disk: MemoryDisk;
  readonly #diskWatch: DiskWatch;
  readonly #record: Chronicle;
  /** Attempts that each claim must have been charged when it is tried again. */
  readonly #due = new Map<string, number>();
  /** Process, claim and session in one: it knows that this prompt fails in this history. */
  readonly #poisoned = new Set<string>();
  /** By session: the process that was told its task is done. */
  readonly #done = new Map<string, string>();
  /** By claim: the process whose turn ended in silence. */
  readonly #silenced = new Map<string, string>();

  constructor(disk: MemoryDisk, diskWatch: DiskWatch, record: Chronicle) {
    this.#disk = disk;
    this.#diskWatch = diskWatch;
    this.#record = record;
  }

  /** A new owner: whatever the one before left open is rescued now, and that costs an attempt. */
  owned(): void {
    for (const claim of this.#disk.claims.values()) if (claim.state === 'open') this.#charge(claim.id);
  }

  begins(life: Life, spoken: Spoken, claim: ClaimRecord, session: SessionRecord, nth: number): void {
    const due = this.#due.get(claim.id) ?? 0;
    if (claim.attempts < due) {
      this.#broken(
        'attempts',
        `turn ${nth}: claim ${claim.id} had ${claim.attempts} attempts charged of ${due}`,
      );
    }
    if (this.#poisoned.has(`${life.name} ${claim.id} ${session.id}`)) {
      this.#broken(
        'poison',
        `turn ${nth} runs in ${session.id}, where the same prompt failed for its history`,
      );
    }
    if (spoken.notBefore !== undefined && life.clock.now() < spoken.notBefore) {
      this.#broken(
        'limit',
        `turn ${nth} began ${spoken.notBefore - life.clock.now()} ms before the limit ends`,
      );
    }
    // What broke off in it is still continued there.
    if (this.#done.get(session.id) === life.name && !session.claims.has(claim.id)) {
      this.#broken('task-done', `turn ${nth} runs in ${session.id}, whose task is done`);
    }
    if (this.#silenced.get(claim.id) === life.name) {
      this.#broken('silence', `turn ${nth} asks again where silence was the answer`);
    }
  }

  ended(life: Life, spoken: Spoken, turn: PlayedTurn, outcome: TurnOutcome): void {
    const ids = turn.claims.map(({ id }) => id);
    if (outcome.kind === 'completed' && turn.wantsSilence)
      for (const id of ids) this.#silenced.set(id, life.name);
    if (turn.taskDone) this.#done.set(outcome.sessionId ?? '', life.name);
    if (outcome.kind === 'failed' && HOLDING.includes(outcome.failure)) {
      spoken.notBefore = outcome.until ?? life.clock.now() + SHORTEST_HOLD_MS;
      return;
    }
    // A completed turn may have said nothing: that costs one too, and only the worker knows whether it did.
    // A former owner's word counts for nothing any more.
    const counts = this.#diskWatch.holdsLease(life.name);
    for (const id of ids) {
      if (outcome.kind === 'completed' || !counts) this.#diskWatch.charge(id);
      else if (outcome.kind !== 'interrupted') this.#charge(id);
    }
    if (outcome.kind === 'failed' && ['context-too-long', 'request-invalid'].includes(outcome.failure)) {
      for (const id of ids) this.#poisoned.add(`${life.name} ${id} ${outcome.sessionId}`);
    }
  }

  /** It ended before it began: the process was gone. */
  failedToBegin(claimId: string): void {
    this.#charge(claimId);
  }

  #charge(claimId: string): void {
    this.#diskWatch.charge(claimId);
    this.#due.set(claimId, (this.#disk.claims.get(claimId)?.attempts ?? 0) + 1);
  }

  #broken(invariant: string, text: string): void {
    this.#record.violate(invariant, text);
  }
}
