// One agent as its settings file describes it: loaded, checked, and nothing taken yet.
import { realpath } from 'node:fs/promises';
import { basename, join } from 'node:path';
import {
  isAgentName,
  loadSettings,
  type ResolvedInbox,
  readSystemPrompt,
  resolveInbox,
  type Settings,
} from '../../config/index.js';
import { WorkerError } from '../../domain/errors.js';
import { profileOf } from '../profile.js';
import { identityOf } from '../stopped-store.js';

export interface AgentPlan {
  readonly name: string;
  /** As sentences show it. */
  readonly file: string;
  /** With `name` filled in. */
  readonly settings: Settings;
  readonly inbox: ResolvedInbox;
  /** Of the inbox; and what it would be without an `inbox_id`. */
  readonly identity: string;
  readonly account: string;
  /** The agent's folder, by its true path. */
  readonly folder: string;
  /** Where its mail lies: what no two may share. */
  readonly store: string;
  /** Loads it anew, as it was loaded. */
  load(): Promise<AgentPlan>;
}

export interface PlanWish {
  /** Absolute. */
  readonly file: string;
  readonly shownAs: string;
  readonly flags: Readonly<Record<string, string | boolean | undefined>>;
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
}

/** @throws WorkerError for the first thing that is wrong: settings (all of them at once), folder, name, inbox, its files */
export async function planAgent(wish: PlanWish): Promise<AgentPlan> {
  const { file, shownAs, flags, env, cwd } = wish;
  const loaded = await loadSettings({ flags, env, cwd, file });
  mustNameFolder(loaded);
  const settings = Object.freeze({ ...loaded, name: nameOf(loaded, file) });
  const inbox = await resolveInbox(settings, env);
  if (!inbox) {
    throw new WorkerError('inbox-unset', `${settings.dir} has no .mcp.json with a server in it.`);
  }
  // What a start would read too: a fault there must show before anything is started.
  await readSystemPrompt(settings);
  await profileOf(settings, env);
  const identity = identityOf(settings, inbox);
  return {
    name: settings.name,
    file: shownAs,
    settings,
    inbox,
    identity,
    account: identityOf({ ...settings, inboxId: undefined }, inbox),
    folder: await trueOf(settings.dir),
    store: join(settings.databaseUrl ?? (await trueOf(settings.stateDir)), identity),
    load: () => planAgent(wish),
  };
}

function mustNameFolder({ origins, dir }: Settings): void {
  const { from, name } = origins.dir;
  if (from === 'file') return;
  const sentence =
    from === 'default'
      ? 'It does not say whose settings it holds; write "dir": the agent\'s folder, counted from this file.'
      : `${name} names one folder (${dir}) for all agents; leave it out: with --all each file has a "dir" of its own.`;
  throw new WorkerError('setting-invalid', sentence);
}

/** Agents lie under their names on the private listener, and this beside them. */
const TAKEN = 'metrics';

function nameOf({ name }: Settings, file: string): string {
  const given = name ?? basename(file, '.json');
  if (given.toLowerCase() === TAKEN) {
    throw new WorkerError(
      'setting-invalid',
      `An agent cannot be called "${TAKEN}": /${TAKEN} tells of all of them. Write another "name".`,
    );
  }
  if (isAgentName(given)) return given;
  throw new WorkerError(
    'setting-invalid',
    `Its base name "${given}" is no name of an agent; write "name": up to 32 letters, digits, hyphens or underscores.`,
  );
}

const trueOf = (path: string): Promise<string> => realpath(path).catch(() => path);
