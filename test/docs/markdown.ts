// Reads the pages: fenced blocks with the commands in them, code in the text, links, and the places links lead to.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';

export const ROOT = resolve(import.meta.dirname, '../..');

export interface Page {
  /** From the root of the project, with `/`. */
  readonly path: string;
  readonly text: string;
}

export interface Block {
  readonly page: string;
  /** Of the opening fence, from 1. */
  readonly line: number;
  /** The word behind the fence; empty where there is none. */
  readonly language: string;
  readonly lines: readonly string[];
  /**
   * What the line under the block says is not run by the tests: parts of commands, or `all` of it. So does
   * `(not run by tests)` behind the opening fence, which no reader of the page sees.
   */
  readonly notRun: readonly string[] | 'all';
}

export interface Command {
  readonly page: string;
  readonly line: number;
  /** As a shell takes it, without its comment. */
  readonly text: string;
  readonly notRun: boolean;
}

const SHELL = ['sh', 'bash', 'shell', 'console'];
const NOT_RUN = /^<sub>Not run by the tests: (.+?)\.?<\/sub>$/;

/** The README and everything below docs/. */
export function pages(): Page[] {
  const below = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(ROOT, 'docs', name));
  return [join(ROOT, 'README.md'), ...below.toSorted()].map((path) => ({
    path: relative(ROOT, path).replaceAll('\\', '/'),
    text: readFileSync(path, 'utf8'),
  }));
}

export function blocksOf({ path, text }: Page): Block[] {
  const lines = text.split('\n');
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const fence = /^(\s*)(`{3,}|~{3,})\s*(\S*)(.*)/.exec(lines[at] ?? '');
    if (!fence) continue;
    const [, indent = '', mark = '', language = '', rest = ''] = fence;
    const end = lines.findIndex((line, index) => index > at && line.trim() === mark);
    const last = end < 0 ? lines.length : end;
    blocks.push({
      page: path,
      line: at + 1,
      language,
      lines: lines.slice(at + 1, last).map((line) => line.slice(indent.length)),
      notRun: /\(not run by (the )?tests\)/.test(rest)
        ? 'all'
        : notRunOf(lines.slice(last + 1).find((line) => line.trim() !== '')),
    });
    at = last;
  }
  return blocks;
}

function notRunOf(under: string | undefined): Block['notRun'] {
  const said = NOT_RUN.exec(under?.trim() ?? '')?.[1];
  if (said === undefined) return [];
  if (said === 'all of it') return 'all';
  return [...said.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? '');
}

/** One for each command of a shell block; `a && b` are two. */
export function commandsOf(block: Block): Command[] {
  if (!SHELL.includes(block.language)) return [];
  const { page, notRun } = block;
  return joined(block).flatMap(({ line, text }) =>
    withoutComment(text.replace(/^\$ /, ''))
      .split(/\s+&&\s+/)
      .filter((part) => part !== '')
      .map((part) => ({
        page,
        line,
        text: part,
        notRun: notRun === 'all' || notRun.some((head) => part === head || part.startsWith(`${head} `)),
      })),
  );
}

/** A backslash at the end goes on with the next line. */
function joined({ lines, line }: Block): { line: number; text: string }[] {
  const whole: { line: number; text: string }[] = [];
  let open: { line: number; text: string } | undefined;
  lines.forEach((text, index) => {
    const at = open ?? { line: line + 1 + index, text: '' };
    const goesOn = /\\$/.test(text);
    const next = { ...at, text: `${at.text}${at.text === '' ? '' : ' '}${text.replace(/\\$/, '').trim()}` };
    open = goesOn ? next : undefined;
    if (!goesOn) whole.push(next);
  });
  return whole;
}

/** A `#` at the start of a word and outside of quotes begins one. */
function withoutComment(text: string): string {
  let quote = '';
  for (let at = 0; at < text.length; at += 1) {
    const letter = text[at] ?? '';
    if (quote !== '') quote = letter === quote ? '' : quote;
    else if (letter === '"' || letter === "'") quote = letter;
    else if (letter === '#' && (at === 0 || /\s/.test(text[at - 1] ?? ''))) return text.slice(0, at).trim();
  }
  return text.trim();
}

/** Code spans of the text, outside of fenced blocks. */
export function spansOf({ text }: Page): string[] {
  return [...outside(text).matchAll(/(?<!`)`([^`\n]+)`(?!`)/g)].map((match) => match[1] ?? '');
}

export function linksOf({ text }: Page): string[] {
  const plain = outside(text).replaceAll(/`[^`\n]*`/g, '');
  return [...plain.matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1] ?? '');
}

/** The names by which the headings of a page are reached, as GitHub makes them. */
export function anchorsOf({ text }: Page): string[] {
  const seen = new Map<string, number>();
  return [...outside(text).matchAll(/^#{1,6} +(.+?) *#*$/gm)].map((match) => {
    const name = (match[1] ?? '')
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(/\s/g, '-');
    const count = seen.get(name) ?? 0;
    seen.set(name, count + 1);
    return count === 0 ? name : `${name}-${count}`;
  });
}

function outside(text: string): string {
  return text.replaceAll(/^( *)(`{3,}|~{3,})[^\n]*\n[\s\S]*?\n\1\2 *$/gm, '');
}
