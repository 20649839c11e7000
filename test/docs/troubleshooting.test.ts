// Holds docs/troubleshooting.md to the program: its sentences, holds, settings and commands are really there.
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { SETTING_LIST } from '../../src/config/schema.js';
import { ERROR_KINDS } from '../../src/domain/errors.js';

const root = resolve(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/troubleshooting.md'), 'utf8');
const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.ts'),
);
const source = files.map((name) => readFileSync(join(root, 'src', name), 'utf8')).join('\n');

/** What stands in backticks in the first column of the table under this heading. */
function firstColumn(heading: string): string[] {
  const section = page.slice(page.indexOf(`## ${heading}`)).split('\n## ')[0] ?? '';
  return [...section.matchAll(/^\| `([^`]+)`/gm)].map((match) => match[1] ?? '');
}

it('quotes sentences that the program says', () => {
  const lists = [...page.matchAll(/^- `([^`]+)`(?: with `([^`]+)`)?[:,]? /gm)];
  const quoted = [
    ...firstColumn('It does not start'),
    ...lists.flatMap((match) => [match[1], match[2]].filter((text) => text !== undefined)),
  ];
  expect(quoted.length).toBeGreaterThanOrEqual(12);
  expect(quoted.filter((text) => !source.includes(text))).toEqual([]);
});

it('names holds that there are', () => {
  const holds = firstColumn('It runs and answers nobody');
  expect(holds.length).toBeGreaterThanOrEqual(9);
  const declared = readFileSync(join(root, 'src/domain/hold.ts'), 'utf8');
  expect(holds.filter((hold) => !declared.includes(`'${hold}'`))).toEqual([]);
});

it('names commands and settings that there are', () => {
  const commands = [...page.matchAll(/inbox-worker ([a-z]+)/g)].map((match) => match[1] ?? '');
  const absent = commands.filter((name) => !source.includes(`.command('${name}')`) && !byHand(name));
  expect(absent).toEqual([]);
  const keys = new Set(SETTING_LIST.map(([, setting]) => setting.key));
  const words = [...page.matchAll(/`([a-z]+_[a-z_]+)`/g)].map((match) => match[1] ?? '');
  expect(words.length).toBeGreaterThan(8);
  expect(words.filter((word) => !keys.has(word))).toEqual([]);
});

it('gives exit codes that errors have', () => {
  const codes = [...page.matchAll(/^\| (\d) \|/gm)].map((match) => Number(match[1]));
  const known = Object.values(ERROR_KINDS).map(({ exitCode }): number => exitCode);
  expect(codes.filter((code) => code !== 0 && !known.includes(code))).toEqual([]);
});

/** Some files make several commands, and hand their names on. */
const byHand = (name: string): boolean =>
  new RegExp(`^ *(?:context, *finish, *)?'${name}',$`, 'm').test(source);
