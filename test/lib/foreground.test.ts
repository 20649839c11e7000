import { fileURLToPath } from 'node:url';
import { execaSync } from 'execa';
import { expect, it } from 'vitest';
import { HAS_PTY } from '../support/pty.js';

const FILE = fileURLToPath(new URL('../../src/lib/foreground.ts', import.meta.url));
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

it.skipIf(!HAS_PTY || process.platform !== 'linux')(
  'tells a program in the background from one that has the terminal',
  () => {
    // On a terminal of its own a shell with job control starts the same program twice.
    const options = '{ configFile: false, logLevel: `error` }';
    const ask = `import('vite').then(({ runnerImport }) => runnerImport('${FILE}', ${options}))
      .then(({ module }) => console.log(module.isForeground()))`;
    const script =
      'import pty, sys; pty.spawn(["sh", "-c", "set -m; \\"$0\\" -e \\"$1\\" & wait; \\"$0\\" -e \\"$1\\"", *sys.argv[1:]])';
    const { stdout } = execaSync('python3', ['-c', script, process.execPath, ask], {
      cwd: ROOT,
      stdin: 'ignore',
    });
    expect(stdout.match(/true|false/g)).toEqual(['false', 'true']);
  },
);
