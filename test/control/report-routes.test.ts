import { beforeEach, describe, expect, it } from 'vitest';
import { controlApp } from '../../src/control/routes.js';
import { noting } from './operations.js';

let did: string[];
beforeEach(() => {
  did = [];
});
const ask = (path: string) =>
  controlApp({ ...noting(did), token: 'token', isAllowedHost: () => true }).request(`/control/${path}`, {
    headers: { authorization: 'Bearer token' },
  });

describe('the report routes', () => {
  it('hand on what is asked, with defaults', async () => {
    expect(await (await ask('conversations')).json()).toEqual({ conversations: [], total: 3 });
    expect(await (await ask('messages')).json()).toEqual({ messages: [], more: true });
    await ask('messages?states=dead,retry&conversation=%23ops&before=12&limit=200');
    expect(await (await ask('ids?prefix=ab')).json()).toEqual({ ids: ['ab-1'] });
    expect(await (await ask('series?from=0&to=2000000&bucket=1000')).json()).toEqual({ buckets: [] });
    expect(await (await ask('latencies?from=0&to=1')).json()).toEqual({ latencies: [], more: false });
    expect(did).toEqual([
      'conversations',
      'messages {"limit":50}',
      'messages {"states":["dead","retry"],"conversation":"#ops","before":12,"limit":200}',
      'ids ab',
      'series {"from":0,"to":2000000,"bucketMs":1000}',
      'latencies {"from":0,"to":1}',
    ]);
  });

  it.each([
    ['messages?limit=0', 'limit must be a whole number from 1 to 200.'],
    ['messages?limit=201', 'limit must be a whole number from 1 to 200.'],
    ['messages?before=x', 'before must be'],
    ['messages?states=', 'There is no state ""; there are waiting, claimed, retry, answered, silent, dead.'],
    ['messages?states=dead,gone', 'There is no state "gone"'],
    ['messages?states=constructor', 'There is no state "constructor"'],
    ['ids', 'prefix is missing'],
    ['ids?prefix=', 'prefix is missing'],
    ['series', 'from and to'],
    ['series?from=0&to=1000', 'bucket is missing'],
    ['series?from=0&to=1000&bucket=0', 'bucket must be'],
    ['series?from=0&to=2001000&bucket=1000', 'more than 2000 buckets'],
    ['series?from=5&to=5&bucket=1000', 'from before to'],
    ['latencies?from=2&to=1', 'from before to'],
    ['latencies?from=-1&to=1', 'from must be'],
    ['latencies?from=0&to=99999999999999999', 'to must be'],
  ])('refuse %s', async (path, error) => {
    const response = await ask(path);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ code: 'usage', error: expect.stringContaining(error) });
    expect(did).toEqual([]);
  });
});
