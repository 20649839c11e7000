// Rules of the outbox.
import { describe, expect, it } from 'vitest';
import type { OutboxState } from '../../src/domain/outbox.js';
import type { Store } from '../../src/mailbox/index.js';
import type { NewSend } from '../../src/ports/outbox.js';
import { type Bench, message, opened } from './mailbox.js';

const send = (more: Partial<NewSend> = {}): NewSend => ({
  claimId: 'c1',
  to: '@alice',
  kind: 'reply',
  ordinal: 0,
  parts: ['hello'],
  replyToId: undefined,
  ...more,
});

/** A store with an open claim c1 of @alice. */
async function claimed(bench: Bench): Promise<Store> {
  const store = await opened(bench);
  await store.mailbox.spool([message('m1')], 1_000);
  await store.mailbox.claim({ at: 1_000, slot: 0, newId: 'c1' });
  return store;
}

const texts = async ({ outbox }: Store, at = 9_000): Promise<string[]> => {
  const found: string[] = [];
  for (let row = await outbox.next(at); row; row = await outbox.next(at)) found.push(row.text);
  return found;
};

export function outboxRules(bench: () => Bench): void {
  describe('committing a send', () => {
    it('numbers its parts and gives each a key of its own', async () => {
      const { outbox } = await claimed(bench());
      const sent = await outbox.commit(send({ parts: ['one ', 'two'], replyToId: 'm1' }), 2_000);
      expect(sent.repeated).toBe(false);
      expect(sent.rows).toEqual([
        {
          id: sent.rows[0]?.id,
          claimId: 'c1',
          idempotencyKey: 'c1/@alice/reply/0/0',
          to: '@alice',
          text: 'one ',
          kind: 'reply',
          ordinal: 0,
          part: 0,
          state: 'queued',
          replyToId: 'm1',
          upstreamId: undefined,
          queuedAt: 2_000,
          sentAt: undefined,
          attempts: 0,
          retryAt: undefined,
          lastError: undefined,
        },
        expect.objectContaining({ text: 'two', part: 1, idempotencyKey: 'c1/@alice/reply/0/1' }),
      ]);
      expect(await outbox.ofClaim('c1')).toEqual(sent.rows);
      expect(await outbox.ofClaim('c2')).toEqual([]);
    });

    it('again changes nothing and answers the first rows, as they are by now', async () => {
      const store = await claimed(bench());
      const first = await store.outbox.commit(send({ parts: ['one', 'two'] }), 2_000);
      await store.outbox.next(2_000);
      await store.mailbox.settle('c1', { kind: 'answered', reply: undefined }, 2_500);
      const again = await store.outbox.commit(send({ parts: ['other words'] }), 3_000);
      expect(again).toMatchObject({
        repeated: true,
        rows: [{ text: 'one', state: 'sending' }, { text: 'two' }],
      });
      expect(again.rows.map((row) => row.id)).toEqual(first.rows.map((row) => row.id));
      expect(await store.outbox.ofClaim('c1')).toHaveLength(2);
    });

    it('tells number, kind, target and claim apart', async () => {
      const store = await claimed(bench());
      const sends = [
        send(),
        send({ ordinal: 1 }),
        send({ kind: 'interim' }),
        send({ kind: 'other', to: '@bob' }),
      ];
      for (const one of sends) expect((await store.outbox.commit(one, 2_000)).repeated).toBe(false);
      expect(await store.outbox.settlingSends('c1')).toBe(2);
      expect(await store.outbox.settlingSends('c2')).toBe(0);
      expect(await store.outbox.counts()).toMatchObject({ queued: 4 });
    });

    it('counts a send of many parts once', async () => {
      const { outbox } = await claimed(bench());
      await outbox.commit(send({ parts: ['a', 'b', 'c'] }), 2_000);
      expect(await outbox.settlingSends('c1')).toBe(1);
    });

    it('is refused without a text, and when its claim is not open', async () => {
      const store = await claimed(bench());
      const refused = { code: 'internal' };
      await expect(store.outbox.commit(send({ parts: [] }), 2_000)).rejects.toMatchObject(refused);
      await expect(store.outbox.commit(send({ claimId: 'c9' }), 2_000)).rejects.toMatchObject(refused);
      await store.mailbox.settle('c1', { kind: 'silent' }, 2_500);
      await expect(store.outbox.commit(send(), 3_000)).rejects.toMatchObject(refused);
      expect(await store.outbox.ofClaim('c1')).toEqual([]);
    });
  });

  describe('sending', () => {
    it('goes in order per target, and other targets do not wait', async () => {
      const store = await claimed(bench());
      await store.outbox.commit(send({ parts: ['a1', 'a2'] }), 2_000);
      await store.outbox.commit(send({ ordinal: 1, parts: ['a3'] }), 2_000);
      await store.outbox.commit(send({ kind: 'other', to: '@bob', parts: ['b1'] }), 2_000);
      expect(await texts(store)).toEqual(['a1', 'b1']);
      expect(await store.outbox.counts()).toMatchObject({ queued: 2, sending: 2 });
      const [a1] = await store.outbox.ofClaim('c1');
      await store.outbox.record(a1?.id ?? 0, { state: 'sent', upstreamId: 'u1' }, 3_000);
      expect(await texts(store)).toEqual(['a2']);
      expect((await store.outbox.ofClaim('c1'))[0]).toMatchObject({
        state: 'sent',
        upstreamId: 'u1',
        sentAt: 3_000,
        attempts: 1,
      });
    });

    it('tries a row again when it is due, and the later ones of its target wait for it', async () => {
      const store = await claimed(bench());
      await store.outbox.commit(send({ parts: ['a1'] }), 2_000);
      await store.outbox.commit(send({ ordinal: 1, parts: ['a2'] }), 2_000);
      expect(await store.outbox.nextDueAt()).toBe(2_000);
      const row = await store.outbox.next(2_000);
      expect(row).toMatchObject({ text: 'a1', state: 'sending', attempts: 0 });
      // The second waits for the first, not for an instant.
      expect(await store.outbox.nextDueAt()).toBeUndefined();
      await store.outbox.record(row?.id ?? 0, { state: 'queued', error: 'later', retryAt: 5_000 }, 2_100);
      expect(await store.outbox.nextDueAt()).toBe(5_000);
      expect(await store.outbox.next(4_999)).toBeUndefined();
      expect(await store.outbox.next(5_000)).toMatchObject({ text: 'a1', attempts: 1, lastError: 'later' });
    });

    it('a refused part takes the later parts of its send along, and no other send', async () => {
      const store = await claimed(bench());
      await store.outbox.commit(send({ parts: ['a1', 'a2', 'a3'] }), 2_000);
      await store.outbox.commit(send({ ordinal: 1, parts: ['a4'] }), 2_000);
      const first = await store.outbox.next(2_000);
      await store.outbox.record(first?.id ?? 0, { state: 'sent' }, 2_000);
      const second = await store.outbox.next(2_000);
      await store.outbox.record(second?.id ?? 0, { state: 'refused', error: 'filtered' }, 2_000);
      expect((await store.outbox.ofClaim('c1')).map((row) => [row.state, row.lastError])).toEqual([
        ['sent', undefined],
        ['refused', 'filtered'],
        ['refused', 'an earlier part of it was refused'],
        ['queued', undefined],
      ]);
      expect(await texts(store)).toEqual(['a4']);
    });

    it('an unsure row holds up the later parts of its send, and no other send', async () => {
      const store = await claimed(bench());
      await store.outbox.commit(send({ parts: ['a1', 'a2'] }), 2_000);
      await store.outbox.commit(send({ ordinal: 1, parts: ['a3'] }), 2_000);
      await store.outbox.commit(send({ kind: 'other', to: '@bob', parts: ['b1'] }), 2_000);
      const row = await store.outbox.next(2_000);
      await store.outbox.record(row?.id ?? 0, { state: 'unsure', error: 'no answer' }, 2_000);
      // a2 is queued still, and earlier than a3: the order of the target stands.
      expect(await texts(store)).toEqual(['b1']);
      await store.outbox.record(row?.id ?? 0, { state: 'sent' }, 2_000);
      expect(await texts(store)).toEqual(['a2']);
    });

    it('an unsure send is passed by the later ones of its target', async () => {
      const store = await claimed(bench());
      await store.outbox.commit(send({ parts: ['a1'] }), 2_000);
      await store.outbox.commit(send({ ordinal: 1, parts: ['a2'] }), 2_000);
      const row = await store.outbox.next(2_000);
      await store.outbox.record(row?.id ?? 0, { state: 'unsure' }, 2_000);
      expect(await texts(store)).toEqual(['a2']);
    });

    it('refuses what the states do not allow', async () => {
      const store = await claimed(bench());
      await store.outbox.commit(send(), 2_000);
      const id = (await store.outbox.ofClaim('c1'))[0]?.id ?? 0;
      const refusedTo = async (state: OutboxState, row = id): Promise<void> => {
        const before = await store.outbox.ofClaim('c1');
        await expect(store.outbox.record(row, { state, retryAt: 5_000 }, 3_000)).rejects.toMatchObject({
          code: 'internal',
        });
        expect(await store.outbox.ofClaim('c1')).toEqual(before);
      };
      await refusedTo('sent', 999);
      for (const state of ['sent', 'refused', 'queued', 'sending', 'unsure'] as const) await refusedTo(state);
      await store.outbox.next(2_000);
      await refusedTo('sending');
      await expect(store.outbox.record(id, { state: 'queued' }, 3_000)).rejects.toMatchObject({
        code: 'internal',
      });
      await store.outbox.record(id, { state: 'sent' }, 3_000);
      for (const state of ['sent', 'refused', 'queued', 'unsure'] as const) await refusedTo(state);
    });
  });

  describe('after a crash', () => {
    it.each(['queued', 'unsure'] as const)('what was sending becomes %s', async (state) => {
      const store = await claimed(bench());
      await store.outbox.commit(send({ parts: ['a1'] }), 2_000);
      await store.outbox.commit(send({ kind: 'other', to: '@bob', parts: ['b1'] }), 2_000);
      const a1 = await store.outbox.next(2_000);
      await store.outbox.record(a1?.id ?? 0, { state: 'queued', retryAt: 2_500 }, 2_000);
      await store.outbox.next(2_500);
      expect(await store.outbox.recover(state)).toBe(1);
      expect(await store.outbox.recover(state)).toBe(0);
      const [row] = await store.outbox.ofClaim('c1');
      expect(row).toMatchObject({ text: 'a1', state, attempts: 2, retryAt: undefined });
      expect(await texts(store)).toEqual(state === 'queued' ? ['a1', 'b1'] : ['b1']);
    });
  });
}
