// The worker that answers this inbox right now, and what it says of the ways by which it is woken.
import { resolve } from 'node:path';
import type { Settings } from '../config/index.js';
import {
  controlClient,
  listRunning,
  type RunningEntry,
  runningFolder,
  type WakeWays,
} from '../control/index.js';

export interface RunningWorker {
  readonly entry: RunningEntry;
  readonly ways: WakeWays;
}

/** Of the same inbox, or of the same folder. @throws WorkerError when it runs and does not answer */
export async function runningWorker(
  { stateDir, dir }: Pick<Settings, 'stateDir' | 'dir'>,
  identity: string | undefined,
): Promise<RunningWorker | undefined> {
  const entry = (await listRunning(runningFolder(stateDir))).find(
    (one) => one.kind === 'worker' && (one.identity === identity || resolve(one.folder) === resolve(dir)),
  );
  return entry && { entry, ways: await controlClient(entry).wakeTest() };
}
