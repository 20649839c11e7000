// /metrics and the listener it stands on: who is let in, and what happens to a port that is taken.
import { request } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { agentText } from '../../src/app/metrics.js';
import { metricsPage } from '../../src/app/metrics-page.js';
import { type PrivateServer, startPrivateServer } from '../../src/app/private-server.js';
import { agentMetrics, processMetrics } from '../../src/observe/metrics.js';
import { status } from '../control/status.js';
import { parseExposition } from '../support/exposition.js';

const TOKEN = 'a-token-of-this-test-0123456789';
const servers: PrivateServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function serve(port = 0, texts: string[] = []): Promise<PrivateServer> {
  const server = await startPrivateServer({ port, onOtherPort: (text) => texts.push(text) });
  servers.push(server);
  return server;
}

async function page(readStatus = async () => status()) {
  const server = await serve();
  const metrics = agentMetrics({ version: '1', inbox: 'agentdm' }, { now: () => Date.now() });
  const own = processMetrics();
  const texts = () => Promise.all([agentText(metrics, readStatus), own.text()]);
  server.mount('metrics', metricsPage(TOKEN, texts));
  return (headers: Record<string, string> = {}, path = '/metrics', method = 'GET') =>
    fetch(server.url + path, { headers, method });
}
const bearer = { authorization: `Bearer ${TOKEN}` };

describe('GET /metrics', () => {
  it('answers whoever has the token of the run', async () => {
    const ask = await page();
    const answer = await ask(bearer);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      200,
      'text/plain; version=0.0.4; charset=utf-8',
    ]);
    expect(parseExposition(await answer.text()).value('inbox_worker_health', { state: 'idle' })).toBe(1);
    const open = await ask({ ...bearer, accept: 'application/openmetrics-text; version=1.0.0' });
    expect(open.headers.get('content-type')).toMatch(/^application\/openmetrics-text/);
    parseExposition(await open.text(), 'open');
  });

  it('tells nobody else anything', async () => {
    const ask = await page();
    for (const authorization of ['', 'Bearer wrong', `Basic ${TOKEN}`]) {
      const answer = await ask({ authorization });
      expect(answer.status).toBe(401);
      expect(await answer.text()).not.toContain('inbox_worker');
    }
    expect((await ask(bearer, `/metrics?token=${TOKEN}`, 'POST')).status).toBe(405);
    expect((await ask({}, `/metrics?token=${TOKEN}`)).status).toBe(401);
    expect((await ask(bearer, '/metrics/more')).status).toBe(404);
  });

  it('is refused under a foreign name, token or not', async () => {
    const server = await serve();
    server.mount('metrics', () => new Response('reached'));
    const answered = await new Promise<number | undefined>((resolve, reject) => {
      const asked = request(`${server.url}/metrics`, { headers: { host: 'evil.example' } }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      });
      asked.on('error', reject).end();
    });
    expect(answered).toBe(403);
  });

  it('goes on when the status cannot be read', async () => {
    const ask = await page(async () => {
      throw new Error('the disk is gone');
    });
    const exposed = parseExposition(await (await ask(bearer)).text());
    expect(exposed.value('inbox_worker_status_readable')).toBe(0);
    expect(exposed.value('inbox_worker_model_calls_total')).toBe(0);
  });
});

describe('the private listener', () => {
  it('takes the port it is told, and any other with a sentence where that one is taken', async () => {
    const texts: string[] = [];
    const first = await serve();
    const port = Number(new URL(first.url).port);
    const second = await serve(port, texts);
    expect(second.url).not.toBe(first.url);
    expect((await fetch(second.url)).status).toBe(404);
    expect(texts).toEqual([expect.stringContaining(`control_port ${port} is in use by another program`)]);
    await first.close();
    const third = await serve(port, texts);
    expect(third.url).toBe(first.url);
    expect(texts).toHaveLength(1);
  });
});
