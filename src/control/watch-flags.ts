// Notices the control files wake, stop and pause: by the system's word where there is one, else by a slow poll.
import { type FSWatcher, watch } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { coalesced } from '../lib/coalesce.js';
import type { Flags } from '../ports/flags.js';
import type { WakeSource } from '../ports/wake-source.js';

export interface WatchFlagsOptions {
  /** The agent's `.orchestrator` folder; made when it is missing. */
  readonly folder: string;
  readonly flags: Flags;
  /** A `stop` file of this run was there; it has been removed. */
  onStop(): void;
  /** One sentence about a degradation. */
  onTrouble?(text: string): void;
  /** Default 5 s: what the system does not tell (network drives, a folder made anew) is seen by then. */
  readonly pollMs?: number;
}

const WATCHED: readonly string[] = ['wake', 'stop', 'pause'];

/** Wakes with kind `file` at a `wake` file, and when `pause` comes or goes. */
export function watchFlags(options: WatchFlagsOptions): WakeSource {
  const { folder, flags } = options;
  let wake: (() => void) | undefined;
  let watcher: FSWatcher | undefined;
  let timer: NodeJS.Timeout | undefined;
  let paused = false;
  let stopped = false;

  const check = coalesced(async () => {
    const [woken, stopped, pausedNow] = await Promise.all([
      flags.take('wake'),
      flags.take('stop'),
      flags.paused(),
    ]);
    const turned = pausedNow !== paused;
    paused = pausedNow;
    if (!wake) return;
    if (woken || turned) wake();
    if (stopped) options.onStop();
  });

  /** Where watching fails (no more watches to be had, a drive that tells nothing) the poll goes on alone. */
  const listen = (): void => {
    try {
      watcher = watch(folder, { persistent: false }, (_event, name) => {
        // Our own ledger and progress file change here all the time.
        if (name === null || WATCHED.includes(name)) check.request();
      });
      watcher.on('error', (error) => unwatched(error));
    } catch (error) {
      unwatched(error);
    }
  };
  const unwatched = (error: unknown): void => {
    watcher?.close();
    watcher = undefined;
    const reason = (error as NodeJS.ErrnoException).code ?? String(error);
    options.onTrouble?.(`control files are polled, since their folder cannot be watched (${reason})`);
  };

  return {
    name: 'control files',
    async start(onWake) {
      stopped = false;
      await mkdir(folder, { recursive: true }).catch(() => {});
      paused = await flags.paused();
      // It may be over before it has begun: what is set up now, nobody would take down.
      if (stopped) return;
      wake = () => onWake('file');
      listen();
      timer = setInterval(() => check.request(), options.pollMs ?? 5000);
      // Files that lie there already: of an earlier run, or put there while we started.
      check.request();
      await check.idle();
    },
    // Never: it says nothing of mail, so it must not let the worker sleep long.
    connected: () => false,
    announces: () => false,
    async stop() {
      stopped = true;
      wake = undefined;
      clearInterval(timer);
      watcher?.close();
      watcher = undefined;
      await check.idle();
    },
  };
}
