// One name for the program in what a terminal shows.
import { expect, it } from 'vitest';
import { inOwnName } from '../../src/cli/own-name.js';
import { reportError } from '../../src/cli/report.js';
import { ERROR_KINDS, WorkerError } from '../../src/domain/errors.js';

it('puts the name by which it was called where a command is told', () => {
  const self = 'node dist/main.js';
  expect(inOwnName('See `inbox-worker show m1`, or inbox-worker --help.', self)).toBe(
    'See `node dist/main.js show m1`, or node dist/main.js --help.',
  );
  expect(inOwnName('See `inbox-worker show m1`.', 'inbox-worker')).toBe('See `inbox-worker show m1`.');
});

it('leaves the name alone where it is only a name', () => {
  for (const text of [
    'by an older version of inbox-worker.',
    'inbox-worker is the program',
    'mcp-inbox-worker run',
    '/home/inbox-worker show',
  ]) {
    expect(inOwnName(text, 'X')).toBe(text);
  }
});

it('holds for every hint of an error', () => {
  const lines: string[] = [];
  for (const code of Object.keys(ERROR_KINDS) as (keyof typeof ERROR_KINDS)[]) {
    reportError(new WorkerError(code, 'No.'), { self: 'X', err: (line) => lines.push(line) });
  }
  expect(lines.join('\n')).toContain('`X status`');
  expect(lines.join('\n')).not.toMatch(/inbox-worker [a-z-]/);
});
