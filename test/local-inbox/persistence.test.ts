import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { connect, connectWith, startInbox, temporaryFolder } from './support.js';

describe('the database', () => {
  it('keeps keys, messages, read state, channels and idempotency keys over a restart', async () => {
    const databasePath = join(await temporaryFolder(), 'new', 'inbox.db');
    const first = await startInbox({ databasePath });
    const key = first.ensureAlias('@bob');
    first.ensureAlias('@alice');
    first.createChannel('#general', ['@alice', '@bob']);
    const post = { from: '@alice', to: '@bob', text: 'unread', idempotencyKey: 'k' };
    first.post({ from: '@alice', to: '@bob', text: 'read' });
    await (await connect(first, '@bob')).raw('read_messages');
    const sent = first.post(post);
    const keys = first.keys();
    await first.close();

    const second = await startInbox({ databasePath });
    expect(second.keys()).toEqual(keys);
    expect(second.ensureAlias('bob')).toBe(key);
    expect(second.post(post)).toMatchObject({ messageId: sent.messageId, repeated: true });
    const bob = await connectWith(second.url, key);
    expect(await bob.json('read_dm', { with: '@alice' })).toEqual({
      messages: [expect.objectContaining({ id: sent.messageId, text: 'unread' })],
    });
    expect(await bob.json('list_channels')).toMatchObject([{ name: '#general', members: ['@alice'] }]);
  });

  it('is readable by its owner only, because the keys are in it', async () => {
    const databasePath = join(await temporaryFolder(), 'inbox.db');
    await writeFile(databasePath, '', { mode: 0o644 });
    const inbox = await startInbox({ databasePath });
    inbox.ensureAlias('@bob');
    for (const suffix of ['', '-wal', '-shm']) {
      expect((await stat(databasePath + suffix)).mode & 0o777).toBe(0o600);
    }
  });

  it('of a newer program is left alone', async () => {
    const databasePath = join(await temporaryFolder(), 'inbox.db');
    await (await startInbox({ databasePath })).close();
    const db = new BetterSqlite3(databasePath);
    db.pragma('user_version = 99');
    db.close();
    await expect(startInbox({ databasePath })).rejects.toThrow(/version 99/);
  });
});

describe('aliases', () => {
  it('have one key each, of the documented form', async () => {
    const inbox = await startInbox();
    const key = inbox.ensureAlias('alice');
    expect(key).toMatch(/^agentdm_[0-9a-f]{48}$/);
    expect(inbox.ensureAlias('@alice', 'now described')).toBe(key);
    const other = inbox.ensureAlias('bob');
    expect(other).not.toBe(key);
    expect(inbox.keys()).toEqual({ '@alice': key, '@bob': other });
  });

  it('follow the documented rule', async () => {
    const inbox = await startInbox();
    for (const name of ['abc', 'a-1', `a${'b'.repeat(31)}`]) inbox.ensureAlias(name);
    for (const name of ['', 'ab', 'Abc', '-ab', 'ab-', 'a_b', 'a b', `a${'b'.repeat(32)}`, '#general']) {
      expect(() => inbox.ensureAlias(name), name).toThrow(/is not an alias/);
    }
    for (const name of ['admin', '@channel', 'system'])
      expect(() => inbox.ensureAlias(name)).toThrow(/reserved/);
  });

  it('are needed to post', async () => {
    const inbox = await startInbox();
    inbox.ensureAlias('@bob');
    expect(() => inbox.post({ from: '@nobody', to: '@bob', text: 'x' })).toThrow(/no alias @nobody/);
    expect(() => inbox.post({ from: '@bob', to: '@nobody', text: 'x' })).toThrow(/alias_not_found/);
  });
});
