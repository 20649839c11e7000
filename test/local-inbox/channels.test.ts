import { describe, expect, it } from 'vitest';
import { connect, startPair } from './support.js';

describe('channels', () => {
  it('bring a message to every other member, with the channel to reply to', async () => {
    const { inbox, alice, bob } = await startPair();
    const carol = await connect(inbox, '@carol');
    inbox.createChannel('#general', ['@alice', '@bob'], 'All things');
    inbox.joinChannel('general', 'carol');

    const { message_id } = await alice.json<{ message_id: string }>('send_message', {
      to: '#general',
      message: 'hi',
    });
    const row = { message_id, channel: '#general', user: '@alice', message: 'hi', reply_to: '#general' };
    expect(await bob.json('read_messages')).toEqual({
      messages: [expect.objectContaining(row)],
      has_more: false,
    });
    expect(await carol.json('list_dms')).toEqual({
      dms: [expect.objectContaining({ with: '#general', unread: 1 })],
    });
    expect(await carol.json('read_dm', { with: '#general' })).toEqual({
      messages: [expect.objectContaining({ id: message_id, from: '@alice', text: 'hi' })],
    });
    expect(await alice.text('read_messages')).toBe('No new messages.');

    const status = await alice.json<{ recipient: string; read_by: { alias: string }[] }>('message_status', {
      message_id,
    });
    expect(status.recipient).toBe('#general');
    expect(status.read_by.map((reader) => reader.alias).sort()).toEqual(['@bob', '@carol']);
  });

  it('are listed with their other members', async () => {
    const { inbox, alice } = await startPair();
    expect(await alice.text('list_channels')).toBe('No channels.');
    inbox.createChannel('#general', ['@alice', '@bob'], 'All things');
    expect(await alice.json('list_channels')).toEqual([
      { name: '#general', description: 'All things', members: ['@bob'] },
    ]);
  });

  it('take messages only where they exist, and only from members', async () => {
    const { inbox, alice, bob } = await startPair();
    inbox.createChannel('#private', ['@alice']);
    expect(await bob.refusal('send_message', { to: '#private', message: 'let me in' })).toBe(
      'not_channel_member',
    );
    expect(await bob.refusal('send_dm', { to: '#private', message: 'let me in' })).toBe('not_channel_member');
    expect(await bob.refusal('send_message', { to: '#nowhere', message: 'x' })).toBe('channel_not_found');
    expect(await alice.text('read_messages')).toBe('No new messages.');
  });

  it('are not made with members who do not exist', async () => {
    const { inbox, alice } = await startPair();
    expect(() => inbox.createChannel('#general', ['@alice', '@nobody'])).toThrow(/no alias @nobody/);
    expect(await alice.text('list_channels')).toBe('No channels.');
    expect(() => inbox.joinChannel('#nowhere', '@alice')).toThrow(/no channel #nowhere/);
    expect(() => inbox.createChannel('#No Name', [])).toThrow(/not a channel name/);
  });
});
