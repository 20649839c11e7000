// The tables of the embedded inbox, and their migrations by SQLite's user_version.
import type { Database } from 'better-sqlite3';

// Addresses are stored as written (@alias, #channel); instants are epoch milliseconds.
//
// Keys are stored in plain, not hashed: this is a server for one person's machine, and its command must be able to
// show the keys again and write them into ready-made entries. The file is created with mode 0600 instead.
//
// One row of `deliveries` is one message in one receiver's inbox. `read_at` is the only read state there is: both
// vocabularies set it, so a message read by one is read for the other.
const FIRST = `
  CREATE TABLE aliases (
    alias TEXT PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    description TEXT NOT NULL DEFAULT '',
    skills TEXT NOT NULL DEFAULT '[]',
    created_at INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE channels (
    name TEXT PRIMARY KEY,
    description TEXT NOT NULL DEFAULT '',
    created_at INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE channel_members (
    channel TEXT NOT NULL REFERENCES channels (name),
    alias TEXT NOT NULL REFERENCES aliases (alias),
    PRIMARY KEY (channel, alias)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE messages (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    sender TEXT NOT NULL,
    recipient TEXT NOT NULL,
    body TEXT NOT NULL,
    reply_to TEXT,
    sent_at INTEGER NOT NULL,
    idempotency_key TEXT
  ) STRICT;
  CREATE UNIQUE INDEX messages_by_idempotency_key ON messages (sender, idempotency_key)
    WHERE idempotency_key IS NOT NULL;
  CREATE TABLE deliveries (
    receiver TEXT NOT NULL,
    seq INTEGER NOT NULL REFERENCES messages (seq),
    conversation TEXT NOT NULL,
    read_at INTEGER,
    PRIMARY KEY (receiver, seq)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX deliveries_by_message ON deliveries (seq);
  CREATE INDEX unread ON deliveries (receiver, seq) WHERE read_at IS NULL;
  CREATE INDEX unread_of_conversation ON deliveries (receiver, conversation, seq) WHERE read_at IS NULL;
  -- Only what an index over all deliveries would make slow: a look must stay cheap in an old, large inbox.
  CREATE TABLE conversations (
    receiver TEXT NOT NULL,
    conversation TEXT NOT NULL,
    last_seq INTEGER NOT NULL,
    last_at INTEGER NOT NULL,
    PRIMARY KEY (receiver, conversation)
  ) STRICT, WITHOUT ROWID;
`;

const MIGRATIONS: readonly string[] = [FIRST];

/** Brings the database to the newest schema. Throws when a newer version of this program wrote it. */
export function migrate(db: Database): void {
  // Immediate: two programs that open one new file must not both create the tables.
  db.transaction(() => {
    const version = Number(db.pragma('user_version', { simple: true }));
    if (version > MIGRATIONS.length) {
      throw new Error(
        `The inbox database has version ${version}, this program knows ${MIGRATIONS.length}: use the newer program, or another database file.`,
      );
    }
    for (const sql of MIGRATIONS.slice(version)) db.exec(sql);
    db.pragma(`user_version = ${MIGRATIONS.length}`);
  }).immediate();
}
