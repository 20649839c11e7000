// Lets Claude die with us where the system can do that, so that a killed worker leaves nothing behind.
import { delimiter, join } from 'node:path';
import { execa } from 'execa';

let checked: Promise<readonly string[]> | undefined;

/**
 * What to put before Claude's own command line: `setpriv --pdeathsig KILL --` where that works, else nothing. The
 * program keeps the pid. Checked once; it is tried, because some systems have a setpriv without this option.
 */
export function parentDeathPrefix(): Promise<readonly string[]> {
  checked ??= check();
  return checked;
}

async function check(): Promise<readonly string[]> {
  if (process.platform !== 'linux') return [];
  const folders = [...(process.env.PATH ?? '').split(delimiter).filter(Boolean), '/usr/bin', '/bin'];
  for (const setpriv of new Set(folders.map((folder) => join(folder, 'setpriv')))) {
    // By its whole path: Claude's PATH need not be ours.
    const prefix = [setpriv, '--pdeathsig', 'KILL', '--'];
    const [file = '', ...args] = [...prefix, process.execPath, '--version'];
    const run = await execa(file, args, { reject: false, stdin: 'ignore', timeout: 10_000 });
    if (!run.failed) return prefix;
  }
  return [];
}
