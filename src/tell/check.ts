// Looks whether a target could be told, without telling it anything.
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import { execa } from 'execa';
import type { Target } from './target.js';

export interface CheckedTarget {
  readonly ok: boolean;
  /** One sentence. */
  readonly text: string;
}

export interface CheckOptions {
  /** Where commands run. */
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** Runs nothing of the user's and posts nothing. */
export async function checkTarget(target: Target, options: CheckOptions): Promise<CheckedTarget> {
  switch (target.kind) {
    case 'webhook': {
      const { host } = new URL(target.url);
      return { ok: true, text: `signed posts go to ${host} (none was sent)` };
    }
    case 'command': {
      const [file = ''] = target.words;
      const found = await findProgram(file, options);
      return found
        ? { ok: true, text: `runs ${found}` }
        : { ok: false, text: `there is no program ${file} that could be run` };
    }
    case 'shell':
      return checkLine(target.line, options);
  }
}

async function findProgram(file: string, { cwd, environment }: CheckOptions): Promise<string | undefined> {
  const candidates = /[\\/]/.test(file)
    ? [resolve(cwd, file)]
    : (environment.PATH ?? '')
        .split(delimiter)
        .filter(Boolean)
        .map((folder) => join(folder, file));
  for (const path of candidates) {
    const runs = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (runs) return path;
  }
  return undefined;
}

/** The shell reads the line without running it, then says whether it knows its first word. */
async function checkLine(line: string, { cwd, environment }: CheckOptions): Promise<CheckedTarget> {
  const shell = (...args: string[]) =>
    execa('/bin/sh', args, {
      cwd,
      env: environment,
      extendEnv: false,
      reject: false,
      stdin: 'ignore',
      timeout: 5_000,
    });
  if (process.platform === 'win32') return { ok: true, text: 'runs a line of the shell (not looked at)' };
  const syntax = await shell('-n', '-c', line);
  if (syntax.failed)
    return { ok: false, text: `the shell cannot read the line: ${syntax.stderr.split('\n')[0] ?? ''}` };
  const [word] = /^[\w./+-]+(?=\s|$)/.exec(line) ?? [];
  if (word === undefined) return { ok: true, text: 'runs a line of the shell' };
  const known = await shell('-c', 'command -v -- "$1"', 'sh', word);
  return known.failed
    ? { ok: false, text: `the shell does not know ${word}` }
    : { ok: true, text: `runs a line of the shell that begins with ${word}` };
}
