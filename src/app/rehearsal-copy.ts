// Copies what Claude Code reads of a folder by itself: its memory files and what they import. Nothing else, no settings.
import { copyFile, mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';

const MEMORY = ['CLAUDE.md', 'CLAUDE.local.md', join('.claude', 'CLAUDE.md')];
const RULES = join('.claude', 'rules');
/** Claude Code follows imports so deep. */
const DEPTH = 5;
/** An import is a text for a prompt: what is larger was not meant. */
const MAX_BYTES = 1024 * 1024;

/**
 * Settings are left behind on purpose: `.claude/settings.json` may name a key, another server for the model, or hooks,
 * and a rehearsal must reach nothing real. @returns what was copied, as paths below the folder
 */
export async function copyWhatClaudeReads(from: string, to: string): Promise<string[]> {
  const copied = new Set<string>();
  const copy = async (path: string, depth: number): Promise<void> => {
    const source = join(from, path);
    const found = await stat(source).catch(() => undefined);
    if (copied.has(path) || !found?.isFile() || found.size > MAX_BYTES) return;
    copied.add(path);
    await mkdir(dirname(join(to, path)), { recursive: true });
    await copyFile(source, join(to, path));
    if (depth >= DEPTH) return;
    for (const name of importsOf(await readFile(source, 'utf8'))) {
      const target = relative(from, resolve(dirname(source), name));
      if (isInside(target)) await copy(target, depth + 1);
    }
  };
  for (const path of MEMORY) await copy(path, 0);
  const rules = await readdir(join(from, RULES), { recursive: true }).catch(() => []);
  for (const name of rules.filter((name) => name.endsWith('.md'))) await copy(join(RULES, name), 0);
  return [...copied];
}

/** `@docs/prices.md`, at the beginning of a word. What is none is no file, and so nothing happens. */
function importsOf(text: string): string[] {
  return [...text.matchAll(/(?:^|\s)@([^\s`]+)/g)].map((match) => (match[1] ?? '').replace(/[.,;:)]+$/, ''));
}

/** Keys must not come along: an import of `.env` would be a mistake, not a memory. */
function isInside(path: string): boolean {
  const inside = path !== '' && !isAbsolute(path) && path.split(sep)[0] !== '..';
  return inside && !/(^|[\\/])\.env(\.|$)/.test(path) && path !== '.mcp.json';
}
