import { describe, expect, it, onTestFinished } from 'vitest';
import { type LocalInboxOptions, startLocalInbox } from '../../src/local-inbox/index.js';
import { clock, collector, inboxOf, never, outgoing } from './helpers.js';

/** The real embedded inbox with @alice, @bob and our @agent, and an upstream with the agent's key. */
async function embedded(
  options: Partial<LocalInboxOptions> = {},
  profile: 'auto' | 'dms' | 'agentdm' = 'auto',
) {
  const calls: string[] = [];
  const inbox = await startLocalInbox({
    databasePath: ':memory:',
    faults: {
      beforeCall: (alias, tool) => {
        if (alias === '@agent') calls.push(tool);
      },
    },
    ...options,
  });
  onTestFinished(() => inbox.close());
  inbox.ensureAlias('@alice');
  inbox.ensureAlias('@bob');
  const key = inbox.ensureAlias('@agent');
  inbox.createChannel('#ops', ['@agent', '@alice', '@bob']);
  const as = (bearer: string, ownAlias: string) =>
    inboxOf(inbox, {
      server: { type: 'http', url: inbox.url, headers: { Authorization: `Bearer ${bearer}` } },
      profile,
      ownAlias,
      clock,
    });
  return { inbox, calls, upstream: as(key, '@agent'), as };
}

const variants = [
  ['dms', { vocabularies: { agentdm: false } }, 'auto'],
  ['agentdm, has_more', { vocabularies: { dms: false } }, 'auto'],
  ['agentdm, hasMore', { vocabularies: { dms: false }, readShape: 'hasMore' }, 'auto'],
  ['agentdm, array', { vocabularies: { dms: false }, readShape: 'array' }, 'auto'],
  ['agentdm, object', { vocabularies: { dms: false }, readShape: 'object' }, 'auto'],
  ['both, wished agentdm', {}, 'agentdm'],
  ['both', {}, 'auto'],
] as const satisfies readonly (readonly [string, Partial<LocalInboxOptions>, 'auto' | 'agentdm'])[];

describe.each(variants)('the embedded inbox, %s', (_name, options, profile) => {
  it('is checked, looked at page by page, and answered', async () => {
    const { inbox, upstream, as } = await embedded({ pageSize: 2, ...options }, profile);
    expect(await upstream.check(never)).toEqual({ kind: 'looked' });
    const got = collector();
    expect(await upstream.look(got.spool, never)).toEqual({ kind: 'looked' });
    expect(got.batches).toEqual([]);

    const ids = ['1', '2', '3', '4', '5'].map(
      (text) => inbox.post({ from: '@alice', to: '@agent', text }).messageId,
    );
    const channel = inbox.post({ from: '@bob', to: '#ops', text: 'all hands' }).messageId;
    const notice = inbox.post({ from: '@system', to: '@agent', text: 'maintenance' }).messageId;
    expect(await upstream.look(got.spool, never)).toEqual({ kind: 'looked' });
    const direct = got.messages.filter((message) => message.conversation === '@alice');
    expect(direct.map((message) => message.id)).toEqual(ids);
    expect(direct.map((message) => message.text)).toEqual(['1', '2', '3', '4', '5']);
    expect(got.messages.find((message) => message.id === channel)).toMatchObject({
      conversation: '#ops',
      sender: '@bob',
      text: 'all hands',
    });
    expect(got.messages.find((message) => message.id === notice)).toMatchObject({
      sender: '@system',
      kind: 'system',
    });
    expect(got.messages).toHaveLength(7);

    const again = collector();
    expect(await upstream.look(again.spool, never)).toEqual({ kind: 'looked' });
    expect(again.batches).toEqual([]);

    const sent = await upstream.send(outgoing({ replyToId: ids[4] }), never);
    expect(sent).toEqual({ kind: 'sent', upstreamId: expect.any(String) });
    const alice = collector();
    await as(inbox.ensureAlias('@alice'), '@alice').look(alice.spool, never);
    expect(alice.messages.find((message) => message.conversation === '@agent')).toMatchObject({
      text: 'hi',
      sender: '@agent',
    });
  });

  it('maps its refusals', async () => {
    const { upstream } = await embedded(options, profile);
    expect(await upstream.send(outgoing({ to: '@nobody' }), never)).toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('alias_not_found'),
    });
    expect(await upstream.send(outgoing({ to: '@agent' }), never)).toMatchObject({ kind: 'refused' });
    expect(await upstream.send(outgoing({ text: 'x'.repeat(10_001) }), never)).toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('message_too_long'),
    });
    expect(await upstream.send(outgoing({ text: 'x'.repeat(upstream.maxChars) }), never)).toMatchObject({
      kind: 'sent',
    });
  });

  it('an unknown key is unauthorised, and not shown', async () => {
    const { as } = await embedded(options, profile);
    const outcome = await as('agentdm_0123456789abcdef', '@agent').check(never);
    expect(outcome).toMatchObject({ kind: 'unauthorised' });
    expect(JSON.stringify(outcome)).not.toContain('0123456789abcdef');
  });

  it('renews a dropped session and repeats the read', async () => {
    const { inbox, upstream } = await embedded(options, profile);
    await upstream.check(never);
    inbox.post({ from: '@alice', to: '@agent', text: 'hello' });
    await inbox.dropSessions();
    const got = collector();
    expect(await upstream.look(got.spool, never)).toEqual({ kind: 'looked' });
    expect(got.messages.map((message) => message.text)).toEqual(['hello']);
  });
});

describe('the embedded inbox, dms against crashes', () => {
  it('a message that was spooled but not acknowledged comes again with the same id', async () => {
    const { inbox, upstream } = await embedded();
    const { messageId } = inbox.post({ from: '@alice', to: '@agent', text: 'hello' });
    await expect(
      upstream.look(async () => {
        throw new Error('crash');
      }, never),
    ).rejects.toThrow('crash');
    const got = collector();
    await upstream.look(got.spool, never);
    expect(got.messages.map((message) => message.id)).toEqual([messageId]);
  });

  it('a send whose answer was lost is sent once when it is repeated', async () => {
    let broken = true;
    const { inbox, upstream, as } = await embedded({
      faults: {
        afterCall: (_alias, tool) => {
          if (broken && tool === 'send_dm') throw new Error('lost');
        },
      },
    });
    await upstream.check(never);
    expect(upstream.idempotent).toBe(true);
    expect(await upstream.send(outgoing(), never)).toMatchObject({ kind: 'unsure' });
    broken = false;
    expect(await upstream.send(outgoing(), never)).toMatchObject({ kind: 'sent' });
    const alice = collector();
    await as(inbox.ensureAlias('@alice'), '@alice').look(alice.spool, never);
    expect(alice.messages).toHaveLength(1);
  });

  it('an empty inbox costs one call a look', async () => {
    const { calls, upstream } = await embedded();
    await upstream.check(never);
    calls.length = 0;
    for (let round = 0; round < 3; round += 1) await upstream.look(collector().spool, never);
    expect(calls).toEqual(['list_dms', 'list_dms', 'list_dms']);
  });
});
