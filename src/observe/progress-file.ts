// Keeps .orchestrator/progress.json: what the worker is doing now, replaced whole at each change.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { sweepTemporaries, writeFileAtomic } from '../lib/atomic-file.js';
import { progressTracker } from './progress.js';
import { type FileObserver, type FileObserverOptions, reportingWriter } from './reporting-writer.js';

/** Changes that come during a write are merged into the next one. The file's shape is `Progress`. */
export function progressFileObserver(options: FileObserverOptions): FileObserver {
  const { folder, clock, onTrouble } = options;
  const tracker = progressTracker(clock.now());
  const path = join(folder, 'progress.json');

  let swept = false;

  const write = async (): Promise<void> => {
    await mkdir(folder, { recursive: true });
    // Written at every change, this is the file whose half-made ones a kill is most likely to leave.
    if (!swept) await sweepTemporaries(folder);
    swept = true;
    await writeFileAtomic(path, `${JSON.stringify(tracker.snapshot(), null, 2)}\n`, { mode: 0o644 });
  };

  const writer = reportingWriter('.orchestrator/progress.json', write, onTrouble);
  return {
    on(event) {
      if (tracker.follow(event, clock.now())) writer.request();
    },
    flush: () => writer.idle(),
  };
}
