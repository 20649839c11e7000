import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isSettled, type MessageState, mayBecome } from '../../src/domain/message.js';
import { type OutboxState, outboxMayBecome } from '../../src/domain/outbox.js';

const messageStates: MessageState[] = ['waiting', 'claimed', 'retry', 'answered', 'silent', 'dead'];
const outboxStates: OutboxState[] = ['queued', 'sending', 'sent', 'refused', 'unsure'];

it('a settled message moves only when a person re-opens or drops a dead one', () => {
  for (const from of messageStates.filter(isSettled)) {
    const next = messageStates.filter((to) => mayBecome(from, to));
    expect(next).toEqual(from === 'dead' ? ['retry', 'silent'] : []);
  }
});

it('every unsettled message can still be answered, fall silent or die', () => {
  const reachable = (from: MessageState, seen = new Set<MessageState>()): Set<MessageState> => {
    for (const to of messageStates) {
      if (mayBecome(from, to) && !seen.has(to)) {
        seen.add(to);
        reachable(to, seen);
      }
    }
    return seen;
  };
  for (const from of ['waiting', 'claimed', 'retry'] as const) {
    expect([...reachable(from)]).toEqual(expect.arrayContaining(['answered', 'silent', 'dead']));
  }
});

it('what is sent or refused stays so, and nothing is sent without having been sending', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...outboxStates)), (wishes) => {
      let state: OutboxState = 'queued';
      const path: OutboxState[] = [state];
      for (const wish of wishes) {
        if (!outboxMayBecome(state, wish)) continue;
        state = wish;
        path.push(state);
      }
      const sentAt = path.indexOf('sent');
      if (sentAt !== -1) {
        expect(path.slice(0, sentAt)).toContain('sending');
        expect(path).toHaveLength(sentAt + 1);
      }
    }),
  );
});
