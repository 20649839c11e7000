// Watches the turns: each has mail, the right to begin, and nothing of anybody else in its prompt or its session.
import type { Hold, HoldReason } from '../../src/domain/hold.js';
import { relinkMentions } from '../../src/domain/mention.js';
import type { SendKind } from '../../src/domain/outbox.js';
import type { TurnOutcome } from '../../src/domain/turn.js';
import type { TurnRequest } from '../../src/ports/agent.js';
import type { ClaimRecord, MemoryDisk } from '../support/memory-disk.js';
import type { Chronicle } from './chronicle.js';
import type { DiskWatch } from './disk-watch.js';
import { FailureWatch } from './failure-watch.js';
import { marksIn } from './inbox-server.js';
import type { Life } from './life.js';
import type { Setting } from './plan.js';
import type { PlayedTurn } from './play-turn.js';
import type { SessionRecord } from './sim-agent.js';
import { SpendWatch } from './spend-watch.js';
import type { Troubles } from './troubles.js';

/** Holds that only keep a worker from looking. */
const LOOK_ONLY: readonly HoldReason[] = ['inbox-down', 'inbox-unauthorised'];
/** A worker reads the control files before every turn. */
const PAUSE_GRACE_MS = 1_000;

/** What a worker has said of itself. */
export interface Spoken {
  readonly holds: Map<HoldReason, Hold>;
  readonly startedAt: number;
  stopping: boolean;
  turns: number;
  /** A limit that its own turn ran into ends then. */
  notBefore: number | undefined;
}

export class TurnWatch {
  /** Claims whose turn asked for silence. */
  readonly silenced = new Set<string>();
  /** By claim, kind and target: the most sends that one turn made and that were not refused. */
  readonly mostSends = new Map<string, number>();
  readonly failures: FailureWatch;
  readonly #setting: Setting;
  readonly #disk: MemoryDisk;
  readonly #diskWatch: DiskWatch;
  readonly #record: Chronicle;
  readonly #troubles: Troubles;
  readonly #spend: SpendWatch;
  readonly #sends = new Map<string, number>();

  constructor(
    setting: Setting,
    disk: MemoryDisk,
    diskWatch: DiskWatch,
    record: Chronicle,
    troubles: Troubles,
  ) {
    this.#setting = setting;
    this.#disk = disk;
    this.#diskWatch = diskWatch;
    this.#record = record;
    this.#troubles = troubles;
    this.failures = new FailureWatch(disk, diskWatch, record);
    this.#spend = new SpendWatch(disk, record, setting);
  }

  begins(life: Life, spoken: Spoken, request: TurnRequest, session: SessionRecord, nth: number): PlayedTurn {
    const open = [...this.#disk.claims.values()].filter((claim) => claim.state === 'open');
    const first = this.#disk.turns.get(request.id)?.begun.claimId;
    const claims = open.toSorted((a, b) => Number(b.id === first) - Number(a.id === first));
    if (claims.length === 0 || claims[0]?.id !== first) {
      this.#broken(
        'no-mail-no-turn',
        `turn ${nth} is for claim ${first}, open are ${open.map(({ id }) => id)}`,
      );
    }
    this.#mayBegin(life, spoken, nth);
    for (const claim of claims) {
      this.failures.begins(life, spoken, claim, session, nth);
      this.#spend.begins(claim, life.clock.now(), spoken.startedAt, nth);
      this.#mail(claim, relinkMentions(request.prompt), session, nth);
    }
    const conversation = claims[0]?.conversation ?? '';
    this.#privacy(request.prompt, conversation, session, nth);
    return { nth, claims, conversation, wantsSilence: false, taskDone: false };
  }

  ended(life: Life, spoken: Spoken, turn: PlayedTurn, outcome: TurnOutcome): void {
    if (turn.wantsSilence) for (const { id } of turn.claims) this.silenced.add(id);
    this.failures.ended(life, spoken, turn, outcome);
  }

  failedToBegin(request: TurnRequest): void {
    for (const claim of this.#disk.claims.values()) {
      if (claim.state === 'open' && this.#disk.turns.has(request.id)) this.failures.failedToBegin(claim.id);
    }
  }

  /** A tool call that sends: +1 when it is made, -1 when it was refused. */
  sends(turn: PlayedTurn, kind: SendKind, to: string, change: 1 | -1): void {
    const own = turn.claims.find(({ conversation }) => conversation === to) ?? turn.claims[0];
    const key = `${own?.id} ${kind} ${to}`;
    const mine = `${key} ${turn.nth}`;
    this.#sends.set(mine, (this.#sends.get(mine) ?? 0) + change);
    const others = [...this.#sends].flatMap(([one, count]) => (one.startsWith(`${key} `) ? [count] : []));
    this.mostSends.set(key, Math.max(...others));
  }

  #mail(claim: ClaimRecord, prompt: string, session: SessionRecord, nth: number): void {
    const messages = [...this.#disk.messages.values()].filter((message) => message.claimId === claim.id);
    if (messages.length === 0) this.#broken('no-mail-no-turn', `turn ${nth} is for a claim without messages`);
    if (claim.attempts >= this.#setting.maxAttempts) {
      this.#broken('attempts', `turn ${nth} is for a claim that has had its ${claim.attempts} attempts`);
    }
    if (this.#disk.rows.some((row) => row.claimId === claim.id && row.kind === 'reply')) {
      this.#broken('answered-once', `turn ${nth} asks for a reply that the outbox already holds`);
    }
    const continues = prompt.startsWith('Continue');
    if (continues && !session.claims.has(claim.id)) {
      this.#broken('continue', `turn ${nth} continues in a session that never had its prompt`);
    }
    if (this.#setting.delivery !== 'inline') return;
    for (const { incoming } of messages) {
      if (prompt.includes(continues ? incoming.id : incoming.text)) continue;
      this.#broken('prompt', `the prompt of turn ${nth} lacks ${incoming.id}`);
    }
  }

  #mayBegin(life: Life, spoken: Spoken, nth: number): void {
    const { maxTurns } = this.#setting;
    if (!this.#diskWatch.holdsLease(life.name)) this.#broken('lease', `turn ${nth} began without the lease`);
    if (spoken.stopping) this.#broken('quiet', `turn ${nth} began while stopping`);
    spoken.turns += 1;
    if (maxTurns !== 'unlimited' && spoken.turns > maxTurns) {
      this.#broken('iteration-cap', `turn ${nth} is number ${spoken.turns} of a run of ${maxTurns}`);
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
    const { session: kind, delivery, pullScope } = this.#setting;
    const other = marksIn(prompt).find((mark) => mark !== conversation);
    if (other !== undefined) {
      this.#broken('privacy', `the prompt of turn ${nth} (${conversation}) has a text of ${other}`);
    }
    const isNew = session.conversations.size === 0 || prompt.startsWith('Continue');
    if (kind === 'fresh' && !isNew) this.#broken('privacy', `turn ${nth} should have a fresh session`);
    if (kind === 'continuous' || (delivery === 'pull' && pullScope === 'all')) return;
    const before = [...session.conversations].find((one) => one !== conversation);
    if (before !== undefined) {
      this.#broken('privacy', `turn ${nth} (${conversation}) runs in a session that remembers ${before}`);
    }
  }

  #broken(invariant: string, text: string): void {
    this.#record.violate(invariant, text);
  }
}
