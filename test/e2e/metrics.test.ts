// Prometheus at a real worker: scraped before and after one answered message, on the port and with the token set.
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type Lab, openLab } from '../support/agent-lab.js';
import { type Exposed, parseExposition } from '../support/exposition.js';

const TOKEN = 'scrape-me-with-0123456789abcdef';
const labs: Lab[] = [];
async function lab(settings: Record<string, unknown>): Promise<Lab> {
  const opened = await openLab({ settings });
  labs.push(opened);
  return opened;
}
afterEach(async () => {
  for (const one of labs.splice(0)) await one.close();
});

/** A port that was free a moment ago. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

const scrape = (port: number, token = TOKEN): Promise<Response> =>
  fetch(`http://127.0.0.1:${port}/metrics`, { headers: { authorization: `Bearer ${token}` } });

async function exposed(port: number): Promise<Exposed> {
  const answer = await scrape(port);
  expect(answer.status).toBe(200);
  return parseExposition(await answer.text());
}

describe('a worker that is scraped', () => {
  it('shows one message come in and its answer go out', async () => {
    const port = await freePort();
    const it = await lab({ control_port: port, budget_day: '$5' });
    const worker = it.run([], { INBOX_WORKER_CONTROL_TOKEN: TOKEN });
    await worker.says(/Claude Code is ready/);
    await worker.says(/looked/);
    const before = await exposed(port);
    expect(before.value('inbox_worker_health', { state: 'idle' })).toBe(1);
    expect(before.value('inbox_worker_looks_total', { outcome: 'empty' })).toBeGreaterThan(0);
    expect(before.value('inbox_worker_claude_starts_total')).toBe(1);
    expect(before.value('inbox_worker_claude_resident_memory_bytes')).toBeGreaterThan(1e6);
    expect(before.value('inbox_worker_turns_total', { outcome: 'completed', verdict: 'answered' })).toBe(0);
    expect(before.value('inbox_worker_budget_limit_usd', { window: 'day' })).toBe(5);

    it.say('@alice', 'What is six times seven?');
    await worker.says(/^sent reply/);
    const after = await exposed(port);
    expect(after.value('inbox_worker_messages_spooled_total')).toBe(1);
    expect(after.value('inbox_worker_messages_settled_total', { state: 'answered' })).toBe(1);
    expect(after.value('inbox_worker_messages', { state: 'answered' })).toBe(1);
    expect(after.value('inbox_worker_turns_total', { outcome: 'completed', verdict: 'answered' })).toBe(1);
    expect(after.value('inbox_worker_model_calls_total')).toBe(1);
    expect(after.value('inbox_worker_tokens_total', { kind: 'output' })).toBeGreaterThan(0);
    const cost = after.value('inbox_worker_cost_usd_total');
    expect(cost).toBeGreaterThan(0);
    expect(after.value('inbox_worker_budget_used_usd', { window: 'day' })).toBeCloseTo(cost, 9);
    expect(after.value('inbox_worker_sends_total', { kind: 'reply', state: 'sent' })).toBe(1);
    expect(after.value('inbox_worker_reply_latency_seconds_count')).toBe(1);
    expect(after.value('inbox_worker_turn_duration_seconds_count')).toBe(1);
    expect(after.value('inbox_worker_session_turns')).toBe(1);
    // Nothing that was counted is taken back, and no series has come that was not there.
    for (const [key, value] of before.all) {
      if (/_total\[|_count\[|_bucket\[/.test(key))
        expect(after.all.get(key), key).toBeGreaterThanOrEqual(value);
    }

    // Commands go the same way with the same token; nobody gets in with another one.
    expect((await scrape(port, `${TOKEN}x`)).status).toBe(401);
    expect(JSON.parse((await it.command('status', '--json')).stdout)).toMatchObject({ health: 'idle' });
    worker.signal('SIGTERM');
    expect(await worker.ended()).toMatchObject({ exitCode: 0 });
    expect(worker.lines.join('\n')).not.toContain(TOKEN);
    const ledger = await readFile(`${it.folder}/.orchestrator/ledger.md`, 'utf8');
    expect(ledger).toContain('@alice');
  });

  it('answers its inbox on another port where the wished one is taken, and says so', async () => {
    const squatter = createServer();
    await new Promise<void>((resolve) => squatter.listen(0, '127.0.0.1', resolve));
    const address = squatter.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    try {
      const it = await lab({ control_port: port });
      const worker = it.run();
      expect((await worker.says(/control_port/)).level).toBe('warn');
      it.say('@alice', 'hello');
      await it.answerTo('@alice');
      expect((await it.command('status')).exitCode).toBe(0);
    } finally {
      squatter.close();
    }
  });

  it('refuses a token that could be guessed', async () => {
    const it = await lab({});
    const worker = it.run([], { INBOX_WORKER_CONTROL_TOKEN: 'short' });
    expect(await worker.ended()).toMatchObject({ exitCode: 2 });
    expect(worker.lines.join('\n')).toContain('at least 24 printable characters');
    expect(worker.lines.join('\n')).not.toContain('short');
  });
});
