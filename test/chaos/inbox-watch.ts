// Reads from the inbox's own database what the agent has sent, as it comes, and what it has not yet read.
import BetterSqlite3, { type Database } from 'better-sqlite3';

export interface Sent {
  readonly id: string;
  readonly to: string;
  readonly text: string;
}

interface Row extends Sent {
  readonly seq: number;
}

const EVERY_MS = 100;

export class InboxWatch {
  /** In the order in which the inbox took them. */
  readonly messages: Sent[] = [];
  readonly #db: Database;
  readonly #timer: NodeJS.Timeout;
  #waiters: (() => void)[] = [];
  #seq = 0;

  /** @param database the inbox's file; it must be there */
  constructor(database: string) {
    this.#db = new BetterSqlite3(database, { readonly: true, timeout: 5_000 });
    this.#timer = setInterval(() => this.look(), EVERY_MS);
  }

  /** Resolves when the agent has sent something more. */
  next(): Promise<void> {
    return new Promise((resolve) => this.#waiters.push(resolve));
  }

  look(): void {
    const rows = this.#db
      .prepare<[number], Row>(
        "SELECT seq, id, recipient AS 'to', body AS text FROM messages WHERE sender = '@agent' AND seq > ? ORDER BY seq",
      )
      .all(this.#seq);
    if (rows.length === 0) return;
    this.messages.push(...rows);
    this.#seq = rows.at(-1)?.seq ?? this.#seq;
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const resolve of waiters) resolve();
  }

  /** How many messages of the agent's are unread. */
  unread(): number {
    const count = this.#db.prepare<[], { unread: number }>(
      "SELECT count(*) AS unread FROM deliveries WHERE receiver = '@agent' AND read_at IS NULL",
    );
    return count.get()?.unread ?? 0;
  }

  close(): void {
    clearInterval(this.#timer);
    this.#db.close();
  }
}
