// A reload takes all that it can at one instant, or nothing; every reloadable setting reaches somebody.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ClaudeAgentChange } from '../../src/agent/index.js';
import { changeableParts } from '../../src/app/agent-parts.js';
import { workerOptions } from '../../src/app/options.js';
import { type Loaded, Reloader } from '../../src/app/reloader.js';
import { loadSettings, resolveInbox } from '../../src/config/index.js';
import { SETTING_LIST, SETTINGS, type SettingName } from '../../src/config/schema.js';
import { WorkerError } from '../../src/domain/errors.js';
import type { WorkerOptions } from '../../src/worker/options.js';
import { folderWith } from '../config/folder.js';

const ENV = { HOME: '/home/nobody', PATH: '/bin' };
const MCP = {
  mcpServers: {
    agentdm: { type: 'http', url: 'http://127.0.0.1:1/mcp', headers: { Authorization: 'Bearer ${KEY}' } },
  },
};

async function rig(values: Record<string, unknown> = {}) {
  const dir = await folderWith({ '.mcp.json': MCP, '.env': 'KEY=abc\n', 'config/worker.json': values });
  const load = async (): Promise<Loaded> => {
    const settings = await loadSettings({ flags: {}, env: ENV, cwd: dir });
    const inbox = await resolveInbox(settings, ENV);
    if (!inbox) throw new Error('no inbox');
    return { settings, inbox };
  };
  const did: string[] = [];
  const told: string[] = [];
  const seen: { options?: WorkerOptions; claude?: ClaudeAgentChange; refuse?: WorkerError } = {};
  const secrets: string[] = [];
  const reloader = new Reloader({
    loaded: await load(),
    load,
    env: ENV,
    version: '1.2.3',
    agent: {
      change: (claude) => {
        did.push('agent');
        seen.claude = claude;
      },
    },
    worker: {
      renew: (options) => {
        did.push('worker');
        seen.options = options;
      },
    },
    receiver: {
      renew: () => {
        if (seen.refuse) throw seen.refuse;
        did.push('receiver');
      },
    },
    observers: { setLogging: ({ logLevel }) => did.push(`log ${logLevel}`) },
    observer: { on: (event) => void (event.type === 'notice' && told.push(`${event.level}: ${event.text}`)) },
    secrets,
  });
  const write = (name: string, text: unknown) =>
    writeFile(join(dir, name), typeof text === 'string' ? text : JSON.stringify(text));
  return { reloader, write, did, told, seen, secrets };
}

describe('a reload', () => {
  it('hands new values to whoever needs them, and tells what changed', async () => {
    const { reloader, write, did, told, seen, secrets } = await rig();
    await write('config/worker.json', {
      budget_hour: '$2',
      model: 'haiku',
      log_level: 'debug',
      log_bodies: true,
      webhook_secret: 'whsec_c2VjcmV0',
      webhook_port: 9000,
    });
    const { changed, kept, warnings } = await reloader.reload();
    expect(changed.map(({ key }) => key)).toEqual([
      'model',
      'budget_hour',
      'webhook_secret',
      'log_level',
      'log_bodies',
    ]);
    expect(kept).toMatchObject([{ key: 'webhook_port', running: '8787', wanted: '9000' }]);
    expect(warnings).toEqual([expect.stringContaining('log_bodies')]);
    expect(did).toEqual(['receiver', 'log debug', 'agent', 'worker']);
    expect(seen.options?.budgets.hour).toEqual({ usd: 2, tokens: 'unlimited' });
    expect(seen.claude).toMatchObject({ model: 'haiku' });
    expect(secrets).toContain('whsec_c2VjcmV0');
    expect(told).toEqual([
      `warn: ${warnings[0]}`,
      'info: Settings reloaded: model: unset → haiku; budget_hour: unlimited → $2; webhook_secret: unset → …hidden; log_level: info → debug; log_bodies: off → on. Kept until a restart: webhook_port.',
    ]);
    // What was taken is in force: the same again is no change, and back is one.
    expect((await reloader.reload()).changed).toEqual([]);
    await write('config/worker.json', {});
    expect((await reloader.reload()).changed).toContainEqual({ key: 'model', from: 'haiku', to: '' });
  });

  it('changes nothing where a file is faulty, and says so', async () => {
    const { reloader, write, did, told } = await rig({ drain: '5s' });
    for (const [name, text] of [
      ['config/worker.json', '{ "budget_day": "$5", "min_slep": "3s" }'],
      ['config/worker.json', '{ nonsense'],
      ['config/worker.json', { system_prompt_file: 'nowhere.md' }],
      ['.mcp.json', '{'],
    ] as const) {
      await write(name, text);
      await expect(reloader.reload()).rejects.toBeInstanceOf(WorkerError);
      await write('config/worker.json', { drain: '5s' });
    }
    expect(did).toEqual([]);
    expect(told).toHaveLength(4);
    expect(told[0]).toMatch(/^warn: The settings were not reloaded, those in force stay: .*min_sleep/);
    await write('.mcp.json', MCP);
    expect((await reloader.reload()).changed).toEqual([]);
  });

  it('changes nothing where the webhook secret would be refused', async () => {
    const { reloader, write, did, seen } = await rig();
    await write('config/worker.json', { attempts: 2 });
    seen.refuse = new WorkerError('webhook-insecure', 'It would be open.');
    await expect(reloader.reload()).rejects.toBe(seen.refuse);
    expect(did).toEqual([]);
    delete seen.refuse;
    expect((await reloader.reload()).changed).toEqual([{ key: 'attempts', from: '5', to: '2' }]);
  });

  it('takes the text of the prompt file and the login in .env, without telling them', async () => {
    const { reloader, write, seen, secrets } = await rig();
    await write('me.md', 'You are Ada.');
    await write('config/worker.json', { system_prompt_file: 'me.md' });
    expect((await reloader.reload()).changed).toMatchObject([{ key: 'system_prompt_file' }]);
    await write('me.md', 'You are Ada, and brief.');
    await write('.env', 'KEY=abc\nANTHROPIC_API_KEY=sk-secret\n');
    const { changed } = await reloader.reload();
    expect(changed).toEqual([
      { key: 'text of the system prompt', from: '12 characters', to: '23 characters' },
      { key: 'ANTHROPIC_API_KEY in .env', from: '', to: '…hidden' },
    ]);
    expect(seen.claude?.environment).toMatchObject({ ANTHROPIC_API_KEY: 'sk-secret' });
    expect(secrets).toContain('sk-secret');
    await reloader.reload();
    expect(secrets.filter((secret) => secret === 'sk-secret')).toHaveLength(1);
  });

  it('keeps another entry of the inbox for a restart', async () => {
    const { reloader, write, did } = await rig();
    await write('.env', 'KEY=another\n');
    const { kept } = await reloader.reload();
    expect(kept).toMatchObject([
      { key: 'entry "agentdm" of .mcp.json', why: expect.stringContaining('lease') },
    ]);
    expect(JSON.stringify(kept)).not.toContain('another');
    expect(did).toContain('worker');
  });
});

/** Written values of all kinds: for each setting one of them is sound and not its default. */
const CANDIDATES = [
  'off',
  'on',
  '2h',
  '7',
  '777',
  '$7',
  '@zed',
  'all',
  'trace',
  'resend',
  'some other words',
];
/** Without these, some have nobody to reach. */
const GROUND = { waitNoticeAfter: '5m', ownAlias: '@agent' };

it('reaches somebody with every reloadable setting', async () => {
  // For the one setting that names a file.
  const cwd = await folderWith({ off: 'You are another.' });
  const load = (flags: Record<string, string>, env: Record<string, string> = {}) =>
    loadSettings({ flags: { ...GROUND, ...flags }, env: { ...ENV, ...env }, cwd });
  const ground = await load({});
  const reached = async (settings: Awaited<ReturnType<typeof load>>): Promise<string> =>
    JSON.stringify([
      workerOptions(settings, 'agentdm', '1'),
      await changeableParts(settings, ENV),
      settings.logLevel,
      settings.logBodies,
      settings.webhookSecret,
    ]);
  const before = await reached(ground);
  for (const [name, setting] of SETTING_LIST.filter(([, { reloadable }]) => reloadable)) {
    const value = CANDIDATES.find((text) => isOther(name, text, ground[name]));
    expect([name, value]).not.toEqual([name, undefined]);
    const settings = setting.flag
      ? await load({ [setting.flag]: String(value), ...(name === 'minSleepMs' ? { 'max-sleep': '2h' } : {}) })
      : await load({}, { [setting.env[0] ?? '']: String(value) });
    expect([name, (await reached(settings)) === before]).toEqual([name, false]);
  }
});

function isOther(name: SettingName, text: string, now: unknown): boolean {
  const kind = SETTINGS[name].kind;
  const reading = kind.read(text, { base: '/', home: '/' });
  return 'value' in reading && JSON.stringify(reading.value) !== JSON.stringify(now);
}
