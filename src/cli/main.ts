// The command line: one file a command, one exit code out.
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { Command, CommanderError } from 'commander';
import { loadSettings, resolveInbox } from '../config/index.js';
import { EXIT, WorkerError } from '../domain/errors.js';
import type { SignalLatch } from '../lib/signal-latch.js';
import { addCommands, COMMAND_NAMES, type Finish } from './commands.js';
import { CONFIG, configOf } from './config-option.js';
import type { CliContext } from './context.js';
import { reportError } from './report.js';
import type { Flags } from './setting-options.js';

const EXIT_CODES = `
Exit codes: 0 done or drained, 1 internal, 2 usage or settings, 3 another worker holds the inbox,
4 Claude Code unusable, 5 inbox unusable, 6 budget or cap reached, 7 --wait expired, 8 not running.`;

/** Runs one command. Never rejects: what goes wrong is printed, and answered as the exit code. */
export async function main(args: readonly string[], signals: SignalLatch): Promise<number> {
  const context = contextOf(signals);
  let code: number = EXIT.done;
  const finish: Finish = (result) => {
    code = result;
  };
  try {
    // Only what runs long gives these signals a meaning of its own.
    const long =
      !args[0] ||
      /^-/.test(args[0]) ||
      ['run', 'rehearse', 'inbox', 'bridge', 'doctor', 'init', 'status'].includes(args[0]);
    if (!long) for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) signals.release(name);
    const program = programOf(context, finish);
    await addCommands(program, context, finish, args[0]);
    await program.parseAsync([...args], { from: 'user' });
    return code;
  } catch (error) {
    // Commander has printed its own sentence; a wanted --help is no error.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    return reportError(error, context);
  }
}

function programOf(context: CliContext, finish: Finish): Command {
  return (
    new Command('inbox-worker')
      .description('Keeps one warm Claude Code process answering an MCP inbox.')
      .version(context.version)
      .addHelpText('after', EXIT_CODES)
      .showHelpAfterError(`try: ${context.self} --help`)
      .exitOverride()
      // Else this --config would take away the one of `run`.
      .enablePositionalOptions()
      .option(...CONFIG)
      .argument('[command]')
      .action(async (word: string | undefined, flags: Flags) => {
        if (word !== undefined) throw unknownCommand(word, context);
        finish(await whateverFits(flags, context));
      })
  );
}

function unknownCommand(word: string, context: CliContext): WorkerError {
  return new WorkerError('usage', `There is no command "${word}".`, {
    hint: `One of ${COMMAND_NAMES.join(', ')}; ${context.self} --help tells what each does.`,
  });
}

/** No command: live where an inbox is configured, else the rehearsal. */
async function whateverFits(flags: Flags, context: CliContext): Promise<number> {
  const { env, cwd } = context;
  const settings = await loadSettings({ flags: {}, env, cwd, file: configOf(flags) });
  const inbox = await resolveInbox(settings, context.env);
  if (inbox) {
    const { live, load } = await import('./run.js');
    return live(() => load(flags, context), context);
  }
  return (await import('./rehearse.js')).rehearse(flags, context);
}

function contextOf(signals: SignalLatch): CliContext {
  const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  // A reader that has gone (`| head`) is no reason to end in the middle of something.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  return {
    signals,
    env: process.env,
    cwd: process.cwd(),
    out: (line) => void process.stdout.write(`${line}\n`),
    err: (line) => void process.stderr.write(`${line}\n`),
    version: manifest.version,
    self: selfCommand(process.argv[1] ?? '', process.cwd()),
  };
}

/** `inbox-worker` when installed; from a checkout the command that works there. */
function selfCommand(script: string, cwd: string): string {
  return script.endsWith('main.js') ? `node ${relative(cwd, script) || script}` : 'inbox-worker';
}
