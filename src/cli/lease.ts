// `lease`: who may answer this inbox; with --release, takes that right away from an owner that is gone.
import type { Command } from 'commander';
import { evictOwner, type LeaseView, viewLease } from '../app/lease-desk.js';
import { loadSettings, type ResolvedInbox, resolveInbox, type Settings } from '../config/index.js';
import { WorkerError } from '../domain/errors.js';
import { humanDuration } from '../lib/human.js';
import { configOf } from './config-option.js';
import type { CliContext } from './context.js';
import type { Flags } from './setting-options.js';
import { addTargetOptions, findPlace } from './target.js';

const VERDICTS = {
  free: 'free',
  ours: 'ours',
  held: 'held',
  'dead-owner': 'held by a process that is gone: the next start takes it at once',
  stale: 'held by a silent owner: the next start takes it',
} as const;

export function addLease(program: Command, context: CliContext): void {
  const command = program
    .command('lease')
    .description('who may answer the inbox of this folder; only one worker at a time')
    .option('--release <tag>', 'take it from the owner with this tag, when you know that it is gone')
    .option('--json', 'as JSON')
    .action((flags: Flags) => lease(flags, context));
  addTargetOptions(command);
}

async function lease(flags: Flags, context: CliContext): Promise<void> {
  const { env, cwd } = context;
  const { folder: dir, entry } = await findPlace(flags, context);
  // Where a worker runs, its own state root: a rehearsal has one that no setting names.
  const stateDir = entry?.stateRoot ?? flags.stateDir;
  const settings = await loadSettings({
    flags: { ...flags, dir, stateDir },
    env,
    cwd,
    file: configOf(flags),
  });
  const inbox = await resolveInbox(settings, env);
  if (!inbox)
    throw new WorkerError('inbox-unset', `There is no inbox in ${settings.dir}, so nobody can hold it.`);
  if (typeof flags.release === 'string') await release(settings, inbox, flags.release, context);
  const view = await viewLease(settings, inbox);
  if (flags.json) context.out(JSON.stringify(view, null, 2));
  else for (const line of describe(view)) context.out(line);
}

async function release(
  settings: Settings,
  inbox: ResolvedInbox,
  tag: string,
  context: CliContext,
): Promise<void> {
  if (await evictOwner(settings, inbox, tag)) {
    context.err(`Taken from the owner ${tag}: whatever it still writes is refused.`);
    return;
  }
  throw new WorkerError('usage', `No owner with the tag "${tag}" holds this inbox.`, {
    hint: `Look first: ${context.self} lease shows the owner and its tag.`,
  });
}

function describe({ row, verdict, tag }: LeaseView): string[] {
  if (!row) return ['The lease is free: nobody answers this inbox.'];
  const { holder } = row;
  const age = (at: number): string => humanDuration(Date.now() - at);
  return [
    `The lease is ${VERDICTS[verdict]}.`,
    `owner       ${tag}, process ${holder.pid} on ${holder.host}`,
    `folder      ${holder.folder}`,
    `since       ${new Date(row.acquiredAt).toISOString()} (${age(row.acquiredAt)})`,
    `heartbeat   ${age(row.heartbeatAt)} ago`,
    `generation  ${row.generation}`,
  ];
}
