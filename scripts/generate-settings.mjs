// Writes config/worker.example.json and the tables of docs/settings.md from the schema in src/config.
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';

const root = new URL('../', import.meta.url);
const { module } = await runnerImport(fileURLToPath(new URL('src/config/docs.ts', root)), {
  configFile: false,
  logLevel: 'error',
});

const page = new URL('docs/settings.md', root);
await writeFile(page, module.withTables(await readFile(page, 'utf8')));
await writeFile(new URL('config/worker.example.json', root), module.exampleJson());
