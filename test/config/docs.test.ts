// What is generated from the schema is current; run `node scripts/generate-settings.mjs` where it is not.
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { exampleJson, settingsTables, withTables } from '../../src/config/docs.js';
import { loadSettings } from '../../src/config/load.js';
import { settingOptions } from '../../src/config/options.js';
import { SETTING_LIST } from '../../src/config/schema.js';
import { folderWith } from './folder.js';

const fileOf = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8');

describe('generated files', () => {
  it('docs/settings.md holds the tables of the schema', async () => {
    const page = await fileOf('docs/settings.md');
    expect(page).toBe(withTables(page));
  });

  it('config/worker.example.json is the example of the schema', async () => {
    expect(await fileOf('config/worker.example.json')).toBe(exampleJson());
  });
});

it('the tables have one row for each setting, with as many cells as the head', () => {
  const rows = settingsTables()
    .split('\n')
    .filter((line) => line.startsWith('| `'));
  expect(rows).toHaveLength(SETTING_LIST.length);
  for (const row of rows) expect(row.match(/(?<!\\)\|/g)).toHaveLength(8);
});

it('a page without the marks is refused', () => {
  expect(() => withTables('# Settings')).toThrow('needs the marks');
});

it('a copy of the example changes nothing, and lifts no cap', async () => {
  const input = { flags: {}, env: { HOME: '/home/nobody' } };
  const plain = await loadSettings({ ...input, cwd: await folderWith() });
  const copied = await loadSettings({
    ...input,
    cwd: await folderWith({ 'config/worker.json': exampleJson() }),
  });
  expect(copied).toEqual({ ...plain, dir: copied.dir, origins: copied.origins });
  expect(copied.origins.preset.from).toBe('file');
  expect(copied.origins.maxSleepMs.from).toBe('default');
});

it('every setting but secrets is an option of the command line', () => {
  const options = settingOptions();
  expect(options.map((option) => option.name)).toEqual(
    SETTING_LIST.filter(([, setting]) => !setting.secret).map(([name]) => name),
  );
  const flagsOf = (name: string) => options.find((option) => option.name === name)?.flags;
  expect([flagsOf('minSleepMs'), flagsOf('once'), flagsOf('delivery')]).toEqual([
    '--min-sleep <duration>',
    '--once',
    '--delivery <inline|pull>',
  ]);
});
