// Loading: which source wins, where values come from, and how everything that is wrong is told.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { describeOrigin, describeSettings } from '../../src/config/describe.js';
import { type LoadInput, loadSettings } from '../../src/config/load.js';
import { SETTING_LIST } from '../../src/config/schema.js';
import { camelCase } from '../../src/config/sources.js';
import { WorkerError } from '../../src/domain/errors.js';
import { folderWith } from './folder.js';

const UNLIMITED = { usd: 'unlimited', tokens: 'unlimited' };

const HOME = '/home/nobody';

function load(cwd: string, input: Partial<LoadInput> = {}) {
  return loadSettings({ flags: {}, cwd, ...input, env: { HOME, ...input.env } });
}

/** The error that loading ends in. */
async function fault(cwd: string, input: Partial<LoadInput> = {}): Promise<WorkerError> {
  const error: unknown = await load(cwd, input).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof WorkerError)) throw new Error(`expected a WorkerError, got ${String(error)}`);
  return error;
}

describe('defaults', () => {
  it('are these, in an empty folder', async () => {
    const cwd = await folderWith();
    const { origins, warnings, tickPrompt, deadNoticeText, waitNoticeText, ...values } = await load(cwd);
    expect(values).toEqual({
      dir: cwd,
      name: undefined,
      inbox: undefined,
      inboxId: undefined,
      profile: 'auto',
      ownAlias: undefined,
      allowSenders: 'anyone',
      channels: 'mention',
      sessionTurns: 50,
      sessionAgeMs: 86_400_000,
      sessionContext: 120_000,
      recycleTurns: 500,
      recycleAgeMs: 86_400_000,
      recycleMemory: 1_500,
      toolTimeoutMs: 1_800_000,
      mcpToolTimeoutMs: 600_000,
      budgetDay: { usd: 10, tokens: 'unlimited' },
      budgetHour: UNLIMITED,
      budgetRun: UNLIMITED,
      budgetConversation: UNLIMITED,
      budgetSender: UNLIMITED,
      budgetMessage: UNLIMITED,
      loopTurns: 30,
      loopWindowMs: 3_600_000,
      denySenders: [],
      sendTo: [],
      callTimeoutMs: 15_000,
      databaseUrl: undefined,
      claudePath: undefined,
      model: undefined,
      preset: 'answer',
      systemPromptFile: undefined,
      appendSystemPrompt: undefined,
      claudeArgs: [],
      passEnv: [],
      allowServers: [],
      delivery: 'inline',
      pullScope: 'conversation',
      session: 'conversation',
      memoryExchanges: 10,
      memoryChars: 8000,
      maxInlineChars: 20_000,
      minSleepMs: 60_000,
      sleepStepMs: 60_000,
      maxSleepMs: 3_600_000,
      intervalMs: undefined,
      unprovenMaxSleepMs: 60_000,
      resultTimeoutMs: 600_000,
      turnLimitMs: 7_200_000,
      attempts: 5,
      retryDelayMs: 10_000,
      retryDelayMaxMs: 600_000,
      drainMs: 30_000,
      maxIterations: 'unlimited',
      onUnsure: 'hold',
      deadNotice: true,
      waitNoticeAfterMs: 'off',
      standby: false,
      once: false,
      webhook: true,
      webhookHost: '127.0.0.1',
      webhookPort: 8787,
      webhookSecret: [],
      wakeStream: 'auto',
      notifications: false,
      onHold: 'off',
      onDead: 'off',
      tellSecret: [],
      onHoldReasons: [
        'agent-unauthorised',
        'agent-not-ready',
        'credit-exhausted',
        'over-budget',
        'inbox-unauthorised',
        'inbox-down',
        'disk-full',
        'store-down',
        'lease-lost',
      ],
      onHoldAfterMs: 60_000,
      tellIntervalMs: 600_000,
      stateDir: '/home/nobody/.local/state/inbox-worker',
      leaseStaleMs: 300_000,
      leaseHeartbeatMs: 20_000,
      logLevel: 'info',
      logFormat: 'auto',
      logFile: undefined,
      logFileSize: 10,
      logFileCount: 5,
      logBodies: false,
      liveLine: 'auto',
      controlPort: 0,
      controlToken: undefined,
    });
    expect(tickPrompt).toContain('When nothing is left, say "done".');
    expect([deadNoticeText, waitNoticeText]).not.toContain('');
    expect(warnings).toEqual([]);
    expect(new Set(Object.values(origins).map((origin) => origin.from))).toEqual(new Set(['default']));
  });

  it('keep state where XDG says, unless that is relative', async () => {
    const cwd = await folderWith();
    expect((await load(cwd, { env: { XDG_STATE_HOME: '/state' } })).stateDir).toBe('/state/inbox-worker');
    expect((await load(cwd, { env: { XDG_STATE_HOME: 'state' } })).stateDir).toBe(
      '/home/nobody/.local/state/inbox-worker',
    );
  });
});

describe('the schema', () => {
  it('names each setting in the program after its key, durations with Ms', () => {
    for (const [name, { key, kind }] of SETTING_LIST) {
      expect(name).toBe(camelCase(key) + (kind.word.startsWith('duration') ? 'Ms' : ''));
    }
  });

  it('gives no name twice', () => {
    const names = SETTING_LIST.flatMap(([, { env }]) => env);
    expect(new Set(names).size).toBe(names.length);
  });

  it('reads what it writes: every default', async () => {
    const cwd = await folderWith();
    const settings = await load(cwd);
    for (const [name, { kind }] of SETTING_LIST) {
      const value: unknown = settings[name];
      if (value === undefined) continue;
      expect(kind.read(kind.write(value as never), { base: cwd, home: HOME }), name).toEqual({ value });
    }
  });
});

describe('precedence', () => {
  const all = { 'config/worker.json': { min_sleep: '1s' }, '.env': 'MIN_SLEEP=2s\n' };
  it.each([
    ['flag', { flags: { minSleep: '4s' }, env: { MIN_SLEEP: '3s' } }, all, 4000, '--min-sleep'],
    ['env', { env: { MIN_SLEEP: '3s' } }, all, 3000, 'MIN_SLEEP'],
    ['dotenv', {}, all, 2000, 'MIN_SLEEP'],
    ['file', {}, { ...all, '.env': '' }, 1000, 'min_sleep'],
    ['default', {}, {}, 60_000, ''],
  ])('%s', async (from, input, files, ms, name) => {
    const settings = await load(await folderWith(files), input as Partial<LoadInput>);
    expect(settings.minSleepMs).toBe(ms);
    expect(settings.origins.minSleepMs).toEqual({ from, name });
  });

  it('the prefixed name goes before the short one, the short ones in their order', async () => {
    const cwd = await folderWith();
    const env = { INBOX_WORKER_SLEEP_STEP: '1', SLEEP_STEP: '2', STEP_SLEEP: '3' };
    expect((await load(cwd, { env })).sleepStepMs).toBe(1000);
    expect((await load(cwd, { env: { ...env, INBOX_WORKER_SLEEP_STEP: undefined } })).sleepStepMs).toBe(2000);
    expect((await load(cwd, { env: { STEP_SLEEP: '3' } })).origins.sleepStepMs.name).toBe('STEP_SLEEP');
  });

  it('an empty variable and a null in the file count as unset', async () => {
    const cwd = await folderWith({ '.env': 'MODEL=\n', 'config/worker.json': { model: null, attempts: 3 } });
    const settings = await load(cwd, { env: { MODEL: ' ', INBOX_WORKER_ATTEMPTS: '' } });
    expect([settings.model, settings.attempts]).toEqual([undefined, 3]);
  });

  it('flags are found as written and in camelCase, other options are left alone', async () => {
    const cwd = await folderWith();
    const flags = { 'state-dir': 'state', webhook: false, once: true, json: true };
    const settings = await load(cwd, { flags });
    expect([settings.stateDir, settings.webhook, settings.once]).toEqual([join(cwd, 'state'), false, true]);
  });

  it('tells a max_sleep that was set on purpose from the default, also when they are equal', async () => {
    const settings = await load(await folderWith(), { env: { MAX_SLEEP: '3600' } });
    expect(settings.maxSleepMs).toBe(3_600_000);
    expect(settings.origins.maxSleepMs.from).toBe('env');
  });
});

describe('the folder', () => {
  it('is --dir, and its files are read there; relative paths count from where they were written', async () => {
    const cwd = await folderWith({
      'agent/config/worker.json': { system_prompt_file: 'me.md', attempts: 2 },
      'agent/.env': 'INBOX_WORKER_STATE_DIR=state\n',
    });
    const settings = await load(cwd, { flags: { dir: 'agent', claudePath: './claude' } });
    expect(settings).toMatchObject({
      dir: join(cwd, 'agent'),
      attempts: 2,
      systemPromptFile: join(cwd, 'agent/me.md'),
      stateDir: join(cwd, 'agent/state'),
      claudePath: join(cwd, 'claude'),
    });
  });

  it('must exist', async () => {
    const cwd = await folderWith({ file: '' });
    const missing = await fault(cwd, { flags: { dir: 'nowhere' } });
    expect(missing.message).toBe(
      `The flag --dir names ${cwd}/nowhere, which does not exist; write the agent's folder.`,
    );
    expect((await fault(cwd, { env: { INBOX_WORKER_DIR: 'file' } })).message).toContain('is not a folder');
  });

  it('may be said by a file that was named: from where that file lies, and after flag and environment', async () => {
    const cwd = await folderWith({
      'config/agents/scout.json': { dir: '../../scout', system_prompt_file: 'mine.md' },
      'config/agents/lost.json': { dir: 'nowhere' },
      'config/agents/odd.json': { dir: 7, min_slep: 1 },
      'scout/.env': 'MIN_SLEEP=7s',
      'clerk/.env': 'MIN_SLEEP=8s',
    });
    const file = 'config/agents/scout.json';
    const scout = await load(cwd, { file });
    expect(scout).toMatchObject({ dir: join(cwd, 'scout'), minSleepMs: 7000 });
    expect(scout.systemPromptFile).toBe(join(cwd, 'scout', 'mine.md'));
    expect(scout.origins.dir).toEqual({ from: 'file', name: 'dir' });
    expect((await load(cwd, { file, flags: { dir: 'clerk' } })).minSleepMs).toBe(8000);
    const env = { INBOX_WORKER_DIR: 'clerk' };
    expect((await load(cwd, { file, env })).minSleepMs).toBe(8000);
    expect((await fault(cwd, { file: 'config/agents/lost.json' })).message).toBe(
      `"dir" in config/agents/lost.json names ${join(cwd, 'config/agents/nowhere')}, which does not exist; write the agent's folder.`,
    );
    expect((await fault(cwd, { file: 'config/agents/odd.json' })).message).toContain(
      '"dir" in config/agents/odd.json is 7; write a path.',
    );
  });

  it('is not named in the files that it holds', async () => {
    const cwd = await folderWith({ '.env': 'INBOX_WORKER_DIR=x\n', 'config/worker.json': { dir: 'x' } });
    const { message } = await fault(cwd);
    expect(message).toContain('"dir" in config/worker.json comes too late');
    expect(message).toContain('INBOX_WORKER_DIR in .env comes too late');
    expect(message).toContain('write --dir or set INBOX_WORKER_DIR in the environment');
  });
});

describe('.env', () => {
  it('never reaches the environment', async () => {
    const env = { HOME };
    await loadSettings({
      flags: {},
      env,
      cwd: await folderWith({ '.env': 'MIN_SLEEP=5\nINBOX_WORKER_T=1\n' }),
    });
    expect(env).toEqual({ HOME });
    expect(process.env.INBOX_WORKER_T).toBeUndefined();
  });
});

describe('a bad value is one sentence', () => {
  it.each([
    [{ flags: { minSleep: 'soon' } }, {}, 'The flag --min-sleep is "soon"; write a duration such as 90'],
    [{ env: { MIN_SLEEP: 'soon' } }, {}, 'MIN_SLEEP in the environment is "soon"; write a duration'],
    [{}, { '.env': 'MIN_SLEEP=soon' }, 'MIN_SLEEP in .env is "soon"; write a duration'],
    [
      {},
      { 'config/worker.json': { webhook_port: { a: 1 } } },
      '"webhook_port" in config/worker.json is {"a":1}; write a whole number from 0 to 65535.',
    ],
    [{ env: { MAX_ITERATIONS: '0' } }, {}, 'is "0"; write unlimited where no limit is meant'],
    [{ flags: { inbox: true } }, {}, 'The flag --inbox is true; write a name that is not empty.'],
    [{ env: { PRESET: 'all' } }, {}, 'write one of answer, read, work, everything.'],
  ])('%j %j', async (input, files, sentence) => {
    const error = await fault(await folderWith(files), input as Partial<LoadInput>);
    expect(error.code).toBe('setting-invalid');
    expect(error.exitCode).toBe(2);
    expect(error.message).toContain(sentence);
  });

  it('hides secrets', async () => {
    const files = { 'config/worker.json': { webhook_secret: ['whsec_verysecret', 5] } };
    const { message } = await fault(await folderWith(files));
    expect(message).toContain('"webhook_secret" in config/worker.json is (hidden); write one secret');
    expect(message).not.toContain('verysecret');
  });

  it('and several are told at once, with unknown keys and the nearest known one', async () => {
    const cwd = await folderWith({
      'config/worker.json': { minSlep: 5, preset: 'all', zebra: 1, '//': 'x' },
    });
    const error = await fault(cwd, { env: { DRAIN: 'x' } });
    expect(error.code).toBe('setting-invalid');
    expect(error.message.split('\n')).toEqual([
      '4 settings are wrong:',
      expect.stringContaining('- "preset" in config/worker.json is "all"'),
      expect.stringContaining('- DRAIN in the environment is "x"'),
      '- "minSlep" in config/worker.json is no setting; did you mean "min_sleep"?',
      '- "zebra" in config/worker.json is no setting; remove it.',
    ]);
  });

  it('only unknown keys: setting-unknown', async () => {
    const error = await fault(await folderWith({ 'config/worker.json': { modle: 'x' } }));
    expect(error.code).toBe('setting-unknown');
    expect(error.message).toBe('"modle" in config/worker.json is no setting; did you mean "model"?');
  });

  it('a shadowed one does not count', async () => {
    const settings = await load(await folderWith({ 'config/worker.json': { drain: 'x' } }), {
      env: { DRAIN: '1' },
    });
    expect(settings.drainMs).toBe(1000);
  });
});

describe('settings that do not go together', () => {
  it.each([
    [
      { MAX_SLEEP: '30s' },
      'min_sleep (the default) is 60s and MAX_SLEEP in the environment is 30s: the shortest sleep cannot be longer than the longest; lower min_sleep or raise max_sleep.',
    ],
    [{ INBOX_WORKER_LEASE_STALE: '20s' }, 'a living worker would look dead between two heartbeats'],
  ])('%j', async (env, sentence) => {
    const error = await fault(await folderWith(), { env });
    expect(error.code).toBe('setting-invalid');
    expect(error.message).toContain(sentence);
  });
});

describe('the settings file', () => {
  it('that is no JSON is told by line and column', async () => {
    const error = await fault(await folderWith({ 'config/worker.json': '{\n  "drain": 5,\n}' }));
    expect(error.code).toBe('setting-invalid');
    expect(error.message).toBe(
      'config/worker.json is not valid JSON: line 3, column 1: the comma before "}" is one too many.',
    );
  });

  it('must be an object', async () => {
    const error = await fault(await folderWith({ 'config/worker.json': '[]' }));
    expect(error.message).toContain('config/worker.json must hold one JSON object');
  });

  it('may be another, which must exist', async () => {
    const cwd = await folderWith({ 'seed.json': { drain: '9s' }, 'config/worker.json': { drain: '1s' } });
    expect((await load(cwd, { file: 'seed.json' })).drainMs).toBe(9000);
    const error = await fault(cwd, { file: 'none.json' });
    expect([error.code, error.message]).toEqual([
      'file-unreadable',
      'The settings file none.json does not exist.',
    ]);
  });

  it('may be `seed`, which this package brings; what stands elsewhere goes before it as ever', async () => {
    const cwd = await folderWith({ 'config/worker.json': { preset: 'read' } });
    const settings = await load(cwd, { file: 'seed', env: { TICK_PROMPT: 'tick', MAX_SLEEP: '30m' } });
    expect(settings).toMatchObject({
      preset: 'everything',
      delivery: 'pull',
      pullScope: 'all',
      session: 'continuous',
      tickPrompt: 'tick',
      minSleepMs: 60_000,
      sleepStepMs: 60_000,
      maxSleepMs: 1_800_000,
      resultTimeoutMs: 600_000,
      warnings: [],
    });
    // Its tick prompt is the default one: written out there for whoever wants to change it.
    expect((await load(cwd, { file: 'seed' })).tickPrompt).toBe((await load(cwd)).tickPrompt);
  });

  it('that cannot be read is told', async () => {
    const error = await fault(await folderWith({ 'config/worker.json/x': '' }));
    expect([error.code, error.message]).toEqual([
      'file-unreadable',
      expect.stringMatching(/worker\.json cannot be read \(EISDIR\)/),
    ]);
  });
});

it('warns of variables with our prefix that are no setting', async () => {
  const cwd = await folderWith({ '.env': 'INBOX_WORKER_ZEBRA=1\n' });
  const { warnings } = await load(cwd, { env: { INBOX_WORKER_MAX_SLEP: '1h' } });
  expect(warnings).toEqual([
    'INBOX_WORKER_MAX_SLEP in the environment is no setting and was ignored; did you mean INBOX_WORKER_MAX_SLEEP?',
    'INBOX_WORKER_ZEBRA in .env is no setting and was ignored.',
  ]);
});

describe('describeSettings', () => {
  it('gives value, origin, unit and caption, and hides secrets', async () => {
    const cwd = await folderWith({ 'config/worker.json': { send_to: ['alice', '#ops'] } });
    const settings = await load(cwd, { env: { WEBHOOK_SECRET: 'whsec_a,whsec_b', DRAIN: '90' } });
    expect(settings.webhookSecret).toEqual(['whsec_a', 'whsec_b']);
    const rows = describeSettings(settings);
    const row = (key: string) => rows.find((candidate) => candidate.key === key);
    expect(rows).toHaveLength(SETTING_LIST.length);
    expect(JSON.stringify(rows)).not.toContain('whsec_');
    expect(row('webhook_secret')?.value).toBe('…hidden');
    expect(row('send_to')?.value).toBe('@alice, #ops');
    expect(row('model')?.value).toBe('');
    expect(row('drain')).toEqual({
      key: 'drain',
      group: 'worker',
      value: '90s',
      origin: { from: 'env', name: 'DRAIN' },
      unit: 's',
      caption: 'how long a stop waits for the turn that runs',
    });
    expect(['drain', 'send_to', 'model'].map((key) => describeOrigin(settings.origins[camel(key)]))).toEqual([
      'DRAIN in the environment',
      'settings file',
      'default',
    ]);
  });
});

function camel(key: string) {
  const found = SETTING_LIST.find(([, setting]) => setting.key === key);
  if (!found) throw new Error(`no setting ${key}`);
  return found[0];
}
