// The store: messages, whose inbox each is in, and what has been read.
import { randomUUID } from 'node:crypto';
import type { Database } from 'better-sqlite3';

/** A message to be stored. `receivers` are the inboxes it goes to, `recipient` the address it was sent to. */
type NewMessage = {
  sender: string;
  recipient: string;
  /** What a receiver knows the conversation by: the sender of a direct message, else the channel. */
  conversation: string;
  receivers: readonly string[];
  body: string;
  replyTo: string | undefined;
  idempotencyKey: string | undefined;
};

export type Stored = { id: string; sentAt: number };
/** A message as it lies in a receiver's inbox. */
export type Received = Stored & { sender: string; conversation: string; body: string };
type Conversation = { with: string; unread: number; lastAt: number };
type Status = Stored & { recipient: string; readBy: { alias: string; readAt: number }[] };

export type Messages = ReturnType<typeof createMessages>;

const RECEIVED = `SELECT m.id, m.sent_at AS sentAt, m.sender, d.conversation, m.body
  FROM deliveries d JOIN messages m ON m.seq = d.seq WHERE d.receiver = ? AND d.read_at IS NULL`;

/**
 * The order of a receiver's inbox is the order in which the messages were committed (`seq`), whatever the clock says.
 * Every method is one transaction: two clients that read at the same time never get the same message twice.
 */
export function createMessages(db: Database, clock: () => number) {
  const byKey = db.prepare<[string, string], Stored>(
    'SELECT id, sent_at AS sentAt FROM messages WHERE sender = ? AND idempotency_key = ?',
  );
  const insertMessage = db.prepare<[string, string, string, string, string | null, number, string | null]>(
    'INSERT INTO messages (id, sender, recipient, body, reply_to, sent_at, idempotency_key) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  const insertDelivery = db.prepare<[string, number, string]>(
    'INSERT INTO deliveries (receiver, seq, conversation) VALUES (?, ?, ?)',
  );
  const touchConversation = db.prepare<[string, string, number, number]>(
    `INSERT INTO conversations (receiver, conversation, last_seq, last_at) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET last_seq = excluded.last_seq, last_at = excluded.last_at`,
  );
  const unread = db.prepare<[string, number], Received>(`${RECEIVED} ORDER BY d.seq LIMIT ?`);
  const unreadOf = db.prepare<[string, string, number], Received>(
    `${RECEIVED} AND d.conversation = ? ORDER BY d.seq LIMIT ?`,
  );
  const markRead = db.prepare<[number, string, string]>(
    `UPDATE deliveries SET read_at = ? WHERE read_at IS NULL AND receiver = ?
     AND seq = (SELECT seq FROM messages WHERE id = ?)`,
  );
  const isReceived = db
    .prepare<[string, string], number>(
      'SELECT 1 FROM deliveries d JOIN messages m ON m.seq = d.seq WHERE d.receiver = ? AND m.id = ?',
    )
    .pluck();
  const conversations = db.prepare<[{ receiver: string; others: number }], Conversation>(
    `SELECT with_ AS "with", unread, last_at AS lastAt FROM (
       SELECT c.conversation AS with_, c.last_seq, c.last_at, (
         SELECT count(*) FROM deliveries d
         WHERE d.receiver = c.receiver AND d.conversation = c.conversation AND d.read_at IS NULL
       ) AS unread
       FROM conversations c WHERE c.receiver = @receiver
     )
     WHERE unread > 0 OR last_seq IN (
       SELECT last_seq FROM conversations WHERE receiver = @receiver ORDER BY last_seq DESC LIMIT @others
     )
     ORDER BY last_seq DESC`,
  );
  const sentBy = db.prepare<[string, string], Stored & { recipient: string; seq: number }>(
    'SELECT id, sent_at AS sentAt, recipient, seq FROM messages WHERE sender = ? AND id = ?',
  );
  const readers = db.prepare<[number], { alias: string; readAt: number }>(
    'SELECT receiver AS alias, read_at AS readAt FROM deliveries WHERE seq = ? AND read_at IS NOT NULL ORDER BY read_at, receiver',
  );

  /** Runs a query that asks for one row more than a page, and tells whether that row was there. */
  function page(size: number, query: (limit: number) => Received[]): { messages: Received[]; more: boolean } {
    const rows = query(size + 1);
    return { messages: rows.slice(0, size), more: rows.length > size };
  }

  function acknowledge(receiver: string, ids: readonly string[]): void {
    const at = clock();
    for (const id of ids) markRead.run(at, receiver, id);
  }

  return {
    /** The first answer that a sender got for this key, if it was used before. */
    byIdempotencyKey: (sender: string, key: string): Stored | undefined => byKey.get(sender, key),

    /** Commits a message and its deliveries, unread. A used idempotency key throws: ask `byIdempotencyKey` first. */
    add(message: NewMessage): Stored {
      const stored = { id: randomUUID(), sentAt: clock() };
      db.transaction(() => {
        const { sender, recipient, conversation, body, replyTo, idempotencyKey } = message;
        const { lastInsertRowid } = insertMessage.run(
          stored.id,
          sender,
          recipient,
          body,
          replyTo ?? null,
          stored.sentAt,
          idempotencyKey ?? null,
        );
        const seq = Number(lastInsertRowid);
        for (const receiver of message.receivers) {
          insertDelivery.run(receiver, seq, conversation);
          touchConversation.run(receiver, conversation, seq, stored.sentAt);
        }
      }).immediate();
      return stored;
    },

    /** The oldest unread messages of all conversations, marked as read in the same transaction. */
    take(receiver: string, size: number): { messages: Received[]; more: boolean } {
      return db
        .transaction(() => {
          const taken = page(size, (limit) => unread.all(receiver, limit));
          acknowledge(
            receiver,
            taken.messages.map((message) => message.id),
          );
          return taken;
        })
        .immediate();
    },

    /** The oldest unread messages of one conversation; `mark` marks them as read in the same transaction. */
    read(receiver: string, conversation: string, size: number, mark: boolean) {
      return db
        .transaction(() => {
          const found = page(size, (limit) => unreadOf.all(receiver, conversation, limit));
          if (mark) {
            acknowledge(
              receiver,
              found.messages.map((message) => message.id),
            );
          }
          return found;
        })
        .immediate();
    },

    /** Marks messages as read. Returns those of the ids that are in the receiver's inbox; repeating it changes nothing. */
    acknowledge(receiver: string, ids: readonly string[]): string[] {
      return db
        .transaction(() => {
          acknowledge(receiver, ids);
          return ids.filter((id) => isReceived.get(receiver, id) !== undefined);
        })
        .immediate();
    },

    /** Every conversation with unread messages, and the latest `others` without; the newest first. */
    conversations: (receiver: string, others: number): Conversation[] =>
      conversations.all({ receiver, others }),

    /** What became of a message that `sender` sent; nothing when they did not send it. */
    status(sender: string, id: string): Status | undefined {
      const found = sentBy.get(sender, id);
      if (!found) return undefined;
      const { seq, ...message } = found;
      return { ...message, readBy: readers.all(seq) };
    },
  };
}
