// The rehearsal: the whole pipeline with the real Claude Code and a scripted model. No key, no cost, nobody real.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadSettings, resolveInbox } from '../config/index.js';
import { WorkerError } from '../domain/errors.js';
import { type LocalInbox, type Posted, startLocalInbox } from '../local-inbox/index.js';
import type { Observer } from '../ports/observer.js';
import { claudeEnvironment, type ScriptedApi, startScriptedApi } from '../rehearsal/index.js';
import type { SignalLatch } from '../wake/index.js';
import { type ComposedAgent, compose } from './compose.js';
import { Releases } from './releases.js';

const AGENT = '@agent';
const CALLER = '@you';
const WEBHOOK_SECRET = `whsec_${Buffer.from('rehearsal webhook secret').toString('base64')}`;

export interface RehearsalOptions {
  readonly version: string;
  /** The caller's real state root: the running file goes there, so that other commands find us. Nothing else does. */
  readonly stateRoot: string;
  readonly observers: readonly Observer[];
  readonly onPosted: (message: Posted) => void;
  readonly signals: SignalLatch;
  readonly signal: AbortSignal;
  /** Where the worker's log goes: a rehearsal tells its story by observers instead. */
  readonly log: NodeJS.WritableStream;
}

export interface Rehearsal {
  readonly agent: ComposedAgent;
  readonly inbox: LocalInbox;
  readonly api: ScriptedApi;
  readonly caller: string;
  readonly agentAlias: string;
  /** The webhook receiver has its port only when the run has begun: tells the inbox where to call. */
  connectWebhook(): void;
  /** Ends everything and removes the temporary folders. */
  close(): Promise<void>;
}

/** @throws WorkerError when Claude Code is not in node_modules, or nothing can be written to the temporary folder */
export async function startRehearsal(options: RehearsalOptions): Promise<Rehearsal | 'aborted'> {
  const releases = new Releases();
  try {
    const root = await mkdtemp(join(tmpdir(), 'inbox-rehearsal-'));
    // Claude Code may still be writing its session when it is ended: tried again until the folder is gone.
    releases.add(() => rm(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 }));
    const home = join(root, 'home');
    const folder = join(root, 'agent');
    await mkdir(home, { recursive: true });
    await mkdir(folder, { recursive: true });

    const inbox = await startLocalInbox({ databasePath: join(root, 'inbox.db'), onPosted: options.onPosted });
    releases.add(() => inbox.close());
    const key = inbox.ensureAlias(AGENT, 'The agent of this rehearsal.');
    inbox.ensureAlias(CALLER, 'Whoever watches this rehearsal.');
    const api = await startScriptedApi({ keep: 50 });
    releases.add(() => api.close());
    // Read from files like any other agent's, so that a rehearsal walks the way a live start walks.
    await writeFile(join(folder, '.mcp.json'), mcpJson(inbox.url));
    await writeFile(join(folder, '.env'), `AGENTDM_API_KEY=${key}\nWEBHOOK_SECRET=${WEBHOOK_SECRET}\n`, {
      mode: 0o600,
    });

    const settings = await loadSettings({
      flags: {
        dir: folder,
        stateDir: join(root, 'state'),
        webhookPort: '0',
        drain: '1s',
        minSleep: '5s',
        sleepStep: '5s',
      },
      env: {},
      cwd: folder,
    });
    const resolved = await resolveInbox(settings, {});
    if (!resolved) throw new WorkerError('internal', 'The rehearsal found no inbox in its own folder.');
    const agent = await compose({
      settings,
      inbox: resolved,
      env: claudeEnvironment({ apiUrl: api.url, home }),
      version: options.version,
      observers: options.observers,
      signals: options.signals,
      signal: options.signal,
      log: options.log,
      rehearsal: {
        inbox: { url: inbox.url, keys: inbox.keys() },
        agentAlias: AGENT,
        stateRoot: options.stateRoot,
      },
    });
    if (agent === 'aborted') {
      await releases.run();
      return 'aborted';
    }
    releases.add(() => agent.close());
    return {
      agent,
      inbox,
      api,
      caller: CALLER,
      agentAlias: AGENT,
      connectWebhook: () => {
        const address = agent.webhookAddress();
        if (!address) return;
        const url = `http://${address.host}:${address.port}/webhook`;
        inbox.setWebhook(AGENT, { url, secret: WEBHOOK_SECRET });
      },
      close: () => releases.run(),
    };
  } catch (error) {
    // The first error tells more than one of tidying up after it.
    await releases.run().catch(() => {});
    throw error;
  }
}

function mcpJson(url: string): string {
  const agentdm = { type: 'http', url, headers: { Authorization: 'Bearer ${AGENTDM_API_KEY}' } };
  return `${JSON.stringify({ mcpServers: { agentdm } }, null, 2)}\n`;
}
