// How much memory another process holds, where the system tells.
import { readFileSync } from 'node:fs';

/** Resident bytes of `pid`; undefined where there is no such process, or no /proc to ask. */
export function residentBytes(pid: number | undefined): number | undefined {
  if (pid === undefined) return undefined;
  try {
    const match = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
    return match ? Number(match[1]) * 1024 : undefined;
  } catch {
    return undefined;
  }
}
