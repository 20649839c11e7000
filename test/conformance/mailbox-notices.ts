// Rules of who waits unheard, and of notices that belong to no claim.
import { describe, expect, it } from 'vitest';
import type { Store } from '../../src/mailbox/index.js';
import type { NewNotice } from '../../src/ports/outbox.js';
import { answered, type Bench, exchange, message, opened, reply, retryAt } from './mailbox.js';

const notice = (more: Partial<NewNotice> = {}): NewNotice => ({
  name: 'wait/m1',
  about: 'm1',
  to: '@alice',
  parts: ['hold on'],
  ...more,
});

export function noticeRules(bench: () => Bench): void {
  describe('who waits unheard', () => {
    it('is the oldest open message of each conversation, with its address', async () => {
      const { mailbox } = await opened(bench());
      await mailbox.spool([message('m1'), message('m2'), message('m3', '@bob', { replyTo: 'Bob!' })], 1_000);
      await mailbox.spool([message('m4', '@carol')], 2_000, new Set(['m4']));
      expect(await mailbox.unanswered()).toEqual([
        { id: 'm1', conversation: '@alice', to: '@alice', spooledAt: 1_000 },
        { id: 'm3', conversation: '@bob', to: 'Bob!', spooledAt: 1_000 },
      ]);
    });

    it('stays while the message is claimed or to be tried again, and goes with its end', async () => {
      const { mailbox } = await opened(bench());
      await mailbox.spool([message('m1')], 1_000);
      const ids = async (): Promise<string[]> => (await mailbox.unanswered()).map(({ id }) => id);
      await mailbox.claim({ at: 1_000, slot: 0, newId: 'c1' });
      await mailbox.spool([message('m2')], 2_000);
      expect(await ids()).toEqual(['m1']);
      await mailbox.settle('c1', retryAt(5_000), 3_000);
      expect(await ids()).toEqual(['m1']);
      await mailbox.claim({ at: 5_000, slot: 0, newId: 'c9' });
      await mailbox.settle('c1', { kind: 'silent' }, 6_000);
      expect(await ids()).toEqual(['m2']);
    });

    it('is nobody who was sent something for that claim; a send to others does not count', async () => {
      const { mailbox, outbox } = await opened(bench());
      await mailbox.spool([message('m1')], 1_000);
      await mailbox.claim({ at: 1_000, slot: 0, newId: 'c1' });
      const send = { claimId: 'c1', ordinal: 0, parts: ['on it'], replyToId: undefined };
      await outbox.commit({ ...send, to: '@bob', kind: 'other' }, 2_000);
      expect(await mailbox.unanswered()).toHaveLength(1);
      await outbox.commit({ ...send, to: '@alice', kind: 'interim' }, 2_000);
      expect(await mailbox.unanswered()).toEqual([]);
    });

    it('is nobody who was told that it failed, when it is tried again by hand', async () => {
      const store = await opened(bench());
      await exchange(store, 'm1', { kind: 'dead', error: 'no', notice: reply('sorry') });
      await store.mailbox.reopen('m1', 2_000);
      expect(await store.mailbox.unanswered()).toEqual([]);
    });
  });

  describe('a notice in nobody’s claim', () => {
    /** A store in which m1 waits. */
    async function waiting(): Promise<Store> {
      const store = await opened(bench());
      await store.mailbox.spool([message('m1')], 1_000);
      return store;
    }

    it('is queued like any send, in order with the others of its target', async () => {
      const store = await waiting();
      expect(await store.outbox.notice(notice({ parts: ['hold ', 'on'] }), 2_000)).toBe(true);
      await store.mailbox.claim({ at: 3_000, slot: 0, newId: 'c1' });
      await store.mailbox.settle('c1', answered('here'), 3_000);
      const texts: string[] = [];
      for (let row = await store.outbox.next(9_000); row; row = await store.outbox.next(9_000)) {
        if (texts.length === 0) {
          expect(row).toMatchObject({
            claimId: undefined,
            idempotencyKey: 'wait/m1/@alice/notice/0/0',
            to: '@alice',
            kind: 'notice',
            replyToId: 'm1',
            queuedAt: 2_000,
          });
        }
        texts.push(row.text);
        await store.outbox.record(row.id, { state: 'sent' }, 9_000);
      }
      expect(texts).toEqual(['hold ', 'on', 'here']);
    });

    it('of one name is committed once, also over a restart', async () => {
      const first = await waiting();
      expect(await first.outbox.notice(notice(), 2_000)).toBe(true);
      expect(await first.outbox.notice(notice({ parts: ['other words'] }), 3_000)).toBe(false);
      const second = await opened(bench());
      expect(await second.outbox.notice(notice(), 4_000)).toBe(false);
      expect(await second.outbox.notice(notice({ name: 'other' }), 4_000)).toBe(true);
      expect(await second.outbox.counts()).toMatchObject({ queued: 2 });
    });

    it('is not committed when its message has ended, or never was', async () => {
      const store = await opened(bench());
      await exchange(store, 'm1', answered('here'));
      expect(await store.outbox.notice(notice(), 2_000)).toBe(false);
      expect(await store.outbox.notice(notice({ about: 'm9' }), 2_000)).toBe(false);
      expect(await store.outbox.counts()).toMatchObject({ queued: 1 });
    });

    it('settles nothing, is no memory, and needs a text', async () => {
      const store = await waiting();
      await store.mailbox.claim({ at: 1_000, slot: 0, newId: 'c1' });
      await store.outbox.notice(notice(), 2_000);
      expect(await store.outbox.settlingSends('c1')).toBe(0);
      expect(await store.outbox.ofClaim('c1')).toEqual([]);
      await store.mailbox.settle('c1', answered('here'), 3_000);
      const limits = { exchanges: 9, chars: 999 };
      const memory = await store.mailbox.memory({ id: 'c2', conversation: '@alice' }, limits);
      expect(memory.map(({ text }) => text)).toEqual(['text of m1', 'here']);
      await store.mailbox.spool([message('m2')], 4_000);
      await expect(
        store.outbox.notice(notice({ about: 'm2', name: 'w', parts: [] }), 5_000),
      ).rejects.toMatchObject({
        code: 'internal',
      });
    });
  });
}
