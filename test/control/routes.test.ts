import { beforeEach, describe, expect, it } from 'vitest';
import { bearerIs } from '../../src/control/bearer.js';
import { type ControlOptions, controlApp } from '../../src/control/routes.js';
import type { MessageStory } from '../../src/control/wire.js';
import { WorkerError } from '../../src/domain/errors.js';
import { NOTHING_DEAD, noting } from './operations.js';
import { preview, RELOADED, status } from './status.js';

const TOKEN = 'token-of-this-run';
const STORY = { message: { id: 'm1' }, sends: [], turns: [] } as unknown as MessageStory;
let did: string[];
beforeEach(() => {
  did = [];
});

function app(over: Partial<ControlOptions> = {}) {
  return controlApp({
    token: TOKEN,
    isAllowedHost: (host) => host === undefined || host.startsWith('127.0.0.1'),
    ...noting(did),
    ...over,
  });
}
const authorization = { authorization: `Bearer ${TOKEN}` };
const ask = (path: string, init: RequestInit = {}, over: Partial<ControlOptions> = {}) =>
  app(over).request(`/control/${path}`, { ...init, headers: { ...authorization, ...init.headers } });
const post = (path: string, body?: string) =>
  ask(path, { method: 'POST', ...(body === undefined ? {} : { body }) });

describe('the control routes', () => {
  it('tell the status', async () => {
    const response = await ask('status');
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual(JSON.parse(JSON.stringify(status())));
  });

  it('tell what would be done next', async () => {
    const response = await ask('next');
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual(JSON.parse(JSON.stringify(preview())));
    expect((await post('next')).status).toBe(404);
  });

  it('reload, and say what is wrong where a file is faulty', async () => {
    expect(await (await post('reload')).json()).toEqual(RELOADED);
    const fault = new WorkerError('setting-unknown', '"min_slep" is no setting.');
    const response = await ask('reload', { method: 'POST' }, { reload: () => Promise.reject(fault) });
    expect(response.status).toBe(409);
    expect(await response.json()).toMatchObject({ code: 'setting-unknown', error: fault.message });
    expect((await ask('reload')).status).toBe(404);
  });

  it('tell of the agents of the process', async () => {
    expect(await (await ask('agents')).json()).toEqual({
      agents: [{ name: 'scout', path: '/', health: 'idle' }],
    });
  });

  it('make ready for a test of what wakes, and wake nobody', async () => {
    const response = await post('wake-test');
    expect(await response.json()).toEqual({
      id: 'test',
      webhook: { host: '127.0.0.1', port: 8787, path: '/webhook' },
    });
    expect(did).toEqual([]);
  });

  it('wake by hand', async () => {
    expect((await post('wake')).status).toBe(202);
    expect(did).toEqual(['wake manual']);
  });

  it('pause and resume, and tell that something changed', async () => {
    expect(await (await post('pause')).json()).toEqual({ paused: true, changed: true });
    expect(await (await post('resume')).json()).toEqual({ paused: false, changed: true });
    expect(did).toEqual(['pause', 'changed', 'resume', 'changed']);
  });

  it('stop as asked, gently when not told', async () => {
    for (const body of ['{"how":"force"}', '{"how":"drain"}', '{}', '']) {
      expect((await post('stop', body)).status).toBe(202);
    }
    expect(did).toEqual(['stop force', 'stop drain', 'stop drain', 'stop drain']);
  });

  it.each(['{"how":"now"}', 'no json', 'null', '[1'])('refuse to stop by %s', async (body) => {
    const response = await post('stop', body);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ code: 'usage', error: expect.stringContaining('drain') });
    expect(did).toEqual([]);
  });

  it('refuse a body that is far too long', async () => {
    expect((await post('stop', JSON.stringify({ how: 'force', x: 'x'.repeat(9000) }))).status).toBe(413);
    expect(did).toEqual([]);
  });

  it('show a message by an id of any spelling, and say when there is none', async () => {
    const asked: string[] = [];
    const show = async (id: string) => {
      asked.push(id);
      return undefined;
    };
    const response = await ask(`messages/${encodeURIComponent('a/b c?')}`, {}, { show });
    expect(asked).toEqual(['a/b c?']);
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ error: 'The mailbox never saw a message a/b c?.' });
  });

  it('list what is dead or unsure', async () => {
    expect(await (await ask('dead')).json()).toEqual(NOTHING_DEAD);
  });

  it('try a message again or drop it, by an id of any spelling, and tell that something changed', async () => {
    const show = async () => STORY;
    const path = `messages/${encodeURIComponent('a/b c?')}`;
    const retried = await ask(`${path}/retry`, { method: 'POST' }, { show });
    expect(await retried.json()).toEqual({ claimId: 'c1', messages: 2, waits: false });
    const dropped = await ask(`${path}/drop`, { method: 'POST' }, { show });
    expect(await dropped.json()).toEqual({ messages: 1 });
    expect(did).toEqual(['retry a/b c?', 'changed', 'drop a/b c?', 'changed']);
  });

  it('decide over an unsure send', async () => {
    expect((await post('outbox/12/resend')).status).toBe(200);
    expect((await post('outbox/12/drop')).status).toBe(200);
    expect(did).toEqual(['resend 12', 'changed', 'drop 12', 'changed']);
  });

  it.each([
    ['messages/m1/retry', 'The mailbox never saw a message m1.'],
    ['messages/m1/drop', 'The mailbox never saw a message m1.'],
    ['messages/m1/burn', 'There is no POST /control/messages/m1/burn here.'],
    ['outbox/12/burn', 'There is no POST /control/outbox/12/burn here.'],
    ['outbox/x/drop', 'There is no POST /control/outbox/x/drop here.'],
    ['outbox/-1/drop', 'There is no POST /control/outbox/-1/drop here.'],
  ])('find nothing at %s', async (path, error) => {
    const response = await post(path);
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ code: 'usage', error });
    expect(did).toEqual([]);
  });

  it('refuse what its state does not allow, and nothing has changed then', async () => {
    const refused = (): Promise<never> =>
      Promise.reject(new WorkerError('usage', 'Message m1 is answered already.', { hint: 'Look.' }));
    const over = { show: async () => STORY, retry: refused, drop: refused, settleUnsure: refused };
    for (const path of ['messages/m1/retry', 'messages/m1/drop', 'outbox/1/resend']) {
      const response = await ask(path, { method: 'POST' }, over);
      expect(response.status).toBe(409);
      expect(await response.json()).toEqual({
        code: 'usage',
        error: 'Message m1 is answered already.',
        try: 'Look.',
      });
    }
    expect(did).toEqual([]);
  });

  it('list turns within limits', async () => {
    expect(await (await ask('turns')).json()).toEqual({ turns: [] });
    await ask('turns?limit=3');
    expect(did).toEqual(['turns 20', 'turns 3']);
    for (const limit of ['0', '-1', 'x', '1.5', '100000', '']) {
      expect((await ask(`turns?limit=${limit}`)).status).toBe(400);
    }
  });

  it.each([
    ['no token', {}],
    ['a wrong one', { authorization: 'Bearer wrong' }],
    ['the token without its scheme', { authorization: TOKEN }],
    ['a longer one', { authorization: `Bearer ${TOKEN}x` }],
  ])('refuse %s before anything happens', async (_what, headers) => {
    for (const [path, method] of [
      ['wake', 'POST'],
      ['status', 'GET'],
      ['nothing', 'GET'],
      ['dead', 'GET'],
      ['messages', 'GET'],
      ['agents', 'GET'],
      ['pause', 'POST'],
      ['messages/m1/retry', 'POST'],
      ['outbox/1/drop', 'POST'],
    ] as const) {
      const response = await app().request(`/control/${path}`, {
        method,
        headers: headers as Record<string, string>,
      });
      expect(response.status).toBe(401);
      expect(await response.json()).toMatchObject({ error: expect.stringMatching(/^The token .*\.$/) });
    }
    expect(did).toEqual([]);
  });

  it('refuse a foreign host even with the token', async () => {
    const response = await ask('wake', { method: 'POST', headers: { host: 'evil.example' } });
    expect(response.status).toBe(403);
    expect(did).toEqual([]);
  });

  it('answer in sentences where nothing is', async () => {
    const response = await ask('wake');
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ error: 'There is no GET /control/wake here.' });
  });

  it('hand on what failed, with its code and hint and without secrets', async () => {
    const failing = (error: Error) => ask('status', {}, { status: () => Promise.reject(error) });
    const known = await failing(new WorkerError('store-unusable', 'The disk is full.'));
    expect(known.status).toBe(500);
    expect(await known.json()).toMatchObject({ code: 'store-unusable', error: 'The disk is full.' });
    const unknown = await (await failing(new Error(`bad ${TOKEN}`))).json();
    expect(unknown).toMatchObject({ code: 'internal', error: 'bad [redacted]' });
  });

  it('need a token to exist at all', () => {
    expect(() => app({ token: '' })).toThrow('needs a token');
    expect(bearerIs('Bearer ', '')).toBe(false);
    expect(bearerIs(undefined, 'x')).toBe(false);
    expect(bearerIs('bearer x', 'x')).toBe(true);
  });
});
