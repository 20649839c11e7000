import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ErrorFault, type ScriptedApi, startScriptedApi } from '../../src/rehearsal/index.js';
import { ask, textOf } from './client.js';

let api: ScriptedApi;
beforeEach(async () => {
  api = await startScriptedApi({ script: () => ({ content: [{ type: 'text', text: 'scripted' }] }) });
});
afterEach(() => api.close());

const ERRORS: [ErrorFault['fault'], number, string][] = [
  ['400', 400, 'invalid_request_error'],
  ['401', 401, 'authentication_error'],
  ['403', 403, 'permission_error'],
  ['413', 413, 'request_too_large'],
  ['429', 429, 'rate_limit_error'],
  ['500', 500, 'api_error'],
  ['529', 529, 'overloaded_error'],
  ['credit', 400, 'invalid_request_error'],
  ['prompt-too-long', 400, 'invalid_request_error'],
  ['unified-limit', 429, 'rate_limit_error'],
];

describe('errors', () => {
  it.each(ERRORS)('%s is HTTP %i, %s, queued or scripted', async (fault, status, type) => {
    api.faults.enqueue({ fault });
    const queued = await ask(api, 'x');
    api.setScript(() => ({ fault, message: 'my own words' }));
    const scripted = await ask(api, 'x');
    expect([queued.status, scripted.status]).toEqual([status, status]);
    expect(await queued.json()).toMatchObject({ type: 'error', error: { type } });
    expect(await scripted.json()).toMatchObject({ error: { type, message: 'my own words' } });
    expect(api.calls().map((call) => [call.outcome, call.fault, call.status])).toEqual([
      ['fault', fault, status],
      ['fault', fault, status],
    ]);
  });

  it('come in the order of the queue, as often as said, and then no more', async () => {
    api.faults.enqueue({ fault: '429', retryAfterS: 3, times: 2 });
    api.faults.enqueue({ fault: '500', headers: { 'x-should-retry': 'false' } });
    expect(api.faults.size).toBe(3);
    const answers = [await ask(api, 'x'), await ask(api, 'x'), await ask(api, 'x'), await ask(api, 'x')];
    expect(answers.map((answer) => answer.status)).toEqual([429, 429, 500, 200]);
    expect(answers.map((answer) => answer.headers.get('retry-after'))).toEqual(['3', '3', null, null]);
    expect(answers[2]?.headers.get('x-should-retry')).toBe('false');
  });

  it('leave side calls alone', async () => {
    api.faults.enqueue({ fault: '500' });
    expect((await ask(api, 'quota', { max_tokens: 1 })).status).toBe(200);
    expect((await ask(api, 'x')).status).toBe(500);
  });

  it('a subscription limit names its end in seconds', async () => {
    api.faults.enqueue({ fault: 'unified-limit', resetsAt: 1_900_000_000_500 });
    const { headers } = await ask(api, 'x');
    expect(headers.get('anthropic-ratelimit-unified-status')).toBe('rejected');
    expect(headers.get('anthropic-ratelimit-unified-reset')).toBe('1900000000');
    expect(headers.get('anthropic-ratelimit-unified-representative-claim')).toBe('five_hour');
  });
});

describe('broken streams', () => {
  it.each([true, false])('a cut answer begins, then its socket dies (stream: %s)', async (stream) => {
    api.faults.enqueue({ fault: 'cut' });
    const response = await ask(api, 'x', { stream });
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow();
    expect(api.calls()[0]).toMatchObject({ status: 200, outcome: 'fault', fault: 'cut' });
  });

  it('a scripted cut has something to cut', async () => {
    api.setScript(() => ({ fault: 'cut' }));
    const response = await ask(api, 'x');
    const reader = response.body?.getReader();
    const first = await reader?.read();
    expect(Buffer.from(first?.value ?? []).toString()).toContain('event: message_start');
    await expect(
      (async () => {
        while (!(await reader?.read())?.done);
      })(),
    ).rejects.toThrow();
  });

  it('a hanging stream sends its headers, and goes on when released', async () => {
    // A hold meant for the next call is not taken by the call that hangs.
    const next = api.hold((call) => call.number === 2);
    api.faults.enqueue({ fault: 'hang' });
    const hanging = await ask(api, 'x');
    expect(hanging.headers.get('content-type')).toContain('text/event-stream');
    const held = ask(api, 'y');
    expect((await next.reached).number).toBe(2);
    expect(api.calls().map((call) => call.outcome)).toEqual(['open', 'open']);
    api.release();
    expect(await textOf(hanging)).toBe('scripted');
    expect(await textOf(await held)).toBe('scripted');
  });

  it('a scripted hang has no answer: released, it ends without one', async () => {
    api.setScript(() => ({ fault: 'hang' }));
    const response = await ask(api, 'x');
    api.release();
    await expect(response.text()).rejects.toThrow();
  });

  it('a slow answer is whole', async () => {
    api.faults.enqueue({ fault: 'slow', delayMs: 1, chunkDelayMs: 1 });
    expect(await textOf(await ask(api, 'x'))).toBe('scripted');
    expect(api.calls()[0]).toMatchObject({ status: 200, fault: 'slow' });
  });
});
