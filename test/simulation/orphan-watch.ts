// Watches the orphans: what outlived its worker and was noted on disk is ended before anything new begins.
import type { MemoryDisk } from '../support/memory-disk.js';
import type { Chronicle } from './chronicle.js';
import type { Life } from './life.js';

export class OrphanWatch {
  readonly #disk: MemoryDisk;
  readonly #record: Chronicle;
  /** By pid: the machine it runs on. */
  readonly #living = new Map<number, string>();
  /** By process: the orphan it has found noted. */
  readonly #found = new Map<string, number>();

  constructor(disk: MemoryDisk, record: Chronicle) {
    this.#disk = disk;
    this.#record = record;
  }

  /** A worker died, and its agent goes on. */
  leave(pid: number, host: string): void {
    this.#living.set(pid, host);
  }

  /** The worker `life` begins, under the lease. */
  find(life: Life): void {
    const pid = this.#disk.slots.get(0)?.pid;
    if (pid !== undefined && this.#living.get(pid) === life.host) this.#found.set(life.name, pid);
  }

  /** Answers whether there was such a process on this machine. */
  end(pid: number, host: string): boolean {
    return this.#living.get(pid) === host && this.#living.delete(pid);
  }

  begins(life: Life, nth: number): void {
    const pid = this.#found.get(life.name);
    if (pid === undefined || !this.#living.has(pid)) return;
    this.#record.violate('orphan', `turn ${nth} began while Claude ${pid} of a dead worker still runs`);
  }
}
