// `doctor`: could a worker run here? Every check with its fix; no model call, no mail read.
import type { Command } from 'commander';
import { type Check, examine } from '../doctor/index.js';
import { EXIT } from '../domain/errors.js';
import { counted } from '../lib/human.js';
import { redact } from '../lib/redact.js';
import type { SignalLatch } from '../lib/signal-latch.js';
import { CONFIG, configOf } from './config-option.js';
import type { CliContext } from './context.js';
import { addSettingOptions, type Flags } from './setting-options.js';

export function addDoctor(program: Command, context: CliContext, finish: (code: number) => void): void {
  const command = program
    .command('doctor')
    .description('check what a worker here would need; says what to mend (no model call, reads no mail)')
    .option('--json', 'as JSON')
    .option(...CONFIG)
    .action(async (flags: Flags) => finish(await doctor(flags, context)));
  addSettingOptions(command);
}

const NAME_WIDTH = 12;

async function doctor(flags: Flags, context: CliContext): Promise<number> {
  const { env, cwd, version } = context;
  const interrupt = interruption(context.signals);
  const checks: Check[] = [];
  const options = { flags, env, cwd, version, file: configOf(flags), signal: interrupt.signal };
  for await (const raw of examine(options)) {
    if (interrupt.signal.aborted) break;
    const check = clean(raw);
    checks.push(check);
    // As they come: Claude Code takes a while to start.
    if (!flags.json) for (const line of lines(check)) context.out(line);
  }
  interrupt.finish();
  const exitCode = exitCodeOf(checks);
  if (flags.json) context.out(JSON.stringify({ ok: exitCode === EXIT.done, exitCode, checks }, null, 2));
  else context.out(verdict(checks));
  return exitCode;
}

/** Claude Code may be up: it is ended in order before a Ctrl-C has its way. A second one has it at once. */
function interruption(signals: SignalLatch): { readonly signal: AbortSignal; finish(): void } {
  const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const off = new AbortController();
  let heard: NodeJS.Signals | undefined;
  const release = (): void => {
    for (const name of names) signals.release(name);
  };
  for (const name of names) {
    signals.claim(name, (signal) => {
      heard = signal;
      release();
      off.abort();
    });
  }
  return {
    signal: off.signal,
    finish() {
      release();
      if (heard) process.kill(process.pid, heard);
    },
  };
}

function clean(check: Check): Check {
  const text = redact(check.text);
  return 'fix' in check ? { ...check, text, fix: redact(check.fix) } : { ...check, text };
}

function lines(check: Check): string[] {
  const indent = ' '.repeat(4 + 2 + NAME_WIDTH + 2);
  const first = `${check.state.padEnd(4)}  ${check.name.padEnd(NAME_WIDTH)}  ${check.text}`;
  return 'fix' in check ? [first, `${indent}try: ${check.fix}`] : [first];
}

/** That of the first failure: the later ones may follow from it. */
function exitCodeOf(checks: readonly Check[]): number {
  const failed = checks.find((check) => check.state === 'fail');
  return failed?.state === 'fail' ? failed.exitCode : EXIT.done;
}

function verdict(checks: readonly Check[]): string {
  const count = (state: Check['state']): number => checks.filter((check) => check.state === state).length;
  const warned = count('warn') > 0 ? `, ${counted(count('warn'), 'warning')}` : '';
  if (count('fail') > 0)
    return `\nA worker cannot run here: ${counted(count('fail'), 'check')} failed${warned}.`;
  return `\nA worker can run here${warned}.`;
}
