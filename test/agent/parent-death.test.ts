import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { parentDeathPrefix } from '../../src/agent/parent-death.js';
import { processStart } from '../../src/lib/process-identity.js';

const prefix = await parentDeathPrefix();

it.runIf(prefix.length > 0)(
  'a child with the prefix dies with its parent, and keeps the pid it was given',
  async () => {
    const command = [...prefix, process.execPath, '-e', 'setInterval(() => {}, 60_000)'];
    const script = `
    const [file, ...args] = ${JSON.stringify(command)};
    const child = require('child_process').spawn(file, args, { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
    console.log(child.pid);
    setInterval(() => {}, 60_000);
  `;
    const parent = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [pid] = await once(parent.stdout, 'data');
    const child = Number(String(pid));
    expect(processStart(child)).toBeDefined();
    // setpriv has to have got as far as to ask for the signal.
    const asked = async (): Promise<boolean> => {
      const { readFile } = await import('node:fs/promises');
      return (await readFile(`/proc/${child}/cmdline`, 'utf8')).startsWith(process.execPath);
    };
    await expect.poll(asked).toBe(true);
    parent.kill('SIGKILL');
    await once(parent, 'exit');
    await expect.poll(() => processStart(child)).toBeUndefined();
  },
);
