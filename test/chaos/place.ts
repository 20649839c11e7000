// The place of a run: a temporary folder with an agent in it, ports, and the environment of its processes.
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { claudeEnvironment } from '../../src/rehearsal/index.js';
import { CLAUDE_RETRIES } from './model.js';

const ROOT = resolve(import.meta.dirname, '../..');
export const MAIN = join(ROOT, 'dist/main.js');
export const WEBHOOK_SECRET = `whsec_${Buffer.from('the secret of a chaos run').toString('base64')}`;

export interface Place {
  /** All that the run writes is in here; nobody else's command line holds this path. */
  readonly root: string;
  readonly agentFolder: string;
  readonly home: string;
  /** XDG_STATE_HOME of worker and inbox. */
  readonly stateHome: string;
  readonly webhookPort: number;
  readonly inboxPort: number;
}

export async function makePlace(): Promise<Place> {
  const root = await mkdtemp(join(tmpdir(), 'inbox-chaos-'));
  const place: Place = {
    root,
    agentFolder: join(root, 'agent'),
    home: join(root, 'home'),
    stateHome: join(root, 'state'),
    webhookPort: await freePort(),
    inboxPort: await freePort(),
  };
  await mkdir(join(place.agentFolder, 'config'), { recursive: true });
  await mkdir(place.home, { recursive: true });
  return place;
}

/** Puts the agent's three files there: the inbox's entry, the key, the settings. */
export async function furnish(
  place: Place,
  inbox: { url: string; key: string; vocabulary: string },
): Promise<void> {
  const { agentFolder, webhookPort } = place;
  const entry = {
    type: 'http',
    url: inbox.url,
    headers: { Authorization: 'Bearer ${AGENTDM_API_KEY}' },
  };
  await writeFile(join(agentFolder, '.mcp.json'), JSON.stringify({ mcpServers: { agentdm: entry } }));
  const keys = [`AGENTDM_API_KEY=${inbox.key}`, `WEBHOOK_SECRET=${WEBHOOK_SECRET}`];
  await writeFile(join(agentFolder, '.env'), `${keys.join('\n')}\n`, { mode: 0o600 });
  const settings = {
    claude_path: join(ROOT, 'node_modules/.bin/claude'),
    // The inbox offers both: people need the keys of dms to post a question once.
    profile: inbox.vocabulary,
    webhook_port: webhookPort,
    wake_stream: 'off',
    // The floor under webhooks that never come.
    min_sleep: '2s',
    sleep_step: '1s',
    max_sleep: '5s',
    attempts: 1000,
    retry_delay: '100ms',
    retry_delay_max: '2s',
    result_timeout: '15s',
    call_timeout: '5s',
    budget_day: 'unlimited',
    loop_turns: 'unlimited',
    log_format: 'json',
    log_level: 'debug',
  };
  await writeFile(join(agentFolder, 'config', 'worker.json'), JSON.stringify(settings, null, 2));
}

export function environmentOf(place: Place, apiUrl: string): Record<string, string> {
  return {
    ...claudeEnvironment({ apiUrl, home: place.home }),
    CLAUDE_CODE_MAX_RETRIES: String(CLAUDE_RETRIES),
    XDG_STATE_HOME: place.stateHome,
  };
}

/** Somebody else could take it before we do; then the run fails at once and loudly. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('There is no free port.');
  return address.port;
}
