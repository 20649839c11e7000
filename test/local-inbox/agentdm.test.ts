import { describe, expect, it } from 'vitest';
import { startPair } from './support.js';

const AT = Date.parse('2026-11-30T12:00:00.000Z');

type Row = { message_id: string; message: string };
type Page = { messages: Row[]; has_more: boolean };
type Sent = { message_id: string; timestamp: string };

describe('the agentdm vocabulary', () => {
  it('sends, reads once, and says so in a sentence when there is nothing', async () => {
    const { alice, bob } = await startPair({ clock: () => AT });
    const sent = await alice.json<Sent>('send_message', { to: '@bob', message: 'hello' });
    expect(sent).toEqual({ message_id: expect.any(String), timestamp: '2026-11-30T12:00:00.000Z' });
    expect(await bob.json('read_messages')).toEqual({
      messages: [
        {
          message_id: sent.message_id,
          channel: 'direct',
          user: '@alice',
          type: 'agent',
          message: 'hello',
          reply_to: '@alice',
        },
      ],
      has_more: false,
    });
    expect(await bob.text('read_messages')).toBe('No new messages.');
    expect((await bob.raw('read_messages')).structuredContent).toBeUndefined();
  });

  it('gives 50 messages a call, in order, each once', async () => {
    const { inbox, bob } = await startPair();
    const texts = Array.from({ length: 120 }, (_, index) => String(index));
    for (const text of texts) inbox.post({ from: '@alice', to: '@bob', text });
    const pages = [
      await bob.json<Page>('read_messages'),
      await bob.json<Page>('read_messages'),
      await bob.json<Page>('read_messages'),
    ];
    expect(pages.map((page) => [page.messages.length, page.has_more])).toEqual([
      [50, true],
      [50, true],
      [20, false],
    ]);
    expect(pages.flatMap((page) => page.messages.map((message) => message.message))).toEqual(texts);
    expect(await bob.text('read_messages')).toBe('No new messages.');
  });

  it('never gives one message to two readers', async () => {
    const { inbox, bob } = await startPair({ pageSize: 3 });
    for (let index = 0; index < 30; index += 1)
      inbox.post({ from: '@alice', to: '@bob', text: String(index) });
    const pages = await Promise.all(Array.from({ length: 10 }, () => bob.json<Page>('read_messages')));
    const ids = pages.flatMap((page) => page.messages.map((message) => message.message_id));
    expect(new Set(ids).size).toBe(30);
  });

  it('answers in the older documented shapes on request', async () => {
    const row = { message_id: expect.any(String), channel: 'direct', user: '@alice', type: 'agent' };
    const one = { ...row, message: '1', reply_to: '@alice' };
    const two = { ...row, message: '2', reply_to: '@alice' };
    const { reply_to: _1, ...oneOfOld } = one;
    const { reply_to: _2, ...twoOfOld } = two;
    const answers = {
      has_more: [{ messages: [one, two], has_more: false }],
      hasMore: [{ messages: [one, two], hasMore: false }],
      array: [[oneOfOld, twoOfOld]],
      object: [one, two],
    };
    for (const readShape of ['has_more', 'hasMore', 'array', 'object'] as const) {
      const { inbox, bob } = await startPair({ readShape });
      for (const text of ['1', '2']) inbox.post({ from: '@alice', to: '@bob', text });
      for (const answer of answers[readShape]) expect(await bob.json('read_messages')).toEqual(answer);
      expect(await bob.text('read_messages')).toBe('No new messages.');
    }
  });

  it('tells the sender, and only the sender, who has read a message', async () => {
    const { alice, bob } = await startPair({ clock: () => AT });
    const { message_id } = await alice.json<Sent>('send_message', { to: '@bob', message: 'hello' });
    const status = { message_id, sent_at: '2026-11-30T12:00:00.000Z', recipient: '@bob' };
    expect(await alice.json('message_status', { message_id })).toEqual({ ...status, read_by: [] });
    await bob.raw('read_messages');
    expect(await alice.json('message_status', { message_id })).toEqual({
      ...status,
      read_by: [{ alias: '@bob', read_at: '2026-11-30T12:00:00.000Z' }],
    });
    expect(await bob.refusal('message_status', { message_id })).toBe('message_not_found');
  });

  it('shares read state with the dms vocabulary, both ways', async () => {
    const { inbox, bob } = await startPair();
    inbox.post({ from: '@alice', to: '@bob', text: '1' });
    await bob.raw('read_messages');
    expect(await bob.json('read_dm', { with: '@alice' })).toEqual({ messages: [] });
    inbox.post({ from: '@alice', to: '@bob', text: '2' });
    await bob.raw('read_dm', { with: '@alice' });
    expect(await bob.text('read_messages')).toBe('No new messages.');
  });

  it('lists agents with what they say of themselves, and shows it beside their messages', async () => {
    const { inbox, alice, bob } = await startPair();
    expect(await alice.text('list_skills')).toBe('No skills.');
    inbox.ensureAlias('@bob', 'Knows the weather');
    const skills = [{ name: 'weather', description: 'weather' }];
    expect(await bob.json('set_skills', { skills: ['weather', 'weather'] })).toEqual({ skills });
    const agent = { alias: '@bob', description: 'Knows the weather', visibility: 'public', skills };
    expect(await alice.json('list_agents')).toEqual([agent]);
    expect(await alice.json('list_agents', { search: 'WEATHER', public: true })).toEqual([agent]);
    expect(await alice.text('list_agents', { search: 'cooking' })).toBe('No agents found.');
    expect(await alice.json('list_skills', { agent: '@bob' })).toEqual(skills);
    expect(await alice.refusal('list_skills', { agent: '@nobody' })).toBe('alias_not_found');

    await bob.raw('send_message', { to: '@alice', message: 'sunny' });
    expect(await alice.json('read_messages')).toEqual({
      messages: [expect.objectContaining({ senderDescription: 'Knows the weather', senderSkills: skills })],
      has_more: false,
    });
  });

  it('marks notices of the system as such', async () => {
    const { inbox, bob } = await startPair();
    inbox.post({ from: '@system', to: '@bob', text: 'maintenance at noon' });
    expect(await bob.json('read_messages')).toEqual({
      messages: [expect.objectContaining({ user: '@system', type: 'system', reply_to: '@system' })],
      has_more: false,
    });
  });

  it('refuses with the documented error object', async () => {
    const { alice } = await startPair();
    const result = await alice.raw('send_message', { to: '@nobody', message: 'x' });
    expect(result.isError).toBe(true);
    expect(result.content).toEqual([
      {
        type: 'text',
        text: JSON.stringify({ error: { code: 'alias_not_found', message: 'There is no agent @nobody.' } }),
      },
    ]);
    expect(await alice.refusal('send_message', { to: 'bob', message: 'x' })).toBe('invalid_alias');
    expect(await alice.refusal('send_message', { to: '@alice', message: 'x' })).toBe('self_message');
    expect(await alice.refusal('send_message', { to: '@bob', message: 'x'.repeat(10_001) })).toBe(
      'message_too_long',
    );
    expect(await alice.refusal('send_message', { to: '@bob' })).toBe('invalid_arguments');
  });
});
