// Loading the files of `run --all`: what each agent becomes, and everything that is wrong told at once.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { agreed } from '../../../src/app/many/clashes.js';
import { loadAgents } from '../../../src/app/many/load.js';
import type { AgentPlan } from '../../../src/app/many/plan.js';
import { WorkerError } from '../../../src/domain/errors.js';
import { folderWith } from '../../config/folder.js';

const INBOX = {
  mcpServers: {
    agentdm: {
      type: 'http',
      url: 'http://127.0.0.1:9/mcp',
      headers: { Authorization: 'Bearer ${AGENTDM_API_KEY}' },
    },
  },
};

/** The folder of an agent, with a key of its own. */
const agent = (name: string): Record<string, unknown> => ({
  [`${name}/.mcp.json`]: INBOX,
  [`${name}/.env`]: `AGENTDM_API_KEY=key-of-${name}\n`,
});

interface Given {
  readonly files: Record<string, unknown>;
  readonly words?: string[];
  readonly flags?: Record<string, string>;
  readonly env?: Record<string, string>;
}

async function load({ files, words = [], flags = {}, env = {} }: Given): Promise<{
  cwd: string;
  plans: AgentPlan[];
}> {
  const cwd = await folderWith(files);
  const plans = await loadAgents({ words, flags, env: { HOME: cwd, ...env }, cwd });
  return { cwd, plans };
}

async function faults(given: Given): Promise<string[]> {
  const error: unknown = await load(given).catch((reason) => reason);
  if (!(error instanceof WorkerError)) throw new Error(`expected a WorkerError, got ${String(error)}`);
  expect(error).toMatchObject({ exitCode: 2, hint: expect.stringContaining('doctor --config') });
  const [intro, ...lines] = error.message.split('\n');
  expect(intro).toBe('Nothing was started, since this is wrong:');
  return lines.map((line) => line.replace(/^- /, ''));
}

const two = (scout: object = {}, clerk: object = {}): Record<string, unknown> => ({
  ...agent('scout'),
  ...agent('clerk'),
  'config/agents/scout.json': { dir: '../../scout', ...scout },
  'config/agents/clerk.json': { dir: '../../clerk', ...clerk },
});

describe('each agent', () => {
  it('has its own folder, settings, inbox and name', async () => {
    const { cwd, plans } = await load({ files: two({ attempts: 7 }, { name: 'The-Clerk' }) });
    expect(plans.map(({ name, file, folder }) => ({ name, file, folder }))).toEqual([
      { name: 'The-Clerk', file: 'config/agents/clerk.json', folder: join(cwd, 'clerk') },
      { name: 'scout', file: 'config/agents/scout.json', folder: join(cwd, 'scout') },
    ]);
    expect(plans.map(({ settings }) => [settings.name, settings.attempts])).toEqual([
      ['The-Clerk', 5],
      ['scout', 7],
    ]);
    expect(plans.map(({ inbox }) => inbox.key)).toEqual(['key-of-clerk', 'key-of-scout']);
    expect(new Set(plans.map(({ store }) => store)).size).toBe(2);
  });

  it('takes what flags and environment say for all', async () => {
    const { plans } = await load({
      files: two(),
      flags: { attempts: '3' },
      env: { MIN_SLEEP: '9s' },
      words: ['config/agents/*.json'],
    });
    expect(plans.map(({ settings }) => [settings.attempts, settings.minSleepMs])).toEqual([
      [3, 9000],
      [3, 9000],
    ]);
  });
});

it('tells every fault of every file at once, and names the file', async () => {
  const files = {
    ...agent('scout'),
    'bare/README': '',
    'config/agents/a.json': { dir: '../../scout', min_slep: '1s', attempts: 'many' },
    'config/agents/b.json': {},
    'config/agents/c.json': { dir: '../../bare' },
    'config/agents/d.json': { dir: '../../nowhere' },
    'config/agents/e.json': '{ "dir": ',
    'config/agents/my agent.json': { dir: '../../scout' },
    'config/agents/g.json': { dir: '../../scout', system_prompt_file: 'none.md' },
    'config/agents/h.json': { dir: '../../scout', profile: 'none.json' },
  };
  const told = await faults({ files });
  const of = (name: string): string[] =>
    told.filter((line) => line.startsWith(`config/agents/${name}.json: `));
  expect(of('a')).toHaveLength(2);
  expect(of('a').join()).toMatch(/attempts.*min_slep/s);
  expect(of('b')).toEqual([expect.stringContaining('It does not say whose settings it holds; write "dir"')]);
  expect(of('c')).toEqual([expect.stringContaining('has no .mcp.json with a server in it')]);
  expect(of('d')).toEqual([expect.stringContaining('which does not exist')]);
  expect(of('e')).toEqual([expect.stringContaining('is not valid JSON')]);
  expect(of('my agent')).toEqual([
    expect.stringContaining('"my agent" is no name of an agent; write "name"'),
  ]);
  expect(of('g')).toEqual([expect.stringContaining('none.md does not exist')]);
  expect(of('h')).toEqual([expect.stringContaining('none.json does not exist')]);
  expect(told).toHaveLength(9);
});

describe('together they must not share', () => {
  it('a name', async () => {
    expect(await faults({ files: two({}, { name: 'Scout' }) })).toEqual([
      'config/agents/clerk.json and config/agents/scout.json are both named "Scout"; write a "name" of its own into each.',
    ]);
  });

  it('an inbox: one key in the environment makes them one', async () => {
    const told = await faults({ files: two(), env: { AGENTDM_API_KEY: 'one-for-all' } });
    expect(told).toEqual([
      expect.stringMatching(/clerk\.json and .*scout\.json answer one inbox, "agentdm", with the same key/),
    ]);
    expect(told.join()).not.toContain('one-for-all');
  });

  it('an inbox, also where an inbox_id hides it', async () => {
    const files = { ...two({}, { inbox_id: 'mine' }), 'clerk/.env': 'AGENTDM_API_KEY=key-of-scout\n' };
    expect(await faults({ files })).toEqual([expect.stringContaining('answer one inbox')]);
  });

  it('a store, on disk or in a database', async () => {
    const told = [expect.stringContaining('have one inbox_id, "mine", for different inboxes')];
    const mine = (more: object) => ({ inbox_id: 'mine', ...more });
    expect(await faults({ files: two(mine({}), mine({})) })).toEqual(told);
    const apart = two(mine({ state_dir: 'one' }), mine({ state_dir: 'two' }));
    expect((await load({ files: apart })).plans).toHaveLength(2);
    const env = { INBOX_WORKER_DATABASE_URL: 'postgres://127.0.0.1:9/mail' };
    expect(await faults({ files: apart, env })).toEqual(told);
  });

  it('an agent’s folder', async () => {
    const servers = {
      first: INBOX.mcpServers.agentdm,
      second: { type: 'http', url: 'http://127.0.0.1:8/mcp' },
    };
    const files = {
      ...two({ inbox: 'first' }, { dir: '../../scout', inbox: 'second' }),
      'scout/.mcp.json': { mcpServers: servers },
    };
    expect(await faults({ files })).toEqual([
      expect.stringMatching(/have one agent's folder, .*scout, and so one \.orchestrator/),
    ]);
  });

  it('a flag or a variable that names one folder for all', async () => {
    const byFlag = await faults({ files: two(), flags: { dir: 'scout' } });
    expect(byFlag[0]).toContain('--dir names one folder');
    const byEnv = await faults({ files: two(), env: { INBOX_WORKER_DIR: 'scout' } });
    expect(byEnv[0]).toContain('INBOX_WORKER_DIR names one folder');
  });
});

describe('the one listener for webhooks', () => {
  it('is where those agents want it that say so', async () => {
    const { plans } = await load({ files: two({ webhook_port: 9000 }, {}) });
    expect([agreed(plans, 'webhookPort'), agreed(plans, 'webhookHost')]).toEqual([9000, '127.0.0.1']);
    const { plans: silent } = await load({ files: two() });
    expect(agreed(silent, 'webhookPort')).toBe(8787);
  });

  it('cannot be at two places', async () => {
    const told = await faults({ files: two({ webhook_port: 9000 }, { webhook_port: 9001 }) });
    expect(told).toEqual([
      expect.stringMatching(/^webhook_port is 9001 in .*clerk\.json, 9000 in .*scout\.json: .* one listener/),
    ]);
    const off = two({ webhook_port: 9000 }, { webhook_port: 9001, webhook: false });
    expect((await load({ files: off })).plans).toHaveLength(2);
  });

  it('takes no agent without a secret where others can reach it', async () => {
    const files = two({ webhook_host: '0.0.0.0', webhook_secret: 'long and random' }, {});
    expect(await faults({ files })).toEqual([
      'config/agents/clerk.json: The webhook receiver would listen on 0.0.0.0 without a secret.',
    ]);
  });

  it('takes no damaged secret', async () => {
    const told = await faults({ files: two({ webhook_secret: 'whsec_*' }) });
    expect(told).toEqual([expect.stringMatching(/^config\/agents\/scout\.json: .*not base64/)]);
  });
});

describe('the one private listener', () => {
  it('has the port and the token of those that set one', async () => {
    const token = 'one-token-of-this-test-012345';
    const { plans } = await load({ files: two({ control_port: 9464 }, { control_token: token }) });
    expect([agreed(plans, 'controlPort'), agreed(plans, 'controlToken')]).toEqual([9464, token]);
    const { plans: silent } = await load({ files: two() });
    expect([agreed(silent, 'controlPort'), agreed(silent, 'controlToken')]).toEqual([0, undefined]);
  });

  it('has one of each, and no token is told', async () => {
    const [one, other] = ['one-token-of-this-test-012345', 'another-token-of-this-test-01'];
    const files = two(
      { control_port: 9464, control_token: one },
      { control_port: 9465, control_token: other },
    );
    const told = await faults({ files });
    expect(told).toEqual([
      expect.stringMatching(/^control_port is 9465 in .*clerk\.json, 9464 in .*scout\.json: /),
      expect.stringMatching(/^control_token is one in .*clerk\.json, another one in .*scout\.json: /),
    ]);
    expect(told.join('')).not.toMatch(/token-of-this-test/);
  });

  it('keeps one address for all, which no agent may be called', async () => {
    expect(await faults({ files: two({ name: 'Metrics' }) })).toEqual([
      expect.stringMatching(/scout\.json: An agent cannot be called "metrics"/),
    ]);
  });
});

it('takes the two files that this package brings as examples', async () => {
  const files = { ...agent('agents/support'), ...agent('agents/scout') };
  const folder = new URL('../../../config/agents/', import.meta.url);
  for (const name of await readdir(folder))
    files[`config/agents/${name}`] = await readFile(new URL(name, folder), 'utf8');
  const { cwd, plans } = await load({ files });
  expect(plans.map(({ name, folder: dir }) => [name, dir])).toEqual([
    ['scout', join(cwd, 'agents/scout')],
    ['support', join(cwd, 'agents/support')],
  ]);
});
