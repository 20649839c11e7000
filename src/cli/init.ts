// `init`: a new agent's folder in a minute, by questions or by flags, and a rehearsal of it at the end.
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { STARTER_DEFAULTS, type StarterAnswers, starterFault } from '../config/index.js';
import { WorkerError } from '../domain/errors.js';
import type { SignalLatch } from '../lib/signal-latch.js';
import { type Asker, terminalAsker } from './ask.js';
import type { CliContext } from './context.js';
import { nextSteps, writeAgent } from './init-write.js';
import { rehearse } from './rehearse.js';
import type { Flags } from './setting-options.js';

const PRESETS = `What may the agent do?
  answer      answer messages; it has no tools and sees nothing here but CLAUDE.md
  read        also read the files of its folder, but not its secrets
  work        also change them; it runs no commands
  everything  anything, without being asked: only in a sandbox, for a stranger's message can steer it
Preset:`;
const INBOX = `Which inbox? agentdm; local, the one that \`inbox-worker inbox\` serves here; or an address (MCP):`;

type Name = keyof StarterAnswers | 'dir';
interface Question {
  readonly flag: string;
  readonly text: string;
}
/** In the order in which they are asked. */
const QUESTIONS: Readonly<Record<Name, Question>> = {
  inboxUrl: { flag: '--inbox-url', text: INBOX },
  keyEnv: { flag: '--key-env', text: 'Variable that holds its key (the key itself goes into .env later):' },
  dir: { flag: '--dir', text: 'Folder of the agent, made if need be:' },
  preset: { flag: '--preset', text: PRESETS },
  budgetDay: { flag: '--budget-day', text: 'What may it cost a day at most?' },
};
const NAMES = Object.keys(QUESTIONS) as Name[];
type Answers = Readonly<Record<Name, string>>;

const HELP = `
What is there already is kept to the letter. At the end the new agent is rehearsed: one message, a scripted model, no
key, no cost; --no-rehearse leaves that out. Ctrl-C while it asks: nothing is written; later: the files are whole.

Exit codes: 0 written (and rehearsed); 2 an answer is wrong, nobody can be asked, or the folder cannot be written;
else that of the rehearsal, 4 where there is no Claude Code, and the files stand.

Examples:
  inbox-worker init
  inbox-worker init --yes --dir my-agent --preset read --budget-day '$5'
  inbox-worker init --yes --inbox-url local --no-rehearse`;

export function addInit(program: Command, context: CliContext, finish: (code: number) => void): void {
  const { inboxUrl, keyEnv, preset, budgetDay } = STARTER_DEFAULTS;
  program
    .command('init')
    .description(
      "write what a new agent's folder needs, and rehearse it; asks, or takes flags; never overwrites",
    )
    .option('--dir <path>', 'the folder of the agent; made if need be (default: the current one)')
    .option('--inbox-url <url>', `the inbox: agentdm, local, or an address (default: ${inboxUrl})`)
    .option('--key-env <name>', `the environment variable that holds its key (default: ${keyEnv})`)
    .option('--preset <preset>', `what Claude may do: answer, read, work, everything (default: ${preset})`)
    .option('--budget-day <amount>', `what a day may cost (default: ${budgetDay})`)
    .option('--no-rehearse', 'do not rehearse what was written')
    .option('--yes', 'ask nothing: defaults for what no flag says')
    .addHelpText('after', HELP)
    .action(async (flags: Flags) => finish(await init(flags, context)));
}

async function init(flags: Flags, context: CliContext): Promise<number> {
  const given = givenBy(flags);
  const defaults: Answers = { ...STARTER_DEFAULTS, dir: context.cwd };
  const whole = flags.yes === true || NAMES.every((name) => name === 'dir' || given[name] !== undefined);
  if (!whole && !process.stdin.isTTY) {
    throw new WorkerError('usage', 'There is no terminal to ask on.', {
      hint: `Say --yes to take the defaults for what no flag says: ${context.self} init --yes`,
    });
  }
  let asker: Asker | undefined;
  const interrupt = interruption(context.signals, () => asker?.close());
  let answers: Answers = { ...defaults, ...given };
  let wanted = flags.rehearse !== false;
  if (!whole) {
    context.err('A new agent. Enter takes what stands in brackets.');
    asker = terminalAsker(process.stdin, process.stderr);
    try {
      answers = await askFor(given, defaults, asker);
      if (wanted)
        wanted = await askWhether('Rehearse it now, with a scripted model: no key, no cost?', asker);
    } finally {
      asker.close();
    }
  }
  const folder = resolve(context.cwd, answers.dir);
  const kept = await writeAgent(folder, answers, context);
  const code = wanted && !interrupt.heard() ? rehearseIn(folder, context) : undefined;
  const outcome = await code?.catch((error: unknown) => ({ error }));
  for (const line of nextSteps(folder, answers, kept, context)) context.out(line);
  interrupt.finish();
  if (typeof outcome === 'object') throw outcome.error;
  return outcome ?? 0;
}

function rehearseIn(folder: string, context: CliContext): Promise<number> {
  context.out('');
  return rehearse({ dir: folder, once: true }, context, 'leave');
}

/** @throws WorkerError `usage`; what was given as the variable's name is not repeated, it may be the key */
function givenBy(flags: Flags): Partial<Answers> {
  const given = NAMES.flatMap((name) => {
    const value = flags[name];
    if (typeof value !== 'string') return [];
    const wrong = faultOf(name, value);
    if (wrong === undefined) return [[name, value] as const];
    throw new WorkerError('usage', `${QUESTIONS[name].flag} wants ${wrong}.`);
  });
  return Object.fromEntries(given);
}

const faultOf = (name: Name, answer: string): string | undefined =>
  name === 'dir' ? undefined : starterFault(name, answer);

/** Asks for what is not given yet. */
export async function askFor(given: Partial<Answers>, defaults: Answers, asker: Asker): Promise<Answers> {
  let answers: Answers = { ...defaults, ...given };
  for (const name of NAMES.filter((name) => given[name] === undefined)) {
    const answer = await asker.ask({
      text: QUESTIONS[name].text,
      fallback: defaults[name],
      fault: (said) => faultOf(name, said),
    });
    answers = { ...answers, [name]: answer };
  }
  return answers;
}

async function askWhether(text: string, asker: Asker): Promise<boolean> {
  const fault = (said: string): string | undefined =>
    /^(y|yes|n|no)$/i.test(said) ? undefined : 'yes or no';
  return /^y/i.test(await asker.ask({ text, fallback: 'yes', fault }));
}

/** A signal breaks the questions off; while files are written it waits until they are whole, and has its way then. */
function interruption(signals: SignalLatch, onSignal: () => void): { heard(): boolean; finish(): void } {
  const names = ['SIGINT', 'SIGTERM'] as const;
  let heard: NodeJS.Signals | undefined;
  for (const name of names) {
    signals.claim(name, (signal) => {
      heard = signal;
      onSignal();
    });
  }
  return {
    heard: () => heard !== undefined,
    finish() {
      for (const name of names) signals.release(name);
      if (heard) process.kill(process.pid, heard);
    },
  };
}
