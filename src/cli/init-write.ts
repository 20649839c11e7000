// Writes the files of a new agent, and says what was written and what comes next. What is there already is kept.
import { appendFile, mkdir, open, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { missingIgnores, type StarterAnswers, type StarterFile, starterFiles } from '../config/index.js';
import { WorkerError } from '../domain/errors.js';
import type { CliContext } from './context.js';
import { quoted } from './rehearsal-words.js';

/** Answers whether a file was kept that was there already. @throws WorkerError `usage` where nothing can be written */
export async function writeAgent(
  folder: string,
  answers: StarterAnswers,
  context: CliContext,
): Promise<boolean> {
  let kept = false;
  try {
    for (const file of starterFiles(answers)) {
      const made = await writeNew(folder, file);
      if (!made) kept = true;
      context.out(made ? `wrote    ${file.path}` : `kept     ${file.path}: it was there already`);
    }
    const ignored = await ignore(folder);
    context.out(
      ignored.length > 0
        ? `added    ${ignored.join(' ')} to .gitignore`
        : 'kept     .gitignore: it has all it needs',
    );
    return kept;
  } catch (error) {
    const { code, path } = error as NodeJS.ErrnoException;
    throw new WorkerError('usage', `${path ?? folder} cannot be written (${code ?? String(error)}).`, {
      hint: 'Check the rights of the folder, or name another one with --dir.',
      cause: error,
    });
  }
}

/** Answers false where the file is there already, whatever it holds. */
async function writeNew(folder: string, { path, text, secret }: StarterFile): Promise<boolean> {
  const whole = join(folder, path);
  await mkdir(dirname(whole), { recursive: true });
  const file = await open(whole, 'wx', secret ? 0o600 : 0o666).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') return undefined;
    throw error;
  });
  if (!file) return false;
  try {
    await file.writeFile(text);
    return true;
  } catch (error) {
    // An empty one would be kept by the next try, as if it were the user's.
    await rm(whole, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}

/** Adds what .gitignore lacks, and answers it. */
async function ignore(folder: string): Promise<string[]> {
  const path = join(folder, '.gitignore');
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  const missing = missingIgnores(text);
  const gap = text === '' || text.endsWith('\n') ? '' : '\n';
  if (missing.length > 0) await appendFile(path, `${gap}${missing.join('\n')}\n`);
  return missing;
}

export function nextSteps(
  folder: string,
  { keyEnv, inboxUrl }: StarterAnswers,
  kept: boolean,
  { self, cwd }: CliContext,
): string[] {
  const where = folder === cwd ? '' : ` --dir ${quoted(folder)}`;
  const env = join(folder, '.env');
  const steps = [
    ...(inboxUrl === 'local' ? [`Start the inbox in another terminal: ${self} inbox`] : []),
    `Put the key ${inboxUrl === 'local' ? 'that it prints for @agent' : 'of the inbox'} into ${env}, behind ${keyEnv}=`,
    `Say in ${join(folder, 'CLAUDE.md')} who the agent is; see it with ${self} rehearse${where}`,
    `See whether all is well: ${self} doctor${where}`,
    `Answer until Ctrl-C: ${self} run${where}`,
  ];
  return [
    '',
    ...(kept ? ['Where a file was kept, its own text holds, not what was asked here.'] : []),
    'Next:',
    ...steps.map((step, index) => `  ${index + 1}. ${step}`),
  ];
}
