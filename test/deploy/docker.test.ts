// The Dockerfile: linted, without secrets or root, and true to what the program needs.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { validate } from 'dockerfile-utils';
import { describe, expect, it } from 'vitest';
import { SETTINGS } from '../../src/config/schema.js';
import { badWords, objection, ROOT, textOf } from './known.js';

const text = textOf('config/deploy/Dockerfile');

interface Instruction {
  readonly name: string;
  readonly value: string;
}

/** With continued lines joined and comments left out. */
const instructions: readonly Instruction[] = text
  .split('\n')
  .filter((line) => !/^\s*#/.test(line))
  .join('\n')
  .replaceAll(/\\\n\s*/g, ' ')
  .split('\n')
  .filter((line) => line.trim() !== '')
  .map((line) => ({ name: line.split(' ', 1)[0] ?? '', value: line.slice(line.indexOf(' ') + 1) }));

const last = instructions.slice(instructions.findLastIndex(({ name }) => name === 'FROM'));
const of = (name: string, among = instructions): string[] =>
  among.filter((one) => one.name === name).map(({ value }) => value);

/** What COPY takes from the checkout, not from another stage. */
const sources = of('COPY')
  .filter((value) => !value.includes('--from='))
  .flatMap((value) => value.split(' ').slice(0, -1));

it('passes the linter', () => {
  expect(validate(text)).toEqual([]);
  // The linter itself can fail.
  expect(validate('FROM node\nUSR node\n')).not.toEqual([]);
});

describe('the image', () => {
  it('is built on a Node that the program runs on, by a tag that stays what it is', () => {
    const [, image, major] = /^NODE_IMAGE=(node:(\d+)-\S+)$/.exec(of('ARG')[0] ?? '') ?? [];
    expect(image).not.toMatch(/latest/);
    expect(Number(major)).toBeGreaterThanOrEqual(22);
    expect(of('FROM').every((value) => value.startsWith('${NODE_IMAGE}'))).toBe(true);
  });

  it('fetches nothing but by package managers', () => {
    expect(of('ADD')).toEqual([]);
    expect(of('RUN').join('\n')).not.toMatch(/\b(curl|wget|git clone)\b/);
    expect(of('RUN').join('\n')).toContain('npm ci');
  });

  it('runs as somebody who is not root, by number, and may not change its own program', () => {
    expect(of('USER', last)).toEqual(['1000:1000']);
    expect(of('COPY').filter((value) => value.includes('--chown'))).toEqual([]);
    const roles = last.map(({ name }) => name);
    expect(roles.lastIndexOf('RUN')).toBeLessThan(roles.indexOf('USER'));
  });

  it('holds no secret', () => {
    const names = [...of('ENV'), ...of('ARG')].join(' ').match(/\b[A-Z][A-Z_]+(?==)/g) ?? [];
    expect(names.length).toBeGreaterThan(5);
    expect(names.filter((name) => /KEY|TOKEN|SECRET|PASSWORD/.test(name))).toEqual([]);
  });

  it('sets variables that there are, to values they can have', () => {
    const pairs = of('ENV')
      .join(' ')
      .trim()
      .split(/\s+/)
      .map((pair) => pair.split('=') as [string, string]);
    expect(pairs.length).toBeGreaterThan(5);
    expect(pairs.map(([name, value]) => objection(name, value)).filter(Boolean)).toEqual([]);
    expect(objection('INBOX_WORKER_STATE_DIRS')).toMatch(/no variable/);
    expect(objection('INBOX_WORKER_LEASE_STALE', 'soon')).toMatch(/write a duration/);
  });

  it('takes what the program needs, and the context holds just that', () => {
    expect(sources.filter((source) => !existsSync(join(ROOT, source)))).toEqual([]);
    for (const needed of [
      'package.json',
      'package-lock.json',
      'tsconfig.json',
      'tsconfig.build.json',
      'tsconfig.page.json',
      'scripts/copy-page.mjs',
      'src',
      'config',
    ]) {
      expect(sources).toContain(needed);
    }
    const lines = textOf('.dockerignore')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    expect(lines[0]).toBe('*');
    const let_in = lines.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
    expect([...new Set(sources)].sort()).toEqual(let_in.sort());
    expect(lines).toContain('**/.env');
  });

  it('listens where the program does by default, and is looked after by a script that is in it', () => {
    const port = SETTINGS.webhookPort.defaultOf({ cwd: '', home: '', env: {} });
    expect(of('EXPOSE')).toEqual([String(port)]);
    const [check] = of('HEALTHCHECK');
    const [, path] = /CMD \["node", "\/app\/([^"]+)"\]/.exec(check ?? '') ?? [];
    expect(existsSync(join(ROOT, path ?? 'nothing'))).toBe(true);
  });

  it('starts a command that there is, under an init', async () => {
    expect(JSON.parse(of('ENTRYPOINT')[0] ?? '')).toEqual(['tini', '--', 'inbox-worker']);
    expect(of('RUN', last).join('\n')).toContain('tini');
    expect(await badWords(JSON.parse(of('CMD')[0] ?? ''))).toEqual([]);
  });

  it('brings the Claude Code that the lock file pins', () => {
    const lock = JSON.parse(textOf('package-lock.json')) as { packages: Record<string, { version: string }> };
    const { devDependencies } = JSON.parse(textOf('package.json')) as {
      devDependencies: Record<string, string>;
    };
    const version = lock.packages['node_modules/@anthropic-ai/claude-code']?.version;
    expect(devDependencies['@anthropic-ai/claude-code']).toBe(version);
    expect(of('RUN').join('\n')).toContain('mv /tmp/anthropic-ai node_modules/@anthropic-ai');
  });
});
