// What every Upstream keeps, whatever the vocabulary behind it: one suite, run over each implementation.
import { describe, expect, it } from 'vitest';
import type { IncomingMessage } from '../../src/domain/message.js';
import type { SendOutcome, Upstream } from '../../src/ports/upstream.js';

/** A remote inbox under the test's control, with pages of two messages, and the upstream that is connected to it. */
export interface UpstreamRig {
  readonly upstream: Upstream;
  /** Reading leaves messages unread until they are acknowledged. */
  readonly acknowledges: boolean;
  /** Puts a message into the inbox; answers its id. */
  deliver(from: string, text: string): string;
  /** Ids that the server would still hand out. */
  unread(): string[];
  /** Tool calls so far. */
  calls(): number;
  /** The call that reads the n-th page from now (0 is the next) fails with HTTP 500 before it does anything. */
  failReadOfPage(n: number): void;
  /** The server forgets every session. */
  forgetSessions(): void;
  /** How the server treats sends from now on. `cut`: taken, but the connection breaks before the answer. */
  onSend(how: 'take' | 'refuse' | 'limit' | 'unauthorised' | 'cut'): void;
  sent(): { to: string; text: string }[];
  /** Resolves when everything that was asked of the server before this call has arrived there. */
  arrived(): Promise<void>;
}

export function upstreamConformance(name: string, start: () => Promise<UpstreamRig>): void {
  const never = new AbortController().signal;
  const message = { to: '@alice', text: 'hi', replyToId: undefined, idempotencyKey: 'c/@alice/reply/0/0' };

  /** Looks, keeping what is spooled; several looks, where a page failed, end with everything. */
  const lookInto = (rig: UpstreamRig, into: IncomingMessage[]) =>
    rig.upstream.look(async (batch) => {
      into.push(...batch);
    }, never);

  const idsOf = (messages: readonly IncomingMessage[]) => [...new Set(messages.map(({ id }) => id))].sort();

  describe(`upstream: ${name}`, () => {
    it('passes the check without consuming anything', async () => {
      const rig = await start();
      const id = rig.deliver('@alice', 'one');
      expect(await rig.upstream.check(never)).toEqual({ kind: 'looked' });
      expect(rig.unread()).toEqual([id]);
      expect(rig.upstream.maxChars).toBeGreaterThan(1);
    });

    it('spools nothing from an empty inbox', async () => {
      const rig = await start();
      const got: IncomingMessage[] = [];
      expect(await lookInto(rig, got)).toEqual({ kind: 'looked' });
      expect(got).toEqual([]);
    });

    it('hands over every message once, whole, and in order within its conversation', async () => {
      const rig = await start();
      const ids = ['@alice', '@bob', '@alice', '@alice', '@bob'].map((from, index) =>
        rig.deliver(from, `text ${index}`),
      );
      const got: IncomingMessage[] = [];
      expect(await lookInto(rig, got)).toEqual({ kind: 'looked' });
      expect(idsOf(got)).toEqual([...ids].sort());
      expect(got).toHaveLength(5);
      expect(got.filter(({ sender }) => sender === '@alice').map(({ text }) => text)).toEqual([
        'text 0',
        'text 2',
        'text 3',
      ]);
      for (const each of got) expect(each).toMatchObject({ conversation: each.sender, kind: 'agent' });
      expect(rig.unread()).toEqual([]);
    });

    it('is repeatable: a second look finds nothing, a later message is found by a third', async () => {
      const rig = await start();
      rig.deliver('@alice', 'one');
      await lookInto(rig, []);
      const got: IncomingMessage[] = [];
      await lookInto(rig, got);
      expect(got).toEqual([]);
      const id = rig.deliver('@alice', 'two');
      await lookInto(rig, got);
      expect(idsOf(got)).toEqual([id]);
    });

    it('asks for nothing and acknowledges nothing while the spool is busy', async () => {
      const rig = await start();
      for (const text of ['1', '2', '3']) rig.deliver('@alice', text);
      let spools = 0;
      await rig.upstream.look(async (batch) => {
        spools += 1;
        const before = rig.calls();
        await rig.arrived();
        expect(rig.calls()).toBe(before);
        if (rig.acknowledges) expect(rig.unread()).toEqual(expect.arrayContaining(batch.map(({ id }) => id)));
      }, never);
      expect(spools).toBeGreaterThan(1);
    });

    it('rejects as the spool does, acknowledges nothing and asks for no more', async () => {
      const rig = await start();
      const ids = ['1', '2', '3'].map((text) => rig.deliver('@alice', text));
      const full = new Error('the disk is full');
      let callsThen = 0;
      const look = rig.upstream.look(async () => {
        callsThen = rig.calls();
        throw full;
      }, never);
      await expect(look).rejects.toBe(full);
      expect(rig.calls()).toBe(callsThen);
      expect(rig.unread()).toEqual(rig.acknowledges ? ids : ids.slice(2));
      const got: IncomingMessage[] = [];
      expect(await lookInto(rig, got)).toEqual({ kind: 'looked' });
      expect(idsOf(got)).toEqual([...(rig.acknowledges ? ids : ids.slice(2))].sort());
    });

    it('loses nothing when a later page fails', async () => {
      const rig = await start();
      const ids = ['1', '2', '3', '4', '5'].map((text) => rig.deliver('@alice', text));
      rig.failReadOfPage(1);
      const got: IncomingMessage[] = [];
      expect(await lookInto(rig, got)).toMatchObject({ kind: 'down' });
      expect(got.length).toBeGreaterThan(0);
      expect(await lookInto(rig, got)).toEqual({ kind: 'looked' });
      expect(idsOf(got)).toEqual([...ids].sort());
    });

    it('does not run two looks at once', async () => {
      const rig = await start();
      rig.deliver('@alice', 'one');
      let second: Promise<unknown> = Promise.resolve();
      await rig.upstream.look(async () => {
        const before = rig.calls();
        second = lookInto(rig, []);
        await rig.arrived();
        expect(rig.calls()).toBe(before);
      }, never);
      expect(await second).toEqual({ kind: 'looked' });
    });

    it('looks on after the server forgot the session', async () => {
      const rig = await start();
      await lookInto(rig, []);
      rig.forgetSessions();
      const id = rig.deliver('@alice', 'one');
      const got: IncomingMessage[] = [];
      expect(await lookInto(rig, got)).toEqual({ kind: 'looked' });
      expect(idsOf(got)).toEqual([id]);
    });

    it('sends', async () => {
      const rig = await start();
      expect(await rig.upstream.send(message, never)).toEqual({
        kind: 'sent',
        upstreamId: expect.any(String),
      });
      expect(rig.sent()).toEqual([{ to: '@alice', text: 'hi' }]);
    });

    it.each<[Parameters<UpstreamRig['onSend']>[0], SendOutcome['kind']]>([
      ['refuse', 'refused'],
      ['limit', 'later'],
      ['unauthorised', 'unauthorised'],
      ['cut', 'unsure'],
    ])('a send that meets "%s" is %s', async (how, kind) => {
      const rig = await start();
      await rig.upstream.check(never);
      rig.onSend(how);
      const outcome = await rig.upstream.send(message, never);
      expect(outcome).toMatchObject({ kind, message: expect.stringMatching(/^.{10,}$/) });
      expect(rig.sent()).toHaveLength(how === 'cut' ? 1 : 0);
    });

    it('a send is taken once when a lost answer is asked for again, where it says so', async () => {
      const rig = await start();
      await rig.upstream.check(never);
      if (!rig.upstream.idempotent) return;
      rig.onSend('cut');
      await rig.upstream.send(message, never);
      rig.onSend('take');
      expect(await rig.upstream.send(message, never)).toMatchObject({ kind: 'sent' });
      expect(rig.sent()).toHaveLength(1);
    });

    it('closes twice without a word, before and after use', async () => {
      const unused = await start();
      await unused.upstream.close();
      const rig = await start();
      await rig.upstream.check(never);
      await Promise.all([rig.upstream.close(), rig.upstream.close()]);
    });
  });
}
