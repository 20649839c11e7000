// docs/json.md is what the schemas say; run `npm run generate` where it is not.
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { withDocuments } from './page.js';
import { HOLD_REASONS } from './words.js';

const fileOf = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8');

it('docs/json.md holds the tables of the contract', async () => {
  const page = await fileOf('docs/json.md');
  expect(page).toBe(withDocuments(page));
});

it('a page without the marks is refused', () => {
  expect(() => withDocuments('# JSON')).toThrow('needs the marks');
});

it('knows every hold there is', async () => {
  const declared = await fileOf('src/domain/hold.ts');
  const words = [...declared.matchAll(/^ {2}\|? ?'([a-z-]+)'[,;]?$/gm)].map((match) => match[1]);
  expect([...HOLD_REASONS].sort()).toEqual(words.sort());
});
