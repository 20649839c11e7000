// Reloads the settings of a running agent: what can be taken is taken at once and as a whole, or nothing is.
import { isDeepStrictEqual } from 'node:util';
import type { ChangeableAgent, ClaudeAgentChange } from '../agent/index.js';
import { type ResolvedInbox, renewSettings, type SettingChange, type Settings } from '../config/index.js';
import type { Reloaded } from '../control/index.js';
import type { Observer } from '../ports/observer.js';
import type { WebhookReceiver } from '../wake/index.js';
import { messageOf } from '../worker/faults.js';
import type { WorkerOptions } from '../worker/options.js';
import { changeableParts } from './agent-parts.js';
import { warningsOf } from './first-words.js';
import type { Observers } from './observers.js';
import { workerOptions } from './options.js';
import { knownSecrets } from './secrets.js';

/** What an agent is loaded from. */
export interface Loaded {
  readonly settings: Settings;
  readonly inbox: ResolvedInbox;
}

export interface ReloadWish {
  /** In force. */
  readonly loaded: Loaded;
  /** Reads the files again, with the flags and the environment of the start. Rejects with WorkerError as the start would. */
  load(): Promise<Loaded>;
  readonly env: NodeJS.ProcessEnv;
  readonly version: string;
  readonly agent: Pick<ChangeableAgent, 'change'>;
  readonly worker: { renew(options: WorkerOptions): void };
  readonly receiver: Pick<WebhookReceiver, 'renew'> | undefined;
  readonly observers: Pick<Observers, 'setLogging'>;
  readonly observer: Observer;
  /** Literals to be kept out of logs; new ones are added. */
  readonly secrets: string[];
}

export class Reloader {
  readonly #wish: ReloadWish;
  #settings: Settings;
  /** What Claude Code is started with now; unknown until the first reload. */
  #claude: Promise<ClaudeAgentChange>;
  #last: Promise<unknown> = Promise.resolve();

  constructor(wish: ReloadWish) {
    this.#wish = wish;
    this.#settings = wish.loaded.settings;
    this.#claude = changeableParts(this.#settings, wish.env);
    this.#claude.catch(() => {});
  }

  /** One after the other. Rejects with WorkerError where a file is faulty; then everything is as it was. */
  reload(): Promise<Reloaded> {
    const next = this.#last.then(() => this.#reload());
    this.#last = next.catch(() => {});
    return next;
  }

  async #reload(): Promise<Reloaded> {
    const { observer } = this.#wish;
    try {
      const reloaded = await this.#take();
      for (const text of reloaded.warnings) observer.on({ type: 'notice', level: 'warn', text });
      observer.on({ type: 'notice', level: 'info', text: sentence(reloaded) });
      return reloaded;
    } catch (error) {
      const text = `The settings were not reloaded, those in force stay: ${messageOf(error)}`;
      observer.on({ type: 'notice', level: 'warn', text });
      throw error;
    }
  }

  async #take(): Promise<Reloaded> {
    const { load, loaded, env, version, agent, worker, receiver, observers, secrets } = this.#wish;
    const wanted = await load();
    const { settings, changed, kept } = renewSettings(this.#settings, wanted.settings);
    const claude = await changeableParts(settings, env);
    const before = await this.#claude.catch(() => claude);
    // The only one that can refuse, so it goes first.
    receiver?.renew(settings.webhookSecret);
    // From here on nothing fails and nothing waits: all of it holds at one instant.
    const known = knownSecrets(settings, loaded.inbox, claude.environment, '');
    secrets.push(...known.filter((secret) => !secrets.includes(secret)));
    observers.setLogging(settings);
    agent.change(claude);
    worker.renew(workerOptions(settings, loaded.inbox.name, version));
    this.#settings = settings;
    this.#claude = Promise.resolve(claude);
    return {
      changed: [...changed, ...claudeChanges(before, claude, changed)],
      kept: [...kept, ...inboxKept(loaded.inbox, wanted.inbox)],
      warnings: warningsOf(settings, wanted.inbox),
    };
  }
}

/** What stands behind settings that have not changed: the text of the prompt file, Claude's login in .env. */
function claudeChanges(
  was: ClaudeAgentChange,
  now: ClaudeAgentChange,
  told: readonly SettingChange[],
): SettingChange[] {
  const changes: SettingChange[] = [];
  const keys = told.map(({ key }) => key);
  const [before, after] = [was, now].map(
    (one) => `${one.systemPrompt ?? ''}\n${one.appendSystemPrompt ?? ''}`,
  );
  const explained = keys.includes('system_prompt_file') || keys.includes('append_system_prompt');
  if (before !== after && before !== undefined && after !== undefined && !explained) {
    const size = (text: string): string => `${text.trim().length} characters`;
    changes.push({ key: 'text of the system prompt', from: size(before), to: size(after) });
  }
  for (const name of Object.keys({ ...was.environment, ...now.environment }).sort()) {
    if (was.environment[name] === now.environment[name]) continue;
    const shown = (value: string | undefined): string => (value === undefined ? '' : '…hidden');
    changes.push({
      key: `${name} in .env`,
      from: shown(was.environment[name]),
      to: shown(now.environment[name]),
    });
  }
  return changes;
}

/** The entry of the inbox is the inbox: another address or key is another mailbox, under another lease. */
function inboxKept(running: ResolvedInbox, wanted: ResolvedInbox): Reloaded['kept'] {
  const parts = [
    ['server', 'it is the inbox itself, whose lease and store this run holds'],
    ['otherServers', 'what Claude may do and see is decided at the start alone'],
  ] as const;
  return parts
    .filter(([part]) => !isDeepStrictEqual(running[part], wanted[part]))
    .map(([part, why]) => ({
      key: part === 'server' ? `entry "${running.name}" of .mcp.json` : 'other entries of .mcp.json',
      running: '…hidden',
      wanted: '…hidden',
      why,
    }));
}

function sentence({ changed, kept }: Reloaded): string {
  const took =
    changed.length === 0
      ? 'nothing has changed'
      : changed.map(({ key, from, to }) => `${key}: ${from || 'unset'} → ${to || 'unset'}`).join('; ');
  const left = kept.length === 0 ? '' : `. Kept until a restart: ${kept.map(({ key }) => key).join(', ')}`;
  return `Settings reloaded: ${took}${left}.`;
}
