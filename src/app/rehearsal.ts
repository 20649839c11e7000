// The rehearsal: the whole pipeline with the real Claude Code and a scripted model. No key, no cost, nobody real.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findClaude } from '../agent/index.js';
import { loadSettings, resolveInbox, type Settings } from '../config/index.js';
import { WorkerError } from '../domain/errors.js';
import { type LocalInbox, type Posted, startLocalInbox } from '../local-inbox/index.js';
import type { Observer } from '../ports/observer.js';
import { claudeEnvironment, type ScriptedApi, startScriptedApi } from '../rehearsal/index.js';
import type { SignalLatch } from '../wake/index.js';
import { type ComposedAgent, compose } from './compose.js';
import { type LoadInput, type RehearsedAgent, readAgent } from './rehearsed-agent.js';
import { Releases } from './releases.js';
import type { Loaded } from './reloader.js';

const WEBHOOK_SECRET = `whsec_${Buffer.from('rehearsal webhook secret').toString('base64')}`;
/** Where no wake is wanted, nobody should wait for a minute. */
const SLEEP_MS = 5_000;

export interface RehearsalOptions {
  readonly version: string;
  /** Where the settings are read. Of a bare rehearsal only flags and a named file count. */
  readonly input: LoadInput;
  /** The agent written down in the folder that `input` leads to is rehearsed, not a bare one. */
  readonly written: boolean;
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
  /** The agent that was read, where one was. */
  readonly written: RehearsedAgent | undefined;
  /** The webhook receiver has its port only when the run has begun: tells the inbox where to call. */
  connectWebhook(): void;
  /** Ends everything and removes the temporary folders. */
  close(): Promise<void>;
}

/** @throws WorkerError when there is no Claude Code, the agent could not start, or nothing can be written */
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
    const written = options.written ? await readAgent(options.input, folder) : undefined;
    const { agentAlias, caller } = written ?? { agentAlias: '@agent', caller: '@you' };

    const inbox = await startLocalInbox({ databasePath: join(root, 'inbox.db'), onPosted: options.onPosted });
    releases.add(() => inbox.close());
    const key = inbox.ensureAlias(agentAlias, 'The agent of this rehearsal.');
    inbox.ensureAlias(caller, 'Whoever watches this rehearsal.');
    const api = await startScriptedApi({ keep: 50 });
    releases.add(() => api.close());
    // Read from files like any other agent's, so that a rehearsal walks the way a live start walks.
    await writeFile(join(folder, '.mcp.json'), mcpJson(inbox.url, written?.inboxName ?? 'agentdm'));
    await writeFile(join(folder, '.env'), `AGENTDM_API_KEY=${key}\nWEBHOOK_SECRET=${WEBHOOK_SECRET}\n`, {
      mode: 0o600,
    });

    const load = async (again = true): Promise<Loaded> => {
      const agent = written && again ? await readAgent(options.input, folder) : written;
      const settings = await settingsOf(options, { folder, stateDir: join(root, 'state') }, agent);
      const resolved = await resolveInbox(settings, {});
      if (!resolved) throw new WorkerError('internal', 'The rehearsal found no inbox in its own folder.');
      return { settings, inbox: resolved };
    };
    const agent = await compose({
      ...(await load(false)),
      load,
      env: { ...claudeEnvironment({ apiUrl: api.url, home }), ...written?.environment },
      version: options.version,
      observers: options.observers,
      signals: options.signals,
      signal: options.signal,
      log: options.log,
      rehearsal: { inbox: { url: inbox.url, keys: inbox.keys() }, agentAlias, stateRoot: options.stateRoot },
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
      caller,
      agentAlias,
      written,
      connectWebhook: () => {
        const address = agent.webhookAddress();
        if (!address) return;
        const url = `http://${address.host}:${address.port}/webhook`;
        inbox.setWebhook(agentAlias, { url, secret: WEBHOOK_SECRET });
      },
      close: () => releases.run(),
    };
  } catch (error) {
    // The first error tells more than one of tidying up after it.
    await releases.run().catch(() => {});
    throw error;
  }
}

/** Those of a bare rehearsal, with the ways of the written agent laid over them. */
async function settingsOf(
  { input }: RehearsalOptions,
  { folder, stateDir }: { folder: string; stateDir: string },
  written: RehearsedAgent | undefined,
): Promise<Settings> {
  const bare = { dir: folder, stateDir, webhookPort: '0', drain: '1s' };
  const flags = written ? bare : { ...input.flags, ...bare };
  const file = written ? undefined : input.file;
  const settings = await loadSettings({ flags, env: {}, cwd: written ? folder : input.cwd, file });
  return {
    ...settings,
    claudePath: settings.claudePath ?? (written ? undefined : await ownClaude(input)),
    ...written?.ways,
    minSleepMs: SLEEP_MS,
    sleepStepMs: SLEEP_MS,
    intervalMs: undefined,
  };
}

/** The version that the rehearsal was made with, where this package brought it along; else whichever there is. */
async function ownClaude({ env, cwd }: LoadInput): Promise<string> {
  const own = await findClaude({ environment: env, cwd, where: 'own' }).catch(() => undefined);
  return (own ?? (await findClaude({ environment: env, cwd }))).path;
}

function mcpJson(url: string, name: string): string {
  const entry = { type: 'http', url, headers: { Authorization: 'Bearer ${AGENTDM_API_KEY}' } };
  return `${JSON.stringify({ mcpServers: { [name]: entry } }, null, 2)}\n`;
}
