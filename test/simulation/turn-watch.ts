// Watches the turns: each has mail, the right to begin, and nothing of anybody else in its prompt or its session.
import type { Hold, HoldReason } from '../../src/domain/hold.js';
import type { TurnOutcome } from '../../src/domain/turn.js';
import type { TurnRequest } from '../../src/ports/agent.js';
import type { MemoryDisk } from '../support/memory-disk.js';
import type { Chronicle } from './chronicle.js';
import type { DiskWatch } from './disk-watch.js';
import { marksIn } from './inbox-server.js';
import type { Life } from './life.js';
import type { Plan } from './plan.js';
import type { PlayedTurn } from './play-turn.js';
import type { SessionRecord } from './sim-agent.js';
import type { Troubles } from './troubles.js';

/** Holds that only keep a worker from looking. */
const LOOK_ONLY: readonly HoldReason[] = ['inbox-down', 'inbox-unauthorised'];
/** A worker reads the control files often, not always. */
const PAUSE_GRACE_MS = 15_000;

/** What a worker has said of itself. */
export interface Spoken {
  readonly holds: Map<HoldReason, Hold>;
  stopping: boolean;
  turns: number;
}

export class TurnWatch {
  readonly #plan: Plan;
  readonly #disk: MemoryDisk;
  readonly #diskWatch: DiskWatch;
  readonly #record: Chronicle;
  readonly #troubles: Troubles;
  readonly #silenced = new Set<string>();
  /** By claim, kind and target: the most sends that one turn made and that were not refused. */
  readonly mostSends = new Map<string, number>();
  readonly #sends = new Map<string, number>();

  constructor(plan: Plan, disk: MemoryDisk, diskWatch: DiskWatch, record: Chronicle, troubles: Troubles) {
    this.#plan = plan;
    this.#disk = disk;
    this.#diskWatch = diskWatch;
    this.#record = record;
    this.#troubles = troubles;
  }

  /** Claims whose turn asked for silence. */
  get silenced(): ReadonlySet<string> {
    return this.#silenced;
  }

  begins(life: Life, spoken: Spoken, request: TurnRequest, session: SessionRecord, nth: number): PlayedTurn {
    const begun = this.#disk.turns.get(request.id)?.begun;
    const claim = begun && this.#disk.claims.get(begun.claimId);
    if (!claim) {
      this.#broken('no-mail-no-turn', `turn ${nth} is for nothing that the disk knows`);
      return { nth, claimId: '', conversation: '', wantsSilence: false };
    }
    const { id: claimId, conversation } = claim;
    const messages = [...this.#disk.messages.values()].filter((message) => message.claimId === claimId);
    this.#mayBegin(life, spoken, nth);
    if (claim.state !== 'open')
      this.#broken('no-mail-no-turn', `turn ${nth} is for a claim that is ${claim.state}`);
    if (messages.length === 0) this.#broken('no-mail-no-turn', `turn ${nth} is for a claim without messages`);
    if (claim.attempts >= this.#plan.setting.maxAttempts) {
      this.#broken('attempts', `turn ${nth} is for a claim that has had its ${claim.attempts} attempts`);
    }
    if (this.#disk.rows.some((row) => row.claimId === claimId && row.kind === 'reply')) {
      this.#broken('answered-once', `turn ${nth} asks for a reply that the outbox already holds`);
    }
    this.#privacy(request.prompt, conversation, session, nth);
    const continues = request.prompt.startsWith('Continue');
    if (continues && !session.claims.has(claimId)) {
      this.#broken('continue', `turn ${nth} continues in a session that never had its prompt`);
    }
    for (const { incoming } of messages) {
      const named = continues ? incoming.id : incoming.text;
      if (this.#plan.setting.delivery === 'inline' && !request.prompt.includes(named)) {
        this.#broken('prompt', `the prompt of turn ${nth} lacks ${incoming.id}`);
      }
    }
    return { nth, claimId, conversation, wantsSilence: false };
  }

  ended(turn: PlayedTurn, outcome: TurnOutcome): void {
    if (turn.wantsSilence) this.#silenced.add(turn.claimId);
    if (costsAttempt(outcome)) this.#diskWatch.charge(turn.claimId);
  }

  /** A tool call that sends: +1 when it is made, -1 when it was refused. */
  sends(turn: PlayedTurn, kind: 'reply' | 'interim' | 'other', to: string, change: 1 | -1): void {
    const key = `${turn.claimId} ${kind} ${to}`;
    const mine = `${key} ${turn.nth}`;
    this.#sends.set(mine, (this.#sends.get(mine) ?? 0) + change);
    const others = [...this.#sends].flatMap(([one, count]) => (one.startsWith(`${key} `) ? [count] : []));
    this.mostSends.set(key, Math.max(...others));
  }

  #mayBegin(life: Life, spoken: Spoken, nth: number): void {
    const { maxTurns } = this.#plan.setting;
    if (!this.#diskWatch.holdsLease(life.name)) this.#broken('lease', `turn ${nth} began without the lease`);
    if (spoken.stopping) this.#broken('quiet', `turn ${nth} began while stopping`);
    spoken.turns += 1;
    if (maxTurns !== 'unlimited' && spoken.turns > maxTurns) {
      this.#broken(
        'iteration-cap',
        `turn ${nth} is number ${spoken.turns} of a run that may have ${maxTurns}`,
      );
    }
    for (const hold of spoken.holds.values()) {
      if (LOOK_ONLY.includes(hold.reason) || (hold.until ?? Infinity) <= life.clock.now()) continue;
      this.#broken('hold', `turn ${nth} began in the hold ${hold.reason}`);
    }
    if (life.host === 'a' && this.#troubles.pausedMs > PAUSE_GRACE_MS) {
      this.#broken('paused', `turn ${nth} began after ${this.#troubles.pausedMs} ms of pause`);
    }
  }

  #privacy(prompt: string, conversation: string, session: SessionRecord, nth: number): void {
    const other = marksIn(prompt).find((mark) => mark !== conversation);
    if (other !== undefined) {
      this.#broken('privacy', `the prompt of turn ${nth} (${conversation}) has a text of ${other}`);
    }
    if (this.#plan.setting.session === 'continuous') return;
    const before = [...session.conversations].find((one) => one !== conversation);
    if (before !== undefined) {
      this.#broken('privacy', `turn ${nth} (${conversation}) runs in a session that remembers ${before}`);
    }
    if (
      this.#plan.setting.session === 'fresh' &&
      session.conversations.size > 0 &&
      !prompt.startsWith('Continue')
    ) {
      this.#broken('privacy', `turn ${nth} should have a fresh session`);
    }
  }

  #broken(invariant: string, text: string): void {
    this.#record.violate(invariant, text);
  }
}

/** Shutdown, a lost lease and what says nothing about the message are free. */
function costsAttempt(outcome: TurnOutcome): boolean {
  if (outcome.kind === 'interrupted') return false;
  if (outcome.kind !== 'failed') return true;
  return ['server-error', 'context-too-long', 'request-invalid', 'over-budget', 'unknown'].includes(
    outcome.failure,
  );
}
