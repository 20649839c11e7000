// Holds docs/logs.md to the program: its settings, files, sizes and live lines are really there.
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { SETTING_LIST } from '../../src/config/schema.js';
import { logObserver } from '../../src/observe/log-events.js';
import { createLogger } from '../../src/observe/logger.js';
import { ended } from '../observe/events.js';

const root = resolve(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/logs.md'), 'utf8');
const source = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => readFileSync(join(root, 'src', name), 'utf8'))
  .join('\n');

it('names settings that there are, with their defaults', () => {
  const settings = new Map(SETTING_LIST.map(([, setting]) => [setting.key, setting]));
  const named = [...page.matchAll(/`((?:log|live|on)_[a-z_]+)(?:: [a-z]+)?`/g)].map(
    (match) => match[1] ?? '',
  );
  expect(named.filter((key) => !settings.has(key))).toEqual([]);
  const surroundings = { cwd: '', home: '', env: {} };
  const told = [...page.matchAll(/`(log_file_[a-z]+)` \((\d+)/g)].map(([, key = '', value]) => [
    key,
    Number(value),
  ]);
  expect(told).toHaveLength(2);
  for (const [key, value] of told) expect(settings.get(String(key))?.defaultOf(surroundings)).toBe(value);
});

it('names files that the program writes', () => {
  const rows = [...page.matchAll(/^\| `([^`]+)`/gm)].map((match) => match[1] ?? '');
  expect(rows.length).toBeGreaterThanOrEqual(10);
  const names = rows.map((name) =>
    name
      .replace(/^.*\//, '')
      .replace(/(?:PID|…).*$/, '')
      .replace(/-wal$/, ''),
  );
  expect(names.filter((name) => !source.includes(name))).toEqual([]);
});

it('shows the line of a turn as it is', () => {
  const [, example = ''] = /```text\n(.*)\n```/.exec(page) ?? [];
  let line = '';
  const stream = {
    listenerCount: () => 1,
    write: (text: string) => {
      line = text;
    },
  };
  logObserver(createLogger({ level: 'info', format: 'json', secrets: [], stream: stream as never })).on(
    ended(),
  );
  const shown = JSON.parse(example) as Record<string, unknown>;
  const told = JSON.parse(line) as Record<string, unknown>;
  expect(Object.keys(shown)).toEqual(Object.keys(told));
  expect(shown.msg).toBe(told.msg);
});
