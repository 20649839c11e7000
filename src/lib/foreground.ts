// Does this program have its terminal, or was it put into the background?
import { readFileSync } from 'node:fs';

/** True where the system does not tell. */
export function isForeground(): boolean {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8');
    // The command name stands in parentheses and may hold anything, so fields are counted from the last ')'.
    const [, , group, , , terminalGroup] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // -1: no terminal of its own; one that it was handed all the same is its to write on.
    return terminalGroup === '-1' || terminalGroup === group;
  } catch {
    return true;
  }
}
