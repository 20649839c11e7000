// The judge of chaos, on made-up stories: a judge who sees nothing would call every run a good one.
import { describe, expect, it } from 'vitest';
import type { MessageState } from '../../src/domain/message.js';
import type { Posted } from './people.js';
import { answerHead, answerTail, type Manner, questionsIn, questionText } from './question.js';
import { isGood, judge, type Verdict } from './verdict.js';

const asked = (token: string, from = '@ada', manner: Manner = 'plain'): Posted => ({
  token,
  manner,
  from,
  id: `id-${token}`,
});
const sent = (text: string, to = '@ada') => ({ id: text, to, text });
const answer = (...tokens: string[]) => sent(`${answerHead(tokens)} yes`);

function verdict(
  posted: readonly Posted[],
  messages: readonly ReturnType<typeof sent>[],
  states: Record<string, MessageState> = {},
  vocabulary: 'dms' | 'agentdm' = 'dms',
  unsure: readonly string[] = [],
): Verdict {
  const stateOf = (id: string): MessageState | undefined => states[id.replace('id-', '')];
  return judge(posted, messages, { stateOf, unsure }, vocabulary);
}

describe('the judge of chaos', () => {
  it('knows a question by its text', () => {
    const question = { token: 'q00007', manner: 'tool' } as const;
    expect(questionsIn(`x ${questionText(question)} y`)).toEqual([question]);
  });

  it('is content with one answer each, also with one for several, and with silence where none was wanted', () => {
    const posted = [asked('q1'), asked('q2'), asked('q3'), asked('q4', '@bob', 'quiet')];
    const good = verdict(posted, [answer('q1', 'q2'), answer('q3')], { q4: 'silent' });
    expect(good).toMatchObject({ messages: 4, answered: 3, silent: 1, faults: [] });
    expect(isGood(good, 'dms')).toBe(true);
  });

  it('counts apart what only agentdm may leave behind', () => {
    const posted = [asked('q1'), asked('q2')];
    const held = answerHead(['q2']);
    const apart = verdict(posted, [], { q2: 'answered' }, 'agentdm', [held]);
    expect(apart).toMatchObject({ neverReceived: 1, inDoubt: 1, unsure: 1, lost: 0 });
    expect(isGood(apart, 'agentdm')).toBe(true);
    expect(isGood(verdict(posted, [], { q2: 'answered' }, 'dms', [held]), 'dms')).toBe(false);
  });

  it.each([
    ['lost', [asked('q1')], [], { q1: 'answered' }],
    ['lost', [asked('q1')], [], { q1: 'silent' }],
    ['lost', [asked('q1', '@ada', 'quiet')], [], {}],
    ['dead', [asked('q1')], [], { q1: 'dead' }],
    ['doubled', [asked('q1'), asked('q2')], [answer('q1'), answer('q1', 'q2')], {}],
    ['astray', [asked('q1', '@bob')], [answer('q1')], {}],
    ['outOfOrder', [asked('q1'), asked('q2')], [answer('q2'), answer('q1')], {}],
    ['broken', [asked('q1', '@ada', 'long')], [answer('q1')], {}],
    [
      'broken',
      [asked('q1', '@ada', 'long')],
      [answer('q1'), sent(answerTail(['q1'])), sent(answerTail(['q1']))],
      {},
    ],
  ] as const)('sees what is %s', (kind, posted, messages, states) => {
    const bad = verdict(posted, messages, states);
    expect(bad[kind]).toBe(1);
    expect(bad.faults).toHaveLength(1);
    expect(isGood(bad, 'agentdm')).toBe(false);
  });
});
