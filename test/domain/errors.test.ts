import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ERROR_KINDS, type ErrorCode, EXIT, WorkerError } from '../../src/domain/errors.js';

const docs = readFileSync(new URL('../../docs/errors.md', import.meta.url), 'utf8');

it('gives every code an exit code of the documented table and a hint that is a sentence', () => {
  for (const [code, kind] of Object.entries(ERROR_KINDS)) {
    expect(Object.values(EXIT), code).toContain(kind.exitCode);
    expect(kind.hint, code).toMatch(/^[A-Z].*\.$/);
  }
});

it('has a line in the docs for every code, and no other', () => {
  const documented = [...docs.matchAll(/^\| `([a-z-]+)` \|/gm)].map((match) => match[1]);
  expect(documented.toSorted()).toEqual(Object.keys(ERROR_KINDS).toSorted());
});

it('carries code, hint, exit code and cause', () => {
  const cause = new Error('x');
  const error = new WorkerError('lease-held' satisfies ErrorCode, 'Held.', { cause });
  expect(error).toMatchObject({
    code: 'lease-held',
    exitCode: 3,
    hint: ERROR_KINDS['lease-held'].hint,
    cause,
  });
  expect(new WorkerError('usage', 'No.', { hint: 'Closer.' }).hint).toBe('Closer.');
});
