// The kinds of values that name something.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Kind } from '../../src/config/kind.js';
import * as names from '../../src/config/names.js';

const value = <T>(kind: Kind<T>, raw: unknown): T | undefined => {
  const reading = kind.read(raw, { base: '/agent', home: '/home/someone' });
  return 'value' in reading ? reading.value : undefined;
};

it('paths come out absolute: from their base, from the home, or as they are', () => {
  expect(['prompt.md', '../x', '~/x', '~', '/etc/x'].map((raw) => value(names.path, raw))).toEqual([
    '/agent/prompt.md',
    '/x',
    '/home/someone/x',
    '/home/someone',
    '/etc/x',
  ]);
  expect(value(names.path, '')).toBeUndefined();
});

it('an agent’s name is safe in an address and in a file’s name', () => {
  for (const name of ['scout', 'Clerk_2', '7', 'a'.repeat(32)])
    expect(value(names.agentName, name)).toBe(name);
  for (const name of ['', '-a', '_a', 'a b', 'a/b', '..', 'a.b', 'ä', '%41', 'a'.repeat(33)])
    expect(value(names.agentName, name), name).toBeUndefined();
});

it('a program without a slash stays a name for PATH', () => {
  expect(['claude', './claude', '~/bin/claude'].map((raw) => value(names.program, raw))).toEqual([
    'claude',
    '/agent/claude',
    '/home/someone/bin/claude',
  ]);
});

it('a profile is a known name or a JSON file', () => {
  expect(['auto', 'dms', 'mine.json', 'other'].map((raw) => value(names.profile, raw))).toEqual([
    'auto',
    'dms',
    '/agent/mine.json',
    undefined,
  ]);
});

it('an inbox id is safe as a folder and no folder of ours', () => {
  expect(value(names.inboxId, 'support-2')).toBe('support-2');
  for (const bad of ['../x', 'a/b', '.hidden', 'running', 'local-inbox', 'Upper', 'x'.repeat(65)]) {
    expect(value(names.inboxId, bad), bad).toBeUndefined();
  }
});

it('addresses get their sign, aliases refuse channels', () => {
  expect(['alice', '@Alice', '#ops', 'two words', '@', ''].map(names.addressOf)).toEqual([
    '@alice',
    '@alice',
    '#ops',
    undefined,
    undefined,
    undefined,
  ]);
  expect([value(names.alias, 'bot'), value(names.alias, '#ops')]).toEqual(['@bot', undefined]);
});

it('people are a list, anyone, or nobody', () => {
  expect(['anyone', 'nobody', 'alice, #ops', ['@Bob'], 'a b'].map((raw) => value(names.people, raw))).toEqual(
    ['anyone', [], ['@alice', '#ops'], ['@bob'], undefined],
  );
  expect([[], ['@a'], 'anyone' as const].map((list) => names.people.write(list))).toEqual([
    'nobody',
    ['@a'],
    'anyone',
  ]);
});

it('the wake stream is a word or an http address', () => {
  expect(
    ['auto', 'off', false, 'http://127.0.0.1:1/s', 'ftp://x', 'on'].map((raw) =>
      value(names.wakeStream, raw),
    ),
  ).toEqual(['auto', 'off', 'off', 'http://127.0.0.1:1/s', undefined, undefined]);
});

it('words split as in a shell, or are a JSON list', () => {
  expect(value(names.words, `--effort high --x="a b" 'c d' e\\f "say \\"hi\\""`)).toEqual([
    '--effort',
    'high',
    '--x=a b',
    'c d',
    'e\\f',
    'say "hi"',
  ]);
  expect(value(names.words, '["a b", ""]')).toEqual(['a b', '']);
  expect(value(names.words, ['--x', 'y z'])).toEqual(['--x', 'y z']);
  for (const bad of ['"open', "it's", '[1]', 7]) expect(value(names.words, bad), String(bad)).toBeUndefined();
});

it('any words, quoted, come back', () => {
  fc.assert(
    fc.property(fc.array(fc.string()), (all) => {
      const line = all.map((word) => `"${word.replace(/["\\]/g, '\\$&')}"`).join(' ');
      // A line that begins with a bracket would be JSON; a quoted one never does.
      expect(value(names.words, line)).toEqual(all);
    }),
  );
});
