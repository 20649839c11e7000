// `status`: what the worker is doing, in one glance; of one that does not run, how it was left; of several a line each.
import type { Command } from 'commander';
import { EXIT, WorkerError } from '../domain/errors.js';
import type { CliContext } from './context.js';
import { reportError } from './report.js';
import type { Flags } from './setting-options.js';
import { type StatusView, viewStatus } from './status-view.js';
import { addTargetOptions } from './target.js';
import { intervalOf, watch } from './watch.js';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export function addStatus(program: Command, context: CliContext, finish: (code: number) => void): void {
  const command = program
    .command('status')
    .description('what the worker is doing, and why; of a stopped one, how it was left (exit code 8)')
    .option('--all', 'every agent that runs here; with --json as {"agents": […]}')
    .option('--watch', 'go on showing it, until Ctrl-C')
    .option('--interval <duration>', 'with --watch: how often (default 1s on a terminal, else 10s)')
    .option('--json', 'as JSON (docs/json.md); with --watch one object a line')
    .action(async (flags: Flags) => finish(await status(flags, context)));
  addTargetOptions(command);
}

async function status(flags: Flags, context: CliContext): Promise<number> {
  if (flags.watch) return watchStatus(flags, context);
  if (flags.interval !== undefined) throw new WorkerError('usage', '--interval belongs to --watch.');
  for (const name of SIGNALS) context.signals.release(name);
  const view = await viewStatus(flags, context);
  context.out(flags.json ? JSON.stringify(view.json, null, 2) : view.text);
  return view.running ? EXIT.done : EXIT.notRunning;
}

async function watchStatus(flags: Flags, context: CliContext): Promise<number> {
  const off = new AbortController();
  for (const name of SIGNALS) context.signals.claim(name, () => off.abort());
  await watch({
    // A worker that ends, or is started again, is shown as it is then.
    page: async () => {
      const view = await viewStatus(flags, context).catch((error) => troubleOf(error, context));
      return flags.json ? JSON.stringify(view.json) : view.text;
    },
    screen: process.stdout,
    everyMs: intervalOf(flags.interval, process.stdout.isTTY === true),
    raw: flags.json === true,
    signal: off.signal,
  });
  return EXIT.done;
}

/** What cannot be shown just now, in place of what is watched. */
function troubleOf(error: unknown, context: CliContext): StatusView {
  const lines: string[] = [];
  reportError(error, { ...context, err: (line) => lines.push(line) });
  const code = error instanceof WorkerError ? error.code : 'internal';
  const message = error instanceof Error ? error.message : String(error);
  return { running: false, json: { running: false, error: message, code }, text: lines.join('\n') };
}
