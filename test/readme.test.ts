// Holds the README to the tree: the tests, pages and commands it names are there.
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '..');
const readme = readFileSync(join(root, 'README.md'), 'utf8');

describe('the README', () => {
  it('names for everything that goes wrong a test that is there', () => {
    const table = readme.slice(readme.indexOf('| what goes wrong'), readme.indexOf('## Systems'));
    const rows = table
      .split('\n')
      .filter((row) => row.startsWith('| ') && !row.includes('**'))
      .slice(1);
    expect(rows.length).toBeGreaterThan(40);
    const missing = rows.flatMap((row) => {
      const tests = [...(row.split('|')[3] ?? '').matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? '');
      if (tests.length === 0) return [row];
      return tests.filter(
        (name) => !['.test.ts', '.ts'].some((end) => existsSync(join(root, 'test', `${name}${end}`))),
      );
    });
    expect(missing).toEqual([]);
  });

  it('links to pages that are there', () => {
    const links = [...readme.matchAll(/\]\(([^)#:]+)\)/g)].map((match) => match[1] ?? '');
    expect(links.length).toBeGreaterThan(0);
    expect(links.filter((link) => !existsSync(join(root, link)))).toEqual([]);
  });

  it('names npm scripts that are there', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>;
    };
    const named = [...readme.matchAll(/npm run (?:-s )?([a-z:-]+)/g)].map((match) => match[1] ?? '');
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });
});
