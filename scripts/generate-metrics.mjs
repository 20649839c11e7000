// Writes the tables of docs/metrics.md from the lists in src/observe.
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';

const root = new URL('../', import.meta.url);
const { module } = await runnerImport(fileURLToPath(new URL('src/observe/docs.ts', root)), {
  configFile: false,
  logLevel: 'error',
});

const page = new URL('docs/metrics.md', root);
await writeFile(page, module.withMetrics(await readFile(page, 'utf8')));
