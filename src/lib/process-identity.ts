// Tells one process from another that got the same pid later.
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** Where a process runs: pids compare only within one host, one boot and one pid namespace. */
export interface ProcessHome {
  readonly host: string;
  readonly bootId: string;
  readonly pidNamespace: string;
}

/** The start time of `pid` as the system counts it (an opaque string), or undefined when no such process lives. */
export function processStart(pid: number): string | undefined {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return undefined;
  }
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command name stands in parentheses and may hold anything, so fields are counted from the last ')'.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // A zombie has ended; only its parent has not looked yet.
    return fields[0] === 'Z' ? undefined : fields[19];
  } catch {
    // No /proc (macOS, Windows): the pid is known to live, its start is not.
    return process.platform === 'linux' ? undefined : 'unknown';
  }
}

export function processHome(): ProcessHome {
  return {
    host: hostname(),
    bootId: quietly(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()),
    pidNamespace: quietly(() => readlinkSync('/proc/self/ns/pid')),
  };
}

function quietly(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}
