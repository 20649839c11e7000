// `rehearse`: shows a message come in and its answer go out, with everything real but the model.
import { Writable } from 'node:stream';
import type { Command } from 'commander';
import { type Rehearsal, startRehearsal } from '../app/rehearsal.js';
import { isWritten } from '../app/rehearsed-agent.js';
import { loadSettings, settingOptions } from '../config/index.js';
import { WorkerError } from '../domain/errors.js';
import type { Posted } from '../local-inbox/index.js';
import { narrator } from '../observe/index.js';
import type { WorkerEvent } from '../ports/observer.js';
import { CONFIG, configOf } from './config-option.js';
import type { CliContext } from './context.js';
import { farewell, introduction } from './rehearsal-words.js';
import { stateEnvironment } from './running.js';
import { addSettingOptions, type Flags } from './setting-options.js';
import { stopSignals } from './stop-signals.js';

const FIRST_MESSAGE = 'Hello! Are you awake?';
/** A rehearsal ends within two seconds of Ctrl-C: what does not end by itself is ended. */
const FORCE_MS = 1_000;
/** One answer and then the end is this command's own; the others have no meaning here. */
const NOT_HERE = ['once', 'standby'];

const HELP = `
In a folder with an .mcp.json or a config/worker.json, or with --dir or --config, the agent that is written down there
is rehearsed: its CLAUDE.md, prompts, preset and limits. Nothing in that folder is changed, none of its keys is
used, its hooks do not run. Anywhere else a bare agent is.

Exit codes: 0 ended by you, or with --once after the answer; else as of \`run\`.`;

export function addRehearse(program: Command, context: CliContext, finish: (code: number) => void): void {
  const command = program
    .command('rehearse')
    .description('try everything with a scripted model: no key, no cost, nobody real is answered')
    .option('--once', 'end after the first answer')
    .option(...CONFIG)
    .addHelpText('after', HELP)
    .action(async (flags: Flags) => finish(await rehearse(flags, context)));
  const names = settingOptions().map(({ name }) => name);
  addSettingOptions(
    command,
    names.filter((name) => !NOT_HERE.includes(name)),
  );
}

/** @param next whether to tell what to do after it @throws WorkerError as a start would; with `once` when no answer came */
export async function rehearse(
  { once, ...flags }: Flags,
  context: CliContext,
  next: 'tell' | 'leave' = 'tell',
): Promise<number> {
  const { env, cwd } = context;
  const { stateDir } = await loadSettings({
    flags: { stateDir: flags.stateDir },
    env: stateEnvironment(env),
    cwd,
  });
  const file = configOf(flags);
  const input = { flags, env, cwd, file };
  const named = flags.dir ?? env.INBOX_WORKER_DIR ?? file;
  const written = named !== undefined || (await isWritten(cwd));
  const folder = written ? (await loadSettings(input)).dir : undefined;
  for (const line of introduction(folder)) context.out(line);

  let rehearsal: Rehearsal | undefined;
  let begun = false;
  let answered = false;
  let failed: WorkerError | undefined;
  let forced: NodeJS.Timeout | undefined;
  const stops = stopSignals(
    context.signals,
    (how, signal) => {
      rehearsal?.agent.stop(how, `${signal} was received`);
      forced ??= setTimeout(() => rehearsal?.agent.stop('force', 'the rehearsal is over'), FORCE_MS);
    },
    () => void rehearsal?.agent.reload().catch(() => {}),
  );
  const say = narrator((line) => context.out(`${clockTime()}    ${line}`), { free: true });
  const onEvent = (event: WorkerEvent): void => {
    // Only then is there somebody to answer; until then the terminal would stand still without a reason.
    if (event.type === 'agent-ready' && rehearsal && !begun) begin(rehearsal);
    // What was sent is told by the inbox, which has it.
    if (event.type !== 'started' && event.type !== 'stopped' && event.type !== 'sent') say.on(event);
    const trouble = once && !answered ? troubleOf(event) : undefined;
    if (trouble === undefined || failed) return;
    failed = unanswered(trouble, context);
    rehearsal?.agent.stop('drain', 'no answer came');
  };
  const begin = ({ inbox, caller, agentAlias, connectWebhook }: Rehearsal): void => {
    begun = true;
    connectWebhook();
    inbox.post({ from: caller, to: agentAlias, text: FIRST_MESSAGE });
  };
  const onPosted = ({ from, to, text }: Posted): void => {
    context.out(`${clockTime()}  ${from} → ${to}: ${text}`);
    if (rehearsal && from === rehearsal.agentAlias && !answered) afterAnswer(rehearsal);
  };
  let farewells = Promise.resolve();
  const afterAnswer = (shown: Rehearsal): void => {
    answered = true;
    farewells = farewell(shown, context, { stays: !once, next, file }).then((lines) => {
      for (const line of lines) context.out(line);
      if (once) shown.agent.stop('drain', 'the first answer is out');
    });
  };

  try {
    const started = await startRehearsal({
      version: context.version,
      input,
      written,
      stateRoot: stateDir,
      observers: [{ on: onEvent }],
      onPosted,
      signals: { onSignal: (name, heard) => context.signals.claim(name, () => heard()) },
      signal: stops.first,
      log: new Writable({ write: (_chunk, _encoding, done) => done() }),
    });
    if (started === 'aborted') return 0;
    rehearsal = started;
    if (stops.first.aborted) rehearsal.agent.stop('drain', 'a signal was received at start');
    const end = await rehearsal.agent.run();
    await farewells;
    // What a cap says after the one answer that was wanted is no failure.
    if (once && answered) return 0;
    if (failed && !stops.first.aborted) throw failed;
    if (end.error) throw written ? elsewhere(end.error, context) : end.error;
    return end.exitCode;
  } finally {
    clearTimeout(forced);
    await rehearsal?.close();
    stops.finish();
  }
}

/** Why no answer is to be expected, of an event that says so. */
function troubleOf(event: WorkerEvent): string | undefined {
  if (event.type === 'hold-began') return event.hold.why;
  return event.type === 'turn-ended' && event.verdict !== 'answered' ? event.outcome : undefined;
}

function unanswered(why: string, { self }: CliContext): WorkerError {
  return new WorkerError('claude-failed', `The rehearsal brought no answer: ${why}`, {
    hint: `${self} doctor tells more. A tick prompt of your own must name list_dms, read_dm and send_dm: the scripted model follows those.`,
  });
}

/** The usual hint names a file that the rehearsal has just removed. */
function elsewhere(error: WorkerError, { self }: CliContext): WorkerError {
  if (error.code !== 'claude-failed') return error;
  return new WorkerError(error.code, error.message, { cause: error, hint: `${self} doctor tells more.` });
}

const clockTime = (): string => new Date().toTimeString().slice(0, 8);
