// `rehearse`: shows a message come in and its answer go out, with everything real but the model.
import { Writable } from 'node:stream';
import type { Command } from 'commander';
import { type Rehearsal, startRehearsal } from '../app/rehearsal.js';
import { loadSettings } from '../config/index.js';
import type { Posted } from '../local-inbox/index.js';
import { narrator } from '../observe/index.js';
import type { WorkerEvent } from '../ports/observer.js';
import type { CliContext } from './context.js';
import { stateEnvironment } from './running.js';
import { stopSignals } from './stop-signals.js';

const FIRST_MESSAGE = 'Hello! Are you awake?';
/** A rehearsal ends within two seconds of Ctrl-C: what does not end by itself is ended. */
const FORCE_MS = 1_000;

export function addRehearse(program: Command, context: CliContext, finish: (code: number) => void): void {
  program
    .command('rehearse')
    .description('try everything with a scripted model: no key, no cost, nobody real is answered')
    .option('--once', 'end after the first answer')
    .action(async (flags: { once?: boolean }) => finish(await rehearse(context, flags.once ?? false)));
}

export async function rehearse(context: CliContext, once: boolean): Promise<number> {
  const { stateDir } = await loadSettings({
    flags: {},
    env: stateEnvironment(context.env),
    cwd: context.cwd,
  });
  for (const line of introduction()) context.out(line);

  let rehearsal: Rehearsal | undefined;
  let begun = false;
  let forced: NodeJS.Timeout | undefined;
  const stops = stopSignals(context.signals, (how, signal) => {
    rehearsal?.agent.stop(how, `${signal} was received`);
    forced ??= setTimeout(() => rehearsal?.agent.stop('force', 'the rehearsal is over'), FORCE_MS);
  });
  const say = narrator((line) => context.out(`${clockTime()}    ${line}`));
  const onEvent = (event: WorkerEvent): void => {
    // Only then is there somebody to answer; until then the terminal would stand still without a reason.
    if (event.type === 'agent-ready' && rehearsal && !begun) begin(rehearsal);
    if (event.type !== 'started' && event.type !== 'stopped') say.on(event);
  };
  const begin = ({ inbox, caller, agentAlias, connectWebhook }: Rehearsal): void => {
    begun = true;
    connectWebhook();
    inbox.post({ from: caller, to: agentAlias, text: FIRST_MESSAGE });
  };
  const onPosted = ({ from, to, text }: Posted): void => {
    context.out(`${clockTime()}  ${from} → ${to}: ${text}`);
    if (rehearsal && from === rehearsal.agentAlias) afterAnswer(rehearsal);
  };
  let told = false;
  const afterAnswer = ({ agent, api }: Rehearsal): void => {
    if (!told) for (const line of farewell(context, api.total)) context.out(line);
    told = true;
    if (once) agent.stop('drain', 'the first answer is out');
  };

  try {
    const started = await startRehearsal({
      version: context.version,
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
    if (end.error) throw end.error;
    return end.exitCode;
  } finally {
    clearTimeout(forced);
    await rehearsal?.close();
    stops.finish();
  }
}

function introduction(): string[] {
  return [
    'Rehearsal. Real: this worker, an embedded inbox, the Claude Code program. Scripted: the model behind it.',
    'Everything stays on this machine; no key is used and nobody real is answered.',
    '',
  ];
}

function farewell(context: CliContext, calls: number): string[] {
  return [
    '',
    `That took ${calls} model call${calls === 1 ? '' : 's'}. Looking into the inbox took none.`,
    `Say more from another terminal:   ${context.self} send --wait "What did I say first?"`,
    `See it in a browser:              ${context.self} dashboard`,
    'Go live: copy .mcp.json.example to .mcp.json, put your key into .env, and start again (README, "Going live").',
    'Ctrl-C ends the rehearsal.',
    '',
  ];
}

const clockTime = (): string => new Date().toTimeString().slice(0, 8);
