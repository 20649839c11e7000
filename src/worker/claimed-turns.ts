// Several open claims behind one set of tools: what `pull_scope: all` shows to one turn.
import type { DmPiece, DmSummary, OpenTurn, Refused, SendRequest } from '../ports/turns.js';
import type { ClaimedTurn } from './claimed-turn.js';

type Accepted = { kind: 'accepted'; messageId: string; repeated: boolean };

/** Each call goes to the claim whose conversation it names, so that each is settled by its own sends. */
export class ClaimedTurns implements OpenTurn {
  readonly #turns: readonly ClaimedTurn[];

  constructor(turns: readonly ClaimedTurn[]) {
    this.#turns = turns;
  }

  /** Silence means all that were not answered: the tool names no conversation. */
  get noReplyCalled(): boolean {
    return this.#turns.some((turn) => turn.noReplyCalled);
  }

  get taskDoneCalled(): boolean {
    return this.#turns.some((turn) => turn.taskDoneCalled);
  }

  async list(): Promise<DmSummary[]> {
    return (await Promise.all(this.#turns.map((turn) => turn.list()))).flat();
  }

  async read(request: {
    with: string;
    id?: string | undefined;
    offset?: number | undefined;
  }): Promise<{ kind: 'messages'; messages: DmPiece[] } | Refused> {
    return this.#of(request.with).read(request);
  }

  async send(request: SendRequest): Promise<Accepted | Refused> {
    return this.#of(request.to).send(request);
  }

  async noReply(): Promise<{ kind: 'noted' }> {
    for (const turn of this.#turns) await turn.noReply();
    return { kind: 'noted' };
  }

  async taskDone(): Promise<{ kind: 'noted' }> {
    for (const turn of this.#turns) await turn.taskDone();
    return { kind: 'noted' };
  }

  async close(): Promise<void> {
    await Promise.all(this.#turns.map((turn) => turn.close()));
  }

  /** The claim of that conversation; for a name that has none, the first one refuses or sends as it may. */
  #of(name: string): ClaimedTurn {
    const found = this.#turns.find((turn) => turn.covers(name)) ?? this.#turns[0];
    if (!found) throw new Error('a turn without a claim');
    return found;
  }
}
