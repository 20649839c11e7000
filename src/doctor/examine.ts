// The round: every check in order, each whatever the others found; what cannot be looked at is skipped aloud.
import { join } from 'node:path';
import { agentFolder } from '../app/folders.js';
import { identityOf } from '../app/stopped-store.js';
import { targetsOf } from '../app/tell-parts.js';
import { loadSettings, type ResolvedInbox, resolveInbox, type Settings } from '../config/index.js';
import { WorkerError } from '../domain/errors.js';
import { type Check, type Finding, failure, ok, skip, warn } from './check.js';
import { claudeProgram, claudeStart } from './claude.js';
import { stopHooks } from './hooks.js';
import { clockSkew, inboxCall } from './inbox.js';
import { leaseState } from './lease.js';
import { freeSpace, nodeVersion, writableFolder } from './machine.js';
import { type RunningWorker, runningWorker } from './running.js';
import { tellTarget } from './tell.js';
import { wakeStreamOpens } from './wake-stream.js';
import { webhookRoundTrip } from './webhook.js';

export interface ExamineOptions {
  readonly flags: Parameters<typeof loadSettings>[0]['flags'];
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly file: string | undefined;
  /** Of this package. */
  readonly version: string;
  /** Ends what is being looked at; nothing that was started is left. */
  readonly signal: AbortSignal;
}

/** Yields each check when it is done. Never throws: what goes wrong is the finding. Starts no turn, reads no mail. */
export async function* examine(options: ExamineOptions): AsyncGenerator<Check> {
  const { env, signal } = options;
  yield await named('node', () => nodeVersion(process.versions.node));

  let settings: Settings | undefined;
  yield await named('settings', async () => {
    settings = await loadSettings(options);
    return settingsFinding(settings);
  });
  if (!settings) {
    yield { name: 'everything else', ...skip('Not looked at: it depends on the settings.') };
    return;
  }
  const known: Settings = settings;

  let inbox: ResolvedInbox | undefined;
  yield await named('.mcp.json', async () => {
    inbox = await resolveInbox(known, env);
    return entryFinding(inbox, known.dir);
  });
  const entry: ResolvedInbox | undefined = inbox;
  const folder = entry && join(known.stateDir, identityOf(known, entry));
  const withEntry = (name: string, look: (found: ResolvedInbox) => Promise<Finding>): Promise<Check> =>
    named(name, async () => (entry ? look(entry) : skip('Not looked at: no inbox is known.')));

  yield await named('state folder', () =>
    writableFolder('state folder', known.stateDir, folder ? [folder, join(folder, 'worker.db')] : []),
  );
  yield await named('agent folder', () => writableFolder('agent folder', agentFolder(known.dir)));
  yield await named('disk', () => freeSpace(known.stateDir));
  yield await withEntry('lease', (found) => leaseState(known, found, join(folder ?? '', 'worker.db')));

  const claude = await named('claude', () => claudeProgram(known, env));
  yield claude;
  yield await named('claude start', () =>
    claude.state === 'fail'
      ? skip('Not looked at: there is no Claude Code to start.')
      : claudeStart(known, entry, { env, version: options.version, signal }),
  );
  yield await named('stop hooks', () => stopHooks(known, env));

  yield await withEntry('inbox', (found) => inboxCall(known, found, env, signal));
  yield await withEntry('clock', (found) => clockSkew(found, known.callTimeoutMs));
  let worker: RunningWorker | undefined;
  yield await named('webhook', async () => {
    worker = await runningWorker(known, entry && identityOf(known, entry));
    return webhookRoundTrip(known, worker);
  });
  yield await withEntry('wake stream', (found) => wakeStreamOpens(known, found, worker));
  for (const { key, target } of targetsOf(known)) {
    yield await named(key, () => tellTarget(target, known.dir, env));
  }
}

async function named(name: string, look: () => Finding | Promise<Finding>): Promise<Check> {
  try {
    return { name, ...(await look()) };
  } catch (error) {
    return { name, ...failure(error) };
  }
}

function settingsFinding({ warnings, origins }: Settings): Finding {
  if (warnings.length > 0) return warn(warnings.join(' '), 'Correct the spelling, or remove it.');
  const changed = Object.values(origins).filter(({ from }) => from !== 'default').length;
  return ok(
    `The settings can be read; ${changed === 0 ? 'all' : `all but ${changed}`} are at their defaults.`,
  );
}

function entryFinding(inbox: ResolvedInbox | undefined, dir: string): Finding {
  if (!inbox) {
    throw new WorkerError('inbox-unset', `There is no inbox: ${dir} has no .mcp.json with a server in it.`, {
      hint: 'Make one with `inbox-worker init`, and put the key of the inbox into .env.',
    });
  }
  const why = { named: 'as asked', agentdm: 'by its name', only: 'the only entry' }[inbox.chosen];
  const where = inbox.server.type === 'http' ? new URL(inbox.server.url).origin : inbox.server.command;
  const text = `The inbox is "${inbox.name}" (${why}, ${where}); its variables are set.`;
  if (inbox.warnings.length > 0)
    return warn(`${text} ${inbox.warnings.join(' ')}`, 'Correct the entry in .mcp.json.');
  if (inbox.key === undefined)
    return warn(`${text} It carries no key.`, 'Add the header Authorization, if the inbox wants one.');
  return ok(text);
}
