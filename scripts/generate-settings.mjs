// Writes config/worker.example.json and docs/settings.md from the schema in src/config, docs/json.md from test/contract.
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';

const root = new URL('../', import.meta.url);
const load = async (path) => {
  const options = { configFile: false, logLevel: 'error' };
  return (await runnerImport(fileURLToPath(new URL(path, root)), options)).module;
};

const module = await load('src/config/docs.ts');

const page = new URL('docs/settings.md', root);
await writeFile(page, module.withTables(await readFile(page, 'utf8')));
await writeFile(new URL('config/worker.example.json', root), module.exampleJson());

const contract = await load('test/contract/page.ts');
const json = new URL('docs/json.md', root);
await writeFile(json, contract.withDocuments(await readFile(json, 'utf8')));
