// `init`: a new agent's folder in a minute, by questions or by flags; what is there already is never touched.
import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Command } from 'commander';
import {
  missingIgnores,
  STARTER_DEFAULTS,
  type StarterAnswers,
  type StarterFile,
  starterFault,
  starterFiles,
} from '../config/index.js';
import { WorkerError } from '../domain/errors.js';
import { type Asker, terminalAsker } from './ask.js';
import type { CliContext } from './context.js';
import type { Flags } from './setting-options.js';

const PRESETS = `What may the agent do?
  answer      answer messages; it has no tools and sees nothing here but CLAUDE.md
  read        also read the files of this folder, but not its secrets
  work        also change them; it runs no commands
  everything  anything, without being asked: only in a sandbox, for a stranger's message can steer it
Preset:`;

const QUESTIONS: Readonly<Record<keyof StarterAnswers, { readonly flag: string; readonly text: string }>> = {
  inboxUrl: { flag: '--inbox-url', text: 'Address of the inbox (MCP):' },
  keyEnv: { flag: '--key-env', text: 'Variable that holds its key (the key itself goes into .env later):' },
  preset: { flag: '--preset', text: PRESETS },
  budgetDay: { flag: '--budget-day', text: 'What may it cost a day at most?' },
};
const NAMES = Object.keys(QUESTIONS) as (keyof StarterAnswers)[];

export function addInit(program: Command, context: CliContext): void {
  const { inboxUrl, keyEnv, preset, budgetDay } = STARTER_DEFAULTS;
  program
    .command('init')
    .description("write what a new agent's folder needs; asks, or takes flags; never overwrites")
    .option('--dir <path>', 'the folder of the agent; made if need be (default: the current one)')
    .option('--inbox-url <url>', `the address of the inbox (default: ${inboxUrl})`)
    .option('--key-env <name>', `the environment variable that holds its key (default: ${keyEnv})`)
    .option('--preset <preset>', `what Claude may do: answer, read, work, everything (default: ${preset})`)
    .option('--budget-day <amount>', `what a day may cost (default: ${budgetDay})`)
    .option('--yes', 'ask nothing: defaults for what no flag says')
    .action(async (flags: Flags) => init(flags, context));
}

async function init(flags: Flags, context: CliContext): Promise<void> {
  const folder = resolve(context.cwd, typeof flags.dir === 'string' ? flags.dir : '.');
  const given = givenBy(flags);
  const whole = flags.yes === true || NAMES.every((name) => given[name] !== undefined);
  if (!whole && !process.stdin.isTTY) {
    throw new WorkerError('usage', 'There is no terminal to ask on.', {
      hint: `Say --yes to take the defaults for what no flag says: ${context.self} init --yes`,
    });
  }
  if (whole) return write(folder, { ...STARTER_DEFAULTS, ...given }, context);
  context.err(`A new agent in ${folder}. Enter takes what stands in brackets.`);
  const asker = terminalAsker(process.stdin, process.stderr);
  try {
    await write(folder, await askFor(given, asker), context);
  } finally {
    asker.close();
  }
}

/** @throws WorkerError `usage`; what was given as the variable's name is not repeated, it may be the key */
function givenBy(flags: Flags): Partial<StarterAnswers> {
  const given = NAMES.flatMap((name) => {
    const value = flags[name];
    if (typeof value !== 'string') return [];
    const wrong = starterFault(name, value);
    if (wrong === undefined) return [[name, value] as const];
    throw new WorkerError('usage', `${QUESTIONS[name].flag} wants ${wrong}.`);
  });
  return Object.fromEntries(given);
}

/** Asks for what is not given yet. */
export async function askFor(given: Partial<StarterAnswers>, asker: Asker): Promise<StarterAnswers> {
  let answers: StarterAnswers = { ...STARTER_DEFAULTS, ...given };
  for (const name of NAMES.filter((name) => given[name] === undefined)) {
    const answer = await asker.ask({
      text: QUESTIONS[name].text,
      fallback: STARTER_DEFAULTS[name],
      fault: (said) => starterFault(name, said),
    });
    answers = { ...answers, [name]: answer };
  }
  return answers;
}

async function write(folder: string, answers: StarterAnswers, context: CliContext): Promise<void> {
  const files = starterFiles(answers);
  let kept = 0;
  try {
    for (const file of files) {
      const made = await writeNew(folder, file);
      if (!made) kept += 1;
      context.out(made ? `wrote    ${file.path}` : `kept     ${file.path}: it was there already`);
    }
    const ignored = await ignore(folder);
    context.out(
      ignored.length > 0
        ? `added    ${ignored.join(' ')} to .gitignore`
        : 'kept     .gitignore: it has all it needs',
    );
  } catch (error) {
    const { code, path } = error as NodeJS.ErrnoException;
    throw new WorkerError('usage', `${path ?? folder} cannot be written (${code ?? String(error)}).`, {
      hint: 'Check the rights of the folder, or name another one with --dir.',
      cause: error,
    });
  }
  for (const line of nextSteps(folder, answers, kept > 0, context)) context.out(line);
}

/** Answers false where the file is there already, whatever it holds. */
async function writeNew(folder: string, { path, text, secret }: StarterFile): Promise<boolean> {
  const whole = join(folder, path);
  await mkdir(dirname(whole), { recursive: true });
  try {
    await writeFile(whole, text, { flag: 'wx', mode: secret ? 0o600 : 0o666 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Adds what .gitignore lacks, and answers it. */
async function ignore(folder: string): Promise<string[]> {
  const path = join(folder, '.gitignore');
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  const missing = missingIgnores(text);
  const gap = text === '' || text.endsWith('\n') ? '' : '\n';
  if (missing.length > 0) await appendFile(path, `${gap}${missing.join('\n')}\n`);
  return missing;
}

function nextSteps(
  folder: string,
  { keyEnv }: StarterAnswers,
  kept: boolean,
  { self, cwd }: CliContext,
): string[] {
  const where = folder === cwd ? '' : ` --dir ${/\s/.test(folder) ? JSON.stringify(folder) : folder}`;
  return [
    '',
    ...(kept ? ['Where a file was kept, its own text holds, not what was asked here.'] : []),
    'Next:',
    `  1. Put the key of the inbox into ${join(folder, '.env')}, behind ${keyEnv}=`,
    `  2. Say in ${join(folder, 'CLAUDE.md')} who the agent is.`,
    `  3. See whether all is well:               ${self} doctor${where}`,
    `  4. See the whole way, without key or cost: ${self} rehearse`,
    `  5. Answer until Ctrl-C:                   ${self} run${where}`,
  ];
}
