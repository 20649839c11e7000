import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RecordedCall, type ScriptedApi, startScriptedApi } from '../../src/rehearsal/index.js';
import { ask, parseSse, textOf } from './client.js';

let api: ScriptedApi;
beforeEach(async () => {
  api = await startScriptedApi({
    keep: 3,
    script: () => ({ content: [{ type: 'text', text: 'scripted' }] }),
  });
});
afterEach(() => api.close());

describe('routes', () => {
  it('streams when asked to, and answers JSON when not', async () => {
    const streamed = await ask(api, 'hi');
    expect(streamed.headers.get('content-type')).toContain('text/event-stream');
    expect(parseSse(await streamed.text()).at(-1)?.name).toBe('message_stop');

    const whole = await ask(api, 'hi', { stream: false });
    expect(await whole.json()).toMatchObject({
      type: 'message',
      model: 'claude-sonnet-5',
      content: [{ type: 'text', text: 'scripted' }],
      stop_reason: 'end_turn',
    });
  });

  it('counts tokens, lets itself be probed, and records the rest as 404', async () => {
    const count = await fetch(`${api.url}/v1/messages/count_tokens?beta=true`, {
      method: 'POST',
      body: '{"messages":[]}',
    });
    expect(await count.json()).toEqual({ input_tokens: 4 });
    expect((await fetch(api.url, { method: 'HEAD' })).status).toBe(200);
    const other = await fetch(`${api.url}/api/hello`);
    expect(other.status).toBe(404);
    expect(await other.json()).toMatchObject({ type: 'error', error: { type: 'not_found_error' } });
    expect(api.calls().map((call) => [call.kind, call.method, call.status])).toEqual([
      ['count', 'POST', 200],
      ['probe', 'HEAD', 200],
      ['unknown', 'GET', 404],
    ]);
  });

  it.each(['not json', '{}', '{"messages":[]}', '{"messages":[{"role":"user"}]}'])(
    'refuses %s with 400',
    async (body) => {
      const response = await fetch(`${api.url}/v1/messages`, { method: 'POST', body });
      expect(response.status).toBe(400);
    },
  );

  it('names the model it was told to', async () => {
    const other = await startScriptedApi({ model: 'claude-opus-5-5' });
    const answer = await ask(other, 'hi', { stream: false });
    await other.close();
    expect(await answer.json()).toMatchObject({ model: 'claude-opus-5-5' });
  });
});

describe('the record', () => {
  it('tells listeners at once, keeps the latest, and counts all', async () => {
    const heard: RecordedCall['status'][] = [];
    const stop = api.onCall((call) => heard.push(call.status));
    for (const text of ['1', '2', '3', '4']) await (await ask(api, text)).text();
    stop();
    await (await ask(api, '5')).text();

    expect(heard).toEqual([undefined, undefined, undefined, undefined]);
    expect(api.calls().map((call) => call.number)).toEqual([3, 4, 5]);
    expect(api.total).toBe(5);
    expect(api.calls()[0]).toMatchObject({
      path: '/v1/messages?beta=true',
      model: 'claude-sonnet-5',
      kind: 'turn',
      status: 200,
      outcome: 'answered',
    });
    expect(api.calls()[0]?.bytes).toBe(Buffer.byteLength(JSON.stringify(api.calls()[0]?.body)));
  });

  it('starts anew after a reset', async () => {
    await (await ask(api, 'x')).text();
    api.setScript(() => ({ content: [{ type: 'text', text: 'other' }] }));
    api.faults.enqueue({ fault: '500' });
    api.reset();
    expect(api.calls()).toEqual([]);
    expect(await textOf(await ask(api, 'x'))).toBe('scripted');
    expect(api.total).toBe(1);
  });
});

describe('scripts', () => {
  it('may wait, and see the request and whether the caller is still there', async () => {
    const gone = new Promise<void>((resolve) => {
      api.setScript(async (request, { signal }) => {
        await new Promise<void>((go) => signal.addEventListener('abort', () => go()));
        expect(request.messages).toHaveLength(1);
        resolve();
        return { content: [] };
      });
    });
    const caller = new AbortController();
    api.onCall(() => caller.abort());
    const body = JSON.stringify({ messages: [{ role: 'user', content: 'hi' }] });
    await expect(
      fetch(`${api.url}/v1/messages`, { method: 'POST', body, signal: caller.signal }),
    ).rejects.toThrow();
    await gone;
    await expect.poll(() => api.calls()[0]?.outcome).toBe('abandoned');
  });

  it('that throw are seen as a 400 with their words', async () => {
    api.setScript(() => {
      throw new Error('expected two messages');
    });
    const response = await ask(api, 'hi');
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('The script threw: expected two messages');
  });
});

describe('holds', () => {
  it('holds one call, matched or next, until it is released', async () => {
    const held = api.hold((call) => call.number === 2);
    expect(await textOf(await ask(api, 'first'))).toBe('scripted');
    const second = ask(api, 'second');
    const call = await held.reached;
    expect([call.number, call.outcome, call.status]).toEqual([2, 'open', undefined]);
    expect(await textOf(await ask(api, 'third'))).toBe('scripted');
    held.release();
    expect(await textOf(await second)).toBe('scripted');
  });

  it('released before it is reached holds nothing', async () => {
    api.hold().release();
    expect(await textOf(await ask(api, 'x'))).toBe('scripted');
  });

  it('do not outlive the server: close ends what is held', async () => {
    const held = api.hold();
    const call = ask(api, 'x').catch((error: unknown) => error);
    await held.reached;
    await api.close();
    expect(await call).toBeInstanceOf(Error);
    await expect.poll(() => api.calls()[0]?.outcome).toBe('abandoned');
  });
});
