// Writes a file one write at a time; a failing disk is told once when it begins, and never thrown.
import { type Coalesced, coalesced } from '../lib/coalesce.js';
import type { Observer } from '../ports/observer.js';

/** An observer that keeps a file. */
export interface FileObserver extends Observer {
  /** Resolves when what was observed so far is on disk, or could not be put there. Never rejects. */
  flush(): Promise<void>;
}

export interface FileObserverOptions {
  /** The agent's `.orchestrator` folder; made when it is missing. */
  readonly folder: string;
  readonly clock: { now(): number };
  /** One sentence, once per outage of the disk. */
  onTrouble(text: string): void;
}

/** @param file its name in sentences. */
export function reportingWriter(
  file: string,
  write: () => Promise<void>,
  onTrouble: (text: string) => void,
): Coalesced {
  let failing = false;
  return coalesced(async () => {
    try {
      await write();
      failing = false;
    } catch (error) {
      if (failing) return;
      failing = true;
      const reason = error instanceof Error ? error.message : String(error);
      onTrouble(`${file} could not be written (${reason}); the work goes on without it`);
    }
  });
}
