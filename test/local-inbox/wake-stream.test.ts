import { describe, expect, it, onTestFinished } from 'vitest';
import type { LocalInbox } from '../../src/local-inbox/index.js';
import { startPair } from './support.js';

/** Reads a stream up to and including a given text. Awaits, so a text that never comes fails by the time limit. */
async function listen(inbox: LocalInbox, alias: string) {
  const leaving = new AbortController();
  onTestFinished(() => leaving.abort());
  const response = await fetch(inbox.wakeStreamUrl, {
    headers: { Authorization: `Bearer ${inbox.ensureAlias(alias)}`, accept: 'text/event-stream' },
    signal: leaving.signal,
  });
  if (!response.body) throw new Error('no stream');
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let seen = '';
  async function until(text: string): Promise<string> {
    while (!seen.includes(text)) {
      const { done, value } = await reader.read();
      if (done) throw new Error(`the stream ended before "${text}"`);
      seen += value;
    }
    return seen;
  }
  async function rest(): Promise<string> {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return seen;
      seen += value;
    }
  }
  return { response, until, rest, leave: () => leaving.abort() };
}

describe('the wake stream', () => {
  it('sends an unnamed frame and a wake event to the receiver of a message, and no text', async () => {
    const { inbox } = await startPair();
    const bob = await listen(inbox, '@bob');
    const alice = await listen(inbox, '@alice');
    expect(bob.response.headers.get('content-type')).toBe('text/event-stream');
    await bob.until(': open\n\n');
    inbox.post({ from: '@alice', to: '@bob', text: 'secret' });
    expect(await bob.until('event: wake\ndata: 1\n\n')).toBe(': open\n\ndata: 1\n\nevent: wake\ndata: 1\n\n');
    inbox.post({ from: '@bob', to: '@alice', text: 'secret' });
    // Alice's first wake is the one for her own message: bob's did not reach her.
    expect(await alice.until('event: wake\ndata: 1\n\n')).toBe(
      ': open\n\ndata: 1\n\nevent: wake\ndata: 1\n\n',
    );
  });

  it('does not wake for a repeated send', async () => {
    const { inbox } = await startPair();
    const bob = await listen(inbox, '@bob');
    await bob.until(': open\n\n');
    for (const idempotencyKey of ['k', 'k'])
      inbox.post({ from: '@alice', to: '@bob', text: 'x', idempotencyKey });
    await inbox.close();
    expect((await bob.rest()).match(/event: wake/g)).toHaveLength(1);
  });

  it('wakes all members of a channel but the sender', async () => {
    const { inbox } = await startPair();
    inbox.createChannel('#general', ['@alice', '@bob']);
    const [alice, bob] = [await listen(inbox, '@alice'), await listen(inbox, '@bob')];
    inbox.post({ from: '@alice', to: '#general', text: 'x' });
    await bob.until('event: wake');
    await inbox.close();
    expect(await alice.rest()).not.toContain('wake');
  });

  it('keeps quiet connections open with comments', async () => {
    const { inbox } = await startPair({ wakeKeepaliveMs: 5 });
    const bob = await listen(inbox, '@bob');
    expect(await bob.until(': keepalive\n\n: keepalive\n\n')).not.toContain('data');
  });

  it('ends cleanly when the inbox closes, and survives listeners that leave', async () => {
    const { inbox } = await startPair();
    const gone = await listen(inbox, '@bob');
    gone.leave();
    const bob = await listen(inbox, '@bob');
    inbox.post({ from: '@alice', to: '@bob', text: 'x' });
    await bob.until('event: wake');
    await inbox.close();
    // An aborted connection would make this reject.
    expect(await bob.rest()).toContain('event: wake');
  });
});
