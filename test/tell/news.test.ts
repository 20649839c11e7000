// What is told: JSON and variables, without secrets, in one line, and never too long.
import { expect, it } from 'vitest';
import { redact } from '../../src/lib/redact.js';
import { Deaths } from '../../src/tell/deaths.js';
import { type News, toJson, toVariables } from '../../src/tell/news.js';

const clean = (text: string): string => redact(text, ['hunter2hunter2']);
const HOLD: News = {
  type: 'hold.began',
  reason: 'inbox-down',
  why: 'Key hunter2hunter2\nINBOX_WORKER_EVENT_TYPE=x \u001b[31mred',
  since: 0,
  until: 60_000,
  untold: 2,
};
const dead = (id: string) =>
  ({ type: 'dead', claimId: 'c', conversation: '@a', messages: [id], attempts: 5, error: 'no' }) as const;

it('tells a hold', () => {
  expect(JSON.parse(toJson(HOLD, 'agentdm', 1000, clean))).toEqual({
    type: 'hold.began',
    timestamp: '1970-01-01T00:00:01.000Z',
    data: {
      inbox: 'agentdm',
      reason: 'inbox-down',
      why: 'Key [redacted] INBOX_WORKER_EVENT_TYPE=x  [31mred',
      since: '1970-01-01T00:00:00.000Z',
      until: '1970-01-01T00:01:00.000Z',
      untold: 2,
    },
  });
  expect(toVariables({ ...HOLD, until: Infinity }, 'agentdm', clean)).toEqual({
    INBOX_WORKER_EVENT_TYPE: 'hold.began',
    INBOX_WORKER_EVENT_INBOX: 'agentdm',
    INBOX_WORKER_EVENT_REASON: 'inbox-down',
    INBOX_WORKER_EVENT_WHY: 'Key [redacted] INBOX_WORKER_EVENT_TYPE=x  [31mred',
    INBOX_WORKER_EVENT_SINCE: '1970-01-01T00:00:00.000Z',
  });
});

it('tells dead messages together: the first at once, those soon after it in one telling, fifty by name', () => {
  const deaths = new Deaths(600);
  expect(deaths.next(0, false)).toBeUndefined();
  deaths.hear(dead('m1'));
  expect(deaths.next(0, false)).toMatchObject({ count: 1, messages: [{ id: 'm1' }] });
  for (let n = 2; n < 72; n += 1) deaths.hear(dead(`m${n}`));
  expect([deaths.next(599, false), deaths.nextAt]).toEqual([undefined, 600]);
  const news = deaths.next(600, false);
  if (news?.type !== 'message.dead') throw new Error('nothing was told');
  expect([news.count, news.messages.length, news.messages[0]?.id]).toEqual([70, 50, 'm2']);
  expect(toVariables(news, 'agentdm', clean)).toMatchObject({
    INBOX_WORKER_EVENT_COUNT: '70',
    INBOX_WORKER_EVENT_MESSAGE_ID: 'm2',
    INBOX_WORKER_EVENT_CONVERSATION: '@a',
    INBOX_WORKER_EVENT_ATTEMPTS: '5',
    INBOX_WORKER_EVENT_LAST_ERROR: 'no',
  });
  expect(JSON.parse(toJson(news, 'agentdm', 0, clean)).data).toMatchObject({
    inbox: 'agentdm',
    count: 70,
    messages: expect.arrayContaining([{ id: 'm2', conversation: '@a', attempts: 5, last_error: 'no' }]),
  });
  deaths.hear(dead('last'));
  expect(deaths.next(601, false)).toBeUndefined();
  expect(deaths.next(601, true)).toMatchObject({ count: 1 });
});

it('keeps a telling short', () => {
  const long = toJson({ ...HOLD, why: 'x'.repeat(100_000) }, 'agentdm', 0, clean);
  expect(long.length).toBeLessThan(800);
});
