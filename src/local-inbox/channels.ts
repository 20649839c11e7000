// Channels and who is in them.
import type { Database } from 'better-sqlite3';
import { aliasOf, channelOf } from './names.js';

type Channel = { name: string; description: string; members: string[] };

export type Channels = ReturnType<typeof createChannels>;

/** Names go in with or without `#` and `@`, and come out in their written form. */
export function createChannels(db: Database, clock: () => number) {
  const insert = db.prepare<[string, string, number]>(
    'INSERT INTO channels (name, description, created_at) VALUES (?, ?, ?) ON CONFLICT (name) DO NOTHING',
  );
  const describe = db.prepare<[string, string]>('UPDATE channels SET description = ? WHERE name = ?');
  const addMember = db.prepare<[string, string]>(
    'INSERT INTO channel_members (channel, alias) VALUES (?, ?) ON CONFLICT DO NOTHING',
  );
  const exists = db.prepare<[string], number>('SELECT 1 FROM channels WHERE name = ?').pluck();
  const hasAlias = db.prepare<[string], number>('SELECT 1 FROM aliases WHERE alias = ?').pluck();
  const members = db
    .prepare<[string], string>('SELECT alias FROM channel_members WHERE channel = ? ORDER BY alias')
    .pluck();
  const ofAlias = db.prepare<[string], { name: string; description: string }>(
    `SELECT c.name, c.description FROM channels c JOIN channel_members m ON m.channel = c.name
     WHERE m.alias = ? ORDER BY c.name`,
  );

  function join(name: string, alias: string): void {
    const channel = channelOf(name);
    const member = aliasOf(alias);
    if (!exists.get(channel)) throw new Error(`There is no channel ${channel}: create it first.`);
    if (!hasAlias.get(member))
      throw new Error(`There is no alias ${member}: create it before it joins ${channel}.`);
    addMember.run(channel, member);
  }

  return {
    join,

    /** Creates the channel where it is missing and adds the members, all of whom must exist. Throws otherwise. */
    create(name: string, aliases: readonly string[], description?: string): void {
      const channel = channelOf(name);
      db.transaction(() => {
        insert.run(channel, description ?? '', clock());
        if (description !== undefined) describe.run(description, channel);
        for (const alias of aliases) join(channel, alias);
      }).immediate();
    },

    /** The members, or nothing when there is no such channel. */
    members: (channel: string): string[] | undefined =>
      exists.get(channel) ? members.all(channel) : undefined,

    of: (alias: string): Channel[] =>
      ofAlias.all(alias).map((row) => ({ ...row, members: members.all(row.name) })),
  };
}
