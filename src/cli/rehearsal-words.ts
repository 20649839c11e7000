// What a rehearsal says before and after: what is real, what was tried, what was not, and what to do next.
import { access, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { Rehearsal } from '../app/rehearsal.js';
import type { RehearsedAgent } from '../app/rehearsed-agent.js';
import { resolveInbox } from '../config/index.js';
import { WorkerError } from '../domain/errors.js';
import { counted } from '../lib/human.js';
import { isMessagesRequest } from '../rehearsal/index.js';
import type { CliContext } from './context.js';

/** @param folder of the agent that is rehearsed, where it is one that is written down */
export function introduction(folder: string | undefined): string[] {
  const what = folder === undefined ? 'Rehearsal' : `Rehearsal of the agent in ${folder}`;
  const safe =
    folder === undefined
      ? 'Everything stays on this machine; no key is used and nobody real is answered.'
      : 'Its folder is only read; no key is used, no hook runs, nobody real is answered.';
  return [
    `${what}. Real: this worker, an embedded inbox, the Claude Code program. Scripted: the model behind it.`,
    safe,
    '',
  ];
}

export interface FarewellWish {
  /** It goes on after the first answer. */
  readonly stays: boolean;
  readonly next: 'tell' | 'leave';
  /** The settings file that was named. */
  readonly file: string | undefined;
}

export async function farewell(
  rehearsal: Rehearsal,
  context: CliContext,
  { stays, next, file }: FarewellWish,
): Promise<string[]> {
  const { api, written } = rehearsal;
  const calls = `That took ${counted(api.total, 'model call')}. Looking into the inbox took none.`;
  const more = [
    `Say more from another terminal:   ${context.self} send --wait "What did I say first?"`,
    `See it in a browser:              ${context.self} dashboard`,
  ];
  return [
    '',
    calls,
    ...(written ? await account(rehearsal, written) : []),
    ...(stays ? more : []),
    ...(next === 'leave' ? [] : written ? await steps(written, file, context) : [goLive(context)]),
    ...(stays ? ['Ctrl-C ends the rehearsal.'] : []),
    '',
  ];
}

const goLive = ({ self }: CliContext): string =>
  `Go live: ${self} init, which asks for the inbox and the folder of your agent (README, "Going live").`;

/** Read from what Claude Code sent to the model, not from what we meant it to send. */
async function account({ api }: Rehearsal, { own, ways, memory }: RehearsedAgent): Promise<string[]> {
  const turn = api.calls().find(({ kind }) => kind === 'turn')?.body;
  if (!isMessagesRequest(turn)) return [];
  const prompt = relative(own.dir, ways.systemPromptFile ?? '');
  const sent = JSON.stringify(turn);
  const texts: string[] = [];
  const unread: string[] = [];
  for (const path of [...memory, ...(prompt.startsWith('..') ? [] : [prompt])]) {
    (sent.includes(await mark(join(own.dir, path))) ? texts : unread).push(path);
  }
  const tried = [
    `the preset ${own.preset} (it offers ${toolsOf((turn.tools ?? []).map(({ name }) => name))})`,
    ...(texts.length > 0 ? [`${texts.join(' and ')} (in the prompt)`] : []),
    'its limits',
  ];
  const left = [
    'the real inbox and its key',
    'what a real model says',
    ...unread.map((path) => `${path} (Claude Code did not read it)`),
    ...((await exists(join(own.dir, '.claude', 'settings.json'))) ? ['.claude/settings.json'] : []),
    ...(own.profile === 'auto' ? [] : [`the profile ${own.profile}`]),
    ...own.allowServers.map((name) => `the server ${name}`),
  ];
  return [`Tried: ${tried.join(', ')}.`, `Not tried: ${left.join(', ')}.`];
}

/** The longest line of a file, as it stands in JSON: by it the file is found in what was sent. */
async function mark(path: string): Promise<string> {
  const lines = (await readFile(path, 'utf8').catch(() => '')).split('\n').map((line) => line.trim());
  const longest = lines.reduce((best, line) => (line.length > best.length ? line : best), '');
  return JSON.stringify(longest).slice(1, -1);
}

const MANY = 6;

function toolsOf(names: readonly string[]): string {
  const others = names.filter((name) => !name.startsWith('mcp__'));
  const inbox = `${names.length - others.length} tools of the inbox`;
  if (others.length === 0) return `${inbox} and no other`;
  const built = others.length > MANY ? `${others.length} built-in ones` : others.join(', ');
  return `${inbox}, and ${built}`;
}

async function steps(
  { own }: RehearsedAgent,
  file: string | undefined,
  { self, cwd, env }: CliContext,
): Promise<string[]> {
  const named = file === undefined ? '' : ` --config ${quoted(file)}`;
  const where = named === '' && own.dir !== cwd ? ` --dir ${quoted(own.dir)}` : named;
  const missing = await resolveInbox(own, env).then(
    (inbox) => (inbox ? undefined : 'There is no .mcp.json yet: inbox-worker init writes one.'),
    (error: unknown) => (error instanceof WorkerError ? `${error.message} ${error.hint}` : String(error)),
  );
  return [
    ...(missing === undefined ? [] : [`Still missing: ${missing}`]),
    `Next: ${self} doctor${where}, which tries the inbox and the key; then ${self} run${where}`,
  ];
}

/** A path as a shell takes it. */
export const quoted = (path: string): string => (/\s/.test(path) ? JSON.stringify(path) : path);

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
