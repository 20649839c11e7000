import { describe, expect, it } from 'vitest';
import { startPair } from './support.js';

const AT = Date.parse('2026-11-30T12:00:00.000Z');

type Dms = { dms: { with: string; unread: number; last_at: string }[] };
type Read = { messages: { id: string; from: string; text: string; at: string }[]; has_more?: true };
type Sent = { message_id: string };

describe('the dms vocabulary', () => {
  it('lists, reads once, and answers in the documented shapes', async () => {
    const { alice, bob } = await startPair({ clock: () => AT });
    const first = await alice.json<Sent>('send_dm', { to: '@bob', message: 'one' });
    await alice.json<Sent>('send_dm', { to: '@bob', message: 'two' });
    expect(first).toEqual({ message_id: expect.stringMatching(/^[0-9a-f-]{36}$/) });

    expect(await bob.json('list_dms')).toEqual({
      dms: [{ with: '@alice', unread: 2, last_at: '2026-11-30T12:00:00.000Z' }],
    });
    const read = await bob.json<Read>('read_dm', { with: '@alice' });
    expect(read).toEqual({
      messages: [
        { id: first.message_id, from: '@alice', text: 'one', at: '2026-11-30T12:00:00.000Z' },
        { id: expect.any(String), from: '@alice', text: 'two', at: '2026-11-30T12:00:00.000Z' },
      ],
    });
    expect(await bob.json('read_dm', { with: '@alice' })).toEqual({ messages: [] });
    expect(await bob.json('list_dms')).toEqual({
      dms: [expect.objectContaining({ with: '@alice', unread: 0 })],
    });
    expect(await alice.json('list_dms')).toEqual({ dms: [] });
  });

  it('gives the same object as structured content', async () => {
    const { alice, bob } = await startPair();
    await alice.raw('send_dm', { to: '@bob', message: 'hello' });
    for (const [tool, args] of [
      ['list_dms', {}],
      ['read_dm', { with: '@alice', mark_read: false }],
      ['ack_dm', { ids: ['none'] }],
      ['send_dm', { to: '@alice', message: 'hello' }],
    ] as const) {
      const result = await bob.raw(tool, args);
      expect(result.content).toEqual([{ type: 'text', text: JSON.stringify(result.structuredContent) }]);
    }
  });

  it('leaves messages unread with mark_read false, until they are acknowledged', async () => {
    const { alice, bob } = await startPair();
    const sent = await alice.json<Sent>('send_dm', { to: '@bob', message: 'keep me' });
    for (let times = 0; times < 2; times += 1) {
      const peeked = await bob.json<Read>('read_dm', { with: '@alice', mark_read: false });
      expect(peeked.messages.map((message) => message.id)).toEqual([sent.message_id]);
    }
    const ids = [sent.message_id, 'not-an-id'];
    expect(await bob.json('ack_dm', { ids })).toEqual({ acknowledged: [sent.message_id] });
    expect(await bob.json('ack_dm', { ids })).toEqual({ acknowledged: [sent.message_id] });
    expect(await bob.json('read_dm', { with: '@alice' })).toEqual({ messages: [] });
  });

  it('does not let one acknowledge what is in the inbox of another', async () => {
    const { alice, bob } = await startPair();
    const sent = await alice.json<Sent>('send_dm', { to: '@bob', message: 'for bob' });
    expect(await alice.json('ack_dm', { ids: [sent.message_id] })).toEqual({ acknowledged: [] });
    expect((await bob.json<Dms>('list_dms')).dms[0]?.unread).toBe(1);
  });

  it('sends once for one idempotency key of one sender', async () => {
    const { alice, bob } = await startPair();
    const send = { to: '@bob', message: 'once', idempotency_key: 'k1' };
    const first = await alice.json<Sent>('send_dm', send);
    expect(await alice.json('send_dm', { ...send, message: 'changed' })).toEqual(first);
    const both = await Promise.all(
      [1, 2, 3].map(() => alice.json<Sent>('send_dm', { ...send, idempotency_key: 'k2' })),
    );
    expect(new Set(both.map((answer) => answer.message_id)).size).toBe(1);
    expect(both[0]).not.toEqual(first);
    // The key is the sender's own: another's use of it is another message.
    const theirs = await bob.json<Sent>('send_dm', { to: '@alice', message: 'mine', idempotency_key: 'k1' });
    expect(theirs).not.toEqual(first);

    const read = await bob.json<Read>('read_dm', { with: '@alice' });
    expect(read.messages.map((message) => message.text)).toEqual(['once', 'once']);
  });

  it('reads in order, by pages, and says when there is more', async () => {
    const { inbox, bob } = await startPair({ pageSize: 2 });
    for (const text of ['1', '2', '3']) inbox.post({ from: '@alice', to: '@bob', text });
    const first = await bob.json<Read>('read_dm', { with: '@alice' });
    expect(first.messages.map((message) => message.text)).toEqual(['1', '2']);
    expect(first.has_more).toBe(true);
    const second = await bob.json<Read>('read_dm', { with: '@alice' });
    expect(second).toEqual({ messages: [expect.objectContaining({ text: '3' })] });
  });

  it('keeps order when the clock goes backwards, in both vocabularies', async () => {
    let now = AT;
    const { inbox, bob } = await startPair({ clock: () => now });
    const texts = ['1', '2', '3'];
    for (const text of texts) {
      inbox.post({ from: '@alice', to: '@bob', text });
      now -= 60_000;
    }
    const peeked = await bob.json<Read>('read_dm', { with: '@alice', mark_read: false });
    expect(peeked.messages.map((message) => message.text)).toEqual(texts);
    const taken = await bob.json<{ messages: { message: string }[] }>('read_messages');
    expect(taken.messages.map((row) => row.message)).toEqual(texts);
  });

  it('lists every conversation with unread messages, and only the latest of the others', async () => {
    const { inbox, bob } = await startPair({ pageSize: 2 });
    for (const name of ['@unread', '@read1', '@read2', '@read3']) {
      inbox.ensureAlias(name);
      inbox.post({ from: name, to: '@bob', text: 'hi' });
      if (name !== '@unread') await bob.raw('read_dm', { with: name });
    }
    expect((await bob.json<Dms>('list_dms')).dms.map((dm) => [dm.with, dm.unread])).toEqual([
      ['@read3', 0],
      ['@read2', 0],
      ['@unread', 1],
    ]);
  });

  it('takes names without their sign', async () => {
    const { alice, bob } = await startPair();
    await alice.json('send_dm', { to: 'bob', message: 'hi' });
    expect((await bob.json<Read>('read_dm', { with: ' alice ' })).messages).toHaveLength(1);
  });

  it('refuses with codes', async () => {
    const { alice } = await startPair();
    const send = (args: Record<string, unknown>) => alice.refusal('send_dm', { message: 'x', ...args });
    expect(await send({ to: '@nobody' })).toBe('alias_not_found');
    expect(await send({ to: '@alice' })).toBe('self_message');
    expect(await send({ to: '@Bob!' })).toBe('invalid_alias');
    expect(await send({ to: '#nowhere' })).toBe('channel_not_found');
    expect(await send({ to: '@bob', message: ' ' })).toBe('empty_message');
    expect(await send({ to: '@bob', message: 'x'.repeat(10_001) })).toBe('message_too_long');
    expect(await send({})).toBe('invalid_arguments');
    expect(await alice.refusal('read_dm', { with: '' })).toBe('invalid_alias');
    expect(await alice.refusal('ack_dm', { ids: [] })).toBe('invalid_arguments');
    await alice.json('send_dm', { to: '@bob', message: 'x'.repeat(10_000) });
  });
});
