// The desk: which Claude process may act on which open turn. Calls outside an open turn are refused.
import type { Ids } from '../ports/ids.js';
import type { OpenTurn, Turns } from '../ports/turns.js';

export class Desk implements Turns {
  readonly #ids: Ids;
  readonly #slotOf = new Map<string, number>();
  readonly #open = new Map<number, OpenTurn>();

  constructor(ids: Ids) {
    this.#ids = ids;
  }

  /** A token for one Claude process of this slot. */
  issueToken(slot: number): string {
    const token = this.#ids.word() + this.#ids.word();
    this.#slotOf.set(token, slot);
    return token;
  }

  /** From now on the process that holds it is a stranger. Called before it is replaced. */
  revokeToken(token: string): void {
    this.#slotOf.delete(token);
  }

  open(slot: number, turn: OpenTurn): void {
    this.#open.set(slot, turn);
  }

  close(slot: number): void {
    this.#open.delete(slot);
  }

  of(token: string): OpenTurn | 'closed' | 'unknown' {
    const slot = this.#slotOf.get(token);
    return slot === undefined ? 'unknown' : (this.#open.get(slot) ?? 'closed');
  }
}
