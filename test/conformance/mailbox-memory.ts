// Rules of a conversation's memory.
import { describe, expect, it } from 'vitest';
import type { Exchange } from '../../src/domain/message.js';
import type { Store } from '../../src/mailbox/index.js';
import { answered, type Bench, exchange, message, opened, reply } from './mailbox.js';

const WIDE = { exchanges: 100, chars: 100_000 };
const lines = (exchanges: readonly Exchange[]): string[] =>
  exchanges.map((one) => `${one.name}: ${one.text}`);

/** Opens a claim on a new message of @alice and asks what came before it. */
async function remembered(store: Store, limits = WIDE): Promise<Exchange[]> {
  await store.mailbox.spool([message('now')], 50_000);
  const claim = await store.mailbox.claim({ at: 50_000, slot: 0, newId: 'now', prefer: '@alice' });
  if (!claim) throw new Error('nothing to claim');
  return store.mailbox.memory(claim, limits);
}

export function memoryRules(bench: () => Bench): void {
  describe('the memory of a conversation', () => {
    it('holds both sides of earlier claims, oldest first, and nobody else’s', async () => {
      const store = await opened(bench());
      await store.mailbox.spool([message('m0', '@alice', { sentAt: 77 })], 900);
      await exchange(store, 'm1', answered('hello'), { at: 1_000 });
      await exchange(store, 'x1', answered('secret', '@bob'), { at: 2_000, conversation: '@bob' });
      await exchange(store, 'm2', { kind: 'silent' }, { at: 3_000 });
      const memory = await remembered(store);
      expect(memory).toEqual([
        { from: 'them', name: '@alice', text: 'text of m0', at: 77 },
        { from: 'them', name: '@alice', text: 'text of m1', at: 1_000 },
        { from: 'us', name: 'you', text: 'hello', at: 1_000 },
        { from: 'them', name: '@alice', text: 'text of m2', at: 3_000 },
      ]);
    });

    it('names the writers of a channel', async () => {
      const store = await opened(bench());
      await store.mailbox.spool([message('m1', '#ops', { sender: '@bob' })], 1_000);
      await store.mailbox.claim({ at: 1_000, slot: 0, newId: 'c1' });
      await store.mailbox.settle('c1', answered('hi', '#ops'), 2_000);
      const claim = { id: 'later', conversation: '#ops' };
      expect(lines(await store.mailbox.memory(claim, WIDE))).toEqual(['@bob: text of m1', 'you: hi']);
    });

    it('knows our reply by its claim, whatever address it went to', async () => {
      const store = await opened(bench());
      await exchange(store, 'm1', answered('hello', '@alice/thread-7'));
      expect(lines(await remembered(store))).toEqual(['@alice: text of m1', 'you: hello']);
    });

    it('joins the parts of a send again', async () => {
      const store = await opened(bench());
      await exchange(store, 'm1', { kind: 'answered', reply: reply(['one ', 'two ', 'three']) });
      expect(lines(await remembered(store))).toEqual(['@alice: text of m1', 'you: one two three']);
    });

    it('sets a reply after the messages it answers, also when the next came in meanwhile', async () => {
      const store = await opened(bench());
      await store.mailbox.spool([message('m1')], 1_000);
      await store.mailbox.claim({ at: 1_000, slot: 0, newId: 'c1' });
      await store.mailbox.spool([message('m2')], 1_500);
      await store.mailbox.settle('c1', answered('first'), 2_000);
      await store.mailbox.claim({ at: 2_500, slot: 0, newId: 'c2' });
      await store.mailbox.settle('c2', answered('second'), 3_000);
      expect(lines(await remembered(store))).toEqual([
        '@alice: text of m1',
        'you: first',
        '@alice: text of m2',
        'you: second',
      ]);
    });

    it('holds what was sent to it out of another’s turn, however its name was written', async () => {
      const store = await opened(bench());
      await store.mailbox.spool([message('x1', '@bob')], 1_000);
      await store.mailbox.claim({ at: 1_000, slot: 0, newId: 'c1' });
      const send = { ...reply('a question', 'Alice'), claimId: 'c1', kind: 'other', ordinal: 0 } as const;
      await store.outbox.commit(send, 1_500);
      expect(lines(await remembered(store))).toEqual(['you: a question']);
    });

    it('leaves out dead messages, notices, interim words and refused sends', async () => {
      const store = await opened(bench());
      await exchange(store, 'm1', { kind: 'dead', error: 'no', notice: reply('Sorry.') });
      await store.mailbox.spool([message('m2')], 1_000);
      await store.mailbox.claim({ at: 1_000, slot: 0, newId: 'c2' });
      await store.outbox.commit({ ...reply('on it'), claimId: 'c2', kind: 'interim', ordinal: 0 }, 1_000);
      await store.mailbox.settle('c2', answered('filtered'), 1_000);
      for (const state of ['sent', 'sent', 'refused'] as const) {
        const row = await store.outbox.next(1_000);
        await store.outbox.record(row?.id ?? 0, { state }, 1_000);
      }
      expect(lines(await remembered(store))).toEqual(['@alice: text of m2']);
    });

    it('leaves out the claim it is asked for, and what came after it', async () => {
      const store = await opened(bench());
      await exchange(store, 'm1', answered('one'));
      await exchange(store, 'm2', answered('two'));
      await exchange(store, 'm3', answered('three'));
      const claim = { id: 'claim-m2', conversation: '@alice' };
      expect(lines(await store.mailbox.memory(claim, WIDE))).toEqual(['@alice: text of m1', 'you: one']);
    });

    it('keeps within its limits, the newest first', async () => {
      const store = await opened(bench());
      await exchange(store, 'm1', answered('first'));
      await exchange(store, 'm2', answered('second'));
      const all = await remembered(store);
      expect(all).toHaveLength(4);
      const within = async (exchanges: number, chars: number): Promise<string[]> =>
        (await store.mailbox.memory({ id: 'now', conversation: '@alice' }, { exchanges, chars })).map(
          (one) => one.text,
        );
      expect(await within(3, 1_000)).toEqual(['first', 'text of m2', 'second']);
      expect(await within(9, 'firsttext of m2second'.length)).toEqual(['first', 'text of m2', 'second']);
      expect(await within(9, 'firsttext of m2second'.length - 1)).toEqual(['text of m2', 'second']);
      expect(await within(9, 6)).toEqual(['second']);
      expect(await within(9, 5)).toEqual(['seco…']);
      expect(await within(9, 1)).toEqual(['…']);
      expect(await within(9, 0)).toEqual([]);
      expect(await within(0, 100)).toEqual([]);
    });

    it('never cuts a character in half', async () => {
      const store = await opened(bench());
      await exchange(store, 'm1', answered('ab\u{1f600}\u{1f600}'));
      const [cut] = await remembered(store, { exchanges: 1, chars: 4 });
      expect(cut?.text).toBe('ab…');
    });
  });
}
