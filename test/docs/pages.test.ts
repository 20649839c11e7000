// Holds the pages to the program: their commands are known and run, their flags, links and headings are there.
import { existsSync, readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join, posix, resolve } from 'node:path';
import { Command } from 'commander';
import { beforeAll, describe, expect, it } from 'vitest';
import { addCommands } from '../../src/cli/commands.js';
import type { CliContext } from '../../src/cli/context.js';
import { loadSettings } from '../../src/config/index.js';
import { SETTING_LIST } from '../../src/config/schema.js';
import { folderWith } from '../config/folder.js';
import { anchorsOf, blocksOf, commandsOf, linksOf, type Page, pages, ROOT, spansOf } from './markdown.js';
import { FILE_COMMANDS, OTHER_PROGRAMS, ourArguments, programOf, WAYS } from './ways.js';

const all = pages();
const blocks = all.flatMap(blocksOf);
const commands = blocks.flatMap(commandsOf);
const spans = [...new Set(all.flatMap(spansOf))];
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
};

let program: Command;
beforeAll(async () => {
  program = new Command('inbox-worker').option('--config <file>').option('--version').option('--help');
  await addCommands(program, {} as CliContext, () => {}, undefined);
});

/** What a call of ours has that is not there: a command, or flags of it. */
function strange(words: readonly string[]): string[] {
  const [name = ''] = words;
  const command = /^[a-z]/.test(name) ? program.commands.find((one) => one.name() === name) : program;
  if (!command) return [name];
  const known = new Set(['--help', '-h', ...command.options.flatMap(({ long, short }) => [long, short])]);
  const flags = words.map((word) => word.split('=')[0] ?? '').filter((word) => /^--?[a-z]/.test(word));
  return flags.filter((flag) => !known.has(flag)).map((flag) => `${name} ${flag}`);
}

const npmScript = (text: string): string | undefined => {
  const [, run, short] = /^npm (?:run (?:-s |--silent )?([\w:-]+)|(start|test))\b/.exec(text) ?? [];
  return run ?? short;
};

describe('the fenced commands', () => {
  it('stand in blocks that say what they are', () => {
    const known = [
      'sh',
      'json',
      'text',
      'markdown',
      'yaml',
      'ini',
      'dockerfile',
      'js',
      'ts',
      'xml',
      'sql',
      'nginx',
    ];
    const odd = blocks.filter(({ language }) => !known.includes(language));
    expect(odd.map(({ page, line, language }) => `${page}:${line} \`\`\`${language}`)).toEqual([]);
    const hidden = blocks.filter(
      ({ language, lines }) =>
        language === 'text' && lines.some((line) => /^(\$ )?(inbox-worker|npm|npx) /.test(line)),
    );
    expect(hidden.map(({ page, line }) => `${page}:${line} holds commands: write \`\`\`sh`)).toEqual([]);
  });

  it('are run by the tests, or said not to be', () => {
    expect(commands.length).toBeGreaterThan(20);
    const unknown = commands.filter(
      ({ text, notRun }) => !notRun && !(text in WAYS) && !FILE_COMMANDS.includes(programOf(text)),
    );
    expect(
      unknown.map(
        ({ page, line, text }) =>
          `${page}:${line}: \`${text}\` has no line in test/docs/ways.ts; add one, or write under the block <sub>Not run by the tests: …</sub>`,
      ),
    ).toEqual([]);
  });

  it('that are not run name programs and flags that there are', () => {
    const named = ['', ...OTHER_PROGRAMS, ...FILE_COMMANDS];
    const faults = commands
      .filter(({ notRun }) => notRun)
      .flatMap(({ page, line, text }) => {
        const ours = ourArguments(text);
        const script = npmScript(text);
        const wrong = [
          ...(ours ? strange(ours) : named.includes(programOf(text)) ? [] : [programOf(text)]),
          ...(script === undefined || script in scripts ? [] : [`npm run ${script}`]),
        ];
        return wrong.map((what) => `${page}:${line}: there is no ${what}`);
      });
    expect(faults).toEqual([]);
  });

  it('and the words under a block fit it', () => {
    const idle = blocks.flatMap((block) => {
      if (block.notRun === 'all') return commandsOf(block).length > 0 ? [] : ['all of it'];
      const texts = commandsOf(block).map(({ text }) => text);
      return block.notRun.filter(
        (head) => !texts.some((text) => text === head || text.startsWith(`${head} `)),
      );
    });
    expect(idle).toEqual([]);
    const texts = new Set([...commands.filter(({ notRun }) => !notRun).map(({ text }) => text), ...spans]);
    expect(Object.keys(WAYS).filter((text) => !texts.has(text))).toEqual([]);
  });
});

it('commands of ours in the text are run by the tests, too', () => {
  const ours = spans.filter((span) => (ourArguments(span)?.length ?? 0) > 0);
  expect(ours.length).toBeGreaterThan(20);
  expect(
    ours.filter((span) => !(span in WAYS)).map((span) => `${span}: add a line in test/docs/ways.ts`),
  ).toEqual([]);
});

it('commands in the text are there, with their flags', () => {
  const faults = all.flatMap((page) =>
    spansOf(page).flatMap((span) => {
      const ours = ourArguments(span);
      const script = npmScript(span);
      const wrong = [
        ...(ours && ours.length > 0 ? strange(ours) : []),
        ...(script === undefined || script in scripts ? [] : [`npm run ${script}`]),
      ];
      return wrong.map((what) => `${page.path}: \`${span}\`: there is no ${what}`);
    }),
  );
  expect(faults).toEqual([]);
});

describe('the JSON', () => {
  const objects = blocks
    .filter(({ language }) => language === 'json')
    // Several documents may stand in one block, each from the edge on.
    .flatMap(({ page, line, lines }) =>
      lines
        .join('\n')
        .split(/\n(?=\{)/)
        .map((text) => ({ where: `${page}:${line}`, text })),
    );

  it('is JSON', () => {
    expect(objects.length).toBeGreaterThan(3);
    for (const { where, text } of objects) expect(() => JSON.parse(text), where).not.toThrow();
  });

  it('that holds settings is taken as settings, and commands in it are there', async () => {
    const keys = new Set<string>(SETTING_LIST.map(([, { key }]) => key));
    const faults: string[] = [];
    for (const { where, text } of objects) {
      const value = JSON.parse(text) as Record<string, unknown>;
      // A description of an inbox has a name, too.
      if (keys.has(Object.keys(value)[0] ?? '') && !('look' in value)) {
        const file = typeof value.dir === 'string' ? 'config/agents/one.json' : 'config/worker.json';
        const cwd = await folderWith({ [file]: text });
        if (typeof value.dir === 'string')
          await mkdir(resolve(cwd, 'config/agents', value.dir), { recursive: true });
        // What the pages say stands in .env.
        const env = {
          HOME: '/home/nobody',
          TELL_SECRET: `whsec_${Buffer.from('the secret of nobody').toString('base64')}`,
        };
        await loadSettings({ flags: {}, env, cwd, file }).catch((error) =>
          faults.push(`${where}: ${error.message}`),
        );
      }
      for (const { command, args = [] } of Object.values(
        (value.mcpServers ?? {}) as Record<string, Program>,
      )) {
        const ours =
          command === 'inbox-worker' ? args : args[0] === 'inbox-worker' ? args.slice(1) : undefined;
        if (ours) faults.push(...strange(ours).map((what) => `${where}: there is no ${what}`));
      }
    }
    expect(faults).toEqual([]);
  });
});

interface Program {
  readonly command?: string;
  readonly args?: readonly string[];
}

describe('links', () => {
  const pageAt = (path: string): Page | undefined => all.find((page) => page.path === path);

  it('lead to files and headings that are there', () => {
    const links = all.flatMap((page) => linksOf(page).map((link) => ({ page, link })));
    expect(links.length).toBeGreaterThan(20);
    const dead = links.filter(({ page, link }) => {
      if (/^[a-z]+:/.test(link)) return false;
      const [path = '', anchor] = link.split('#');
      const target = path === '' ? page.path : posix.join(dirname(page.path), path);
      if (!existsSync(join(ROOT, target))) return true;
      return (
        anchor !== undefined && !anchorsOf(pageAt(target) ?? { path: target, text: '' }).includes(anchor)
      );
    });
    expect(dead.map(({ page, link }) => `${page.path}: ${link}`)).toEqual([]);
  });

  it('lead to every page from the first one of docs/', () => {
    const index = pageAt('docs/README.md');
    const linked = index ? linksOf(index).map((link) => posix.join('docs', link.split('#')[0] ?? '')) : [];
    const missing = all
      .map(({ path }) => path)
      .filter((path) => path !== 'docs/README.md' && !linked.includes(path));
    expect(missing).toEqual([]);
  });
});

it('would object: the reading itself can fail', () => {
  const text = [
    '# A `page` of (mine)',
    '',
    'See [that](x.md#a-b) and `[no](link)`.',
    '',
    '```sh',
    'npm ci && A=1 inbox-worker run \\',
    "  --inbox '#x' # why",
    '# a remark',
    '```',
    '',
    '<sub>Not run by the tests: `npm ci`.</sub>',
    '',
    '## A `page` of (mine)',
  ].join('\n');
  const page = { path: 'p.md', text };
  expect(blocksOf(page).flatMap(commandsOf)).toEqual([
    { page: 'p.md', line: 6, text: 'npm ci', notRun: true },
    { page: 'p.md', line: 6, text: "A=1 inbox-worker run --inbox '#x'", notRun: false },
  ]);
  expect(linksOf(page)).toEqual(['x.md#a-b']);
  expect(anchorsOf(page)).toEqual(['a-page-of-mine', 'a-page-of-mine-1']);
  expect(spansOf(page)).toContain('[no](link)');
  expect(strange(['run', '--once', '--no-such-flag'])).toEqual(['run --no-such-flag']);
  expect(strange(['frobnicate'])).toEqual(['frobnicate']);
  expect(ourArguments("A=1 inbox-worker run --inbox '#x'")).toEqual(['run', '--inbox', '#x']);
  expect(programOf('A="b c" docker run')).toBe('docker');
});
