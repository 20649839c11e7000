// Secrets in every event and every field of it, told to everybody who listens to an agent: none comes out anywhere.
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { trace } from '@opentelemetry/api';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeObservers } from '../../src/app/observers.js';
import { knownSecrets } from '../../src/app/secrets.js';
import { loadSettings } from '../../src/config/index.js';
import { narrator } from '../../src/observe/index.js';
import type { WorkerEvent } from '../../src/ports/observer.js';
import { folderWith } from '../config/folder.js';
import { status } from '../control/status.js';
import {
  began,
  capped,
  dead,
  ended,
  hold,
  looked,
  lookFailed,
  rescued,
  sendFailed,
  sent,
} from '../observe/events.js';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'redaction-'));
});
afterEach(async () => {
  trace.disable();
  await rm(root, { recursive: true, force: true });
});

/** One of each event. */
const EVENTS: readonly WorkerEvent[] = [
  { type: 'standing-by', text: 'x' },
  { type: 'started', inbox: 'x', folder: 'x' },
  { type: 'woken', kind: 'webhook' },
  { type: 'look-began', wokenBy: ['webhook'] },
  looked({ fresh: 1 }),
  lookFailed(),
  { type: 'look-due', nextAt: 1 },
  { type: 'hold-began', hold },
  { type: 'hold-ended', hold, at: 1 },
  { type: 'agent-ready', sessionId: 'x', pid: 1 },
  { type: 'agent-not-ready', text: 'x' },
  began(),
  { type: 'turn-progress', turnId: 'turn-1', progress: { sessionId: 'x', tool: 'x', outputTokens: 1 } },
  ended({ verdict: 'dead', ending: 'failed', reason: 'unknown' }),
  sent(),
  sendFailed(),
  rescued(),
  capped(),
  dead(),
  { type: 'webhook-refused', reason: 'stale' },
  { type: 'notice', level: 'error', text: 'x' },
  { type: 'stopping', how: 'drain', text: 'x' },
  { type: 'stopped', text: 'x' },
];

/** Fields that hold a word of a closed list, or an id of our own making. */
const OURS = [
  'type',
  'kind',
  'verdict',
  'ending',
  'reason',
  'state',
  'level',
  'mode',
  'wokenBy',
  'claimId',
  'turnId',
];

/** Every other text of the event replaced. */
function seeded<T>(value: T, text: string, event: WorkerEvent, field = ''): T {
  const closed = OURS.includes(field) || (event.type === 'look-failed' && field === 'outcome');
  if (typeof value === 'string') {
    return (closed || (event.type === 'stopping' && field === 'how') ? value : text) as T;
  }
  if (Array.isArray(value)) return value.map((item) => seeded(item, text, event, field)) as T;
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([name, inner]) => [name, seeded(inner, text, event, name)]);
  return Object.fromEntries(fields) as T;
}

/** Tells everybody an agent tells, and answers all that came of it: logs, files, traces, metrics, a rehearsal's lines. */
async function told(
  events: readonly WorkerEvent[],
  secrets: readonly string[],
  more: { format?: 'json' | 'pretty'; words?: string } = {},
): Promise<string> {
  const folder = await mkdtemp(join(root, 'run-'));
  const exporter = new InMemorySpanExporter();
  trace.disable();
  trace.setGlobalTracerProvider(
    new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }),
  );
  let log = '';
  const stream = new Writable({
    write(chunk, _encoding, done) {
      log += String(chunk);
      done();
    },
  });
  const lines: string[] = [];
  const flags = {
    logFormat: more.format ?? 'json',
    logLevel: 'trace',
    logFile: join(folder, 'worker.log'),
    ...(more.words === undefined ? {} : { logBodies: 'on' }),
  };
  const settings = await loadSettings({ flags, env: { HOME: root }, cwd: folder });
  const observers = await makeObservers({
    settings,
    inbox: 'x',
    version: '1',
    folder: join(folder, '.orchestrator'),
    secrets,
    clock: { now: () => 1_000, sleepUntil: async () => {} },
    others: [narrator((line) => lines.push(line), { quietLooks: true })],
    log: stream,
  });
  for (const event of events) observers.observer.on(event);
  if (more.words !== undefined) {
    observers.onWords?.({
      direction: 'in',
      who: '@alice',
      conversation: '@alice',
      id: 'm1',
      text: more.words,
    });
  }
  await observers.flush();
  const spans = exporter.getFinishedSpans().map(({ name, attributes, events, status }) => ({
    name,
    attributes,
    events,
    status,
  }));
  const files = await Promise.all(
    (await readdir(folder, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map((entry) => readFile(join(entry.parentPath, entry.name), 'utf8')),
  );
  expect(files.length).toBeGreaterThanOrEqual(3);
  expect(spans.length).toBeGreaterThan(3);
  const body = await observers.metrics?.text(status());
  return [log, ...lines, ...files, JSON.stringify(spans), body].join('\n');
}

const secretOf = fc
  .stringMatching(/^[A-Za-z0-9"\\/+=%&:@. -]{8,40}$/)
  .filter((text) => text.trim().length >= 8);

describe('whoever listens', () => {
  it('is told of every kind of event here', async () => {
    const port = await readFile(new URL('../../src/ports/observer.ts', import.meta.url), 'utf8');
    const types = [...port.matchAll(/\btype: '([a-z-]+)'/g)].map((match) => match[1]);
    expect([...new Set(EVENTS.map(({ type }) => type))].sort()).toEqual([...new Set(types)].sort());
  });

  it('is told no known secret, wherever it stands and however it is spelt', async () => {
    const spellings: readonly ((secret: string) => string)[] = [
      (secret) => secret,
      (secret) => JSON.stringify({ inner: secret }),
      (secret) => `https://x.example/?q=${encodeURIComponent(secret)}`,
      (secret) => `${'word '.repeat(40)}${secret}`,
      (secret) => `line\n\tat ${secret} (file.js:1:2)`,
    ];
    await fc.assert(
      fc.asyncProperty(
        secretOf,
        fc.constantFrom(...spellings),
        fc.constantFrom('json' as const, 'pretty' as const),
        async (secret, spell, format) => {
          const text = `a ${spell(secret)} b`;
          const seeds = EVENTS.map((event) => seeded(event, text, event));
          const all = await told(seeds, [secret], { format, words: text });
          for (const spelt of [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)]) {
            expect(all).not.toContain(spelt);
          }
          expect(all).toContain('[redacted]');
        },
      ),
      { numRuns: 40 },
    );
  });

  it('is told no secret that nobody has named, where it looks like one', async () => {
    const hidden = 'Zq8Xw7Lm5Kp3';
    const shapes = [
      `Authorization: Bearer ${hidden}`,
      `authorization: token ${hidden}`,
      JSON.stringify(JSON.stringify({ Authorization: `Basic ${hidden}` })),
      `https://joe:${hidden}@inbox.example/mcp`,
      `postgres://joe:p@${hidden}@db:5432/x`,
      `https://x.example/?access_token=${hidden}`,
      `ANTHROPIC_API_KEY=sk-ant-${hidden}`,
      `{"client_secret":"${hidden}"}`,
      `Set-Cookie: sid=${hidden}; Path=/`,
    ];
    for (const shape of shapes) {
      const all = await told(
        EVENTS.map((event) => seeded(event, shape, event)),
        [],
        { words: shape },
      );
      expect(all, shape).not.toContain(hidden);
    }
  });

  it('is told everything else: the events themselves are what they were', async () => {
    const all = await told(EVENTS, ['not-in-here-at-all']);
    for (const { type } of EVENTS) expect(all).toContain(`"event":"${type}"`);
    expect(all).toContain('"verdict":"dead"');
    expect(all).not.toContain('[redacted]');
  });

  it('knows an event by its type even where a secret is a word of ours', async () => {
    const all = await told(EVENTS, ['turn-ended', 'looked', 'answered', 'inbox-down', 'unauthorised']);
    expect(all).toContain('inbox_worker_turns_total{outcome="failed",verdict="dead"} 1');
  });
});

describe('the words of people', () => {
  const words = 'a very private thing';

  it('are nowhere unless asked for', async () => {
    expect(await told(EVENTS, [])).not.toContain(words);
    const cwd = await folderWith();
    const { logBodies } = await loadSettings({ flags: {}, env: { HOME: root }, cwd });
    expect(logBodies).toBe(false);
  });

  it('are in the log alone where they are, cut and on one line', async () => {
    const log = await told(EVENTS, [], { words: `${words}\n\u001b[2J${'x'.repeat(2_000)}end` });
    const line = log.split('\n').find((one) => one.includes('"event":"words"')) ?? '';
    const { msg, chars, who } = JSON.parse(line) as { msg: string; chars: number; who: string };
    expect([who, chars]).toEqual(['@alice', 2_000 + words.length + '\n\u001b[2J'.length + 3]);
    expect(msg).toMatch(new RegExp(`^@alice wrote: ${words} \\[2Jx+…$`));
    expect(msg.length).toBeLessThan(530);
    expect(log.match(new RegExp(words, 'g'))).toHaveLength(2);
  });
});

it('knows the keys of inbox, login, webhooks and database by their settings', async () => {
  const cwd = await folderWith();
  const env = {
    HOME: root,
    WEBHOOK_SECRET: 'hook-secret-1,hook-secret-2',
    INBOX_WORKER_DATABASE_URL: 'postgres://joe:pg-password@db/x',
  };
  const settings = await loadSettings({ flags: {}, env, cwd });
  const server = {
    type: 'http' as const,
    url: 'https://x.example/mcp?key=query-key-1',
    headers: { Authorization: 'Bearer inbox-key-1', 'X-Other': 'header-key-2' },
  };
  const claude = {
    PATH: '/usr/bin-and-more',
    ANTHROPIC_API_KEY: 'login-key-1',
    ANTHROPIC_AUTH_TOKEN: 'login-key-2',
  };
  const secrets = knownSecrets(
    settings,
    { key: 'inbox-key-1', server: server as never },
    claude,
    'control-token',
  );
  expect(secrets).toEqual(
    expect.arrayContaining([
      ...['control-token', 'inbox-key-1', 'header-key-2', 'query-key-1', 'hook-secret-1', 'hook-secret-2'],
      ...['pg-password', 'login-key-1', 'login-key-2'],
    ]),
  );
  expect(secrets).not.toContain('/usr/bin-and-more');
});
