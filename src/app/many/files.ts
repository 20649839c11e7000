// Which settings files `run --all` means: files, folders of them, and patterns that no shell has expanded.
import { readdir, realpath, stat } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import { WorkerError } from '../../domain/errors.js';

/** Where they lie when none is named. */
export const AGENTS_FOLDER = join('config', 'agents');

/**
 * Absolute paths in the order of the words, those of a folder or pattern by name; a file that is meant twice comes once.
 * @throws WorkerError `file-unreadable`, telling all words that mean nothing
 */
export async function agentFiles(words: readonly string[], cwd: string): Promise<string[]> {
  const found = new Map<string, string>();
  const add = (realPath: string, file: string) => found.set(realPath, found.get(realPath) ?? file);
  const faults: string[] = [];
  for (const word of words.length > 0 ? words : [AGENTS_FOLDER]) {
    const files = await meant(word, cwd);
    if (typeof files === 'string') faults.push(files);
    else for (const file of files) add(await realpath(file), file);
  }
  if (faults.length > 0) {
    throw new WorkerError('file-unreadable', faults.join('\n'), {
      hint: `Name a settings file for each agent, a folder that holds them, or a pattern such as '${AGENTS_FOLDER}/*.json'.`,
    });
  }
  return [...found.values()];
}

/** Its files, or a sentence that says why there are none. */
async function meant(word: string, cwd: string): Promise<string[] | string> {
  const path = resolve(cwd, word);
  const there = await stat(path).catch(() => undefined);
  if (there?.isFile()) return [path];
  if (there?.isDirectory()) {
    const files = await filesOf(await fitting([path], '*.json'));
    return files.length > 0 ? files : `The folder ${word} holds no .json file.`;
  }
  if (!/[*?]/.test(word)) return `The settings file ${word} does not exist.`;
  const files = await expanded(path);
  return files.length > 0 ? files : `No file fits ${word}.`;
}

/** `*` and `?` stand for what they do in a shell, within one name. @param pattern absolute */
async function expanded(pattern: string): Promise<string[]> {
  const [root = '', ...names] = pattern.split(sep);
  let places = [`${root}${sep}`];
  for (const name of names.filter((part) => part !== '')) {
    places = /[*?]/.test(name) ? await fitting(places, name) : places.map((place) => join(place, name));
  }
  return filesOf(places);
}

async function filesOf(places: readonly string[]): Promise<string[]> {
  const kinds = await Promise.all(places.map((place) => stat(place).catch(() => undefined)));
  return places.filter((_, index) => kinds[index]?.isFile());
}

async function fitting(folders: readonly string[], pattern: string): Promise<string[]> {
  const words = pattern.split(/([*?])/).map((part) => {
    if (part === '*') return '.*';
    return part === '?' ? '.' : part.replace(/[\\^$.+|()[\]{}]/g, '\\$&');
  });
  const fits = new RegExp(`^${words.join('')}$`);
  const lists = await Promise.all(
    folders.map(async (folder) => {
      const names = await readdir(folder).catch(() => []);
      return names
        .filter((name) => fits.test(name) && (!name.startsWith('.') || pattern.startsWith('.')))
        .sort()
        .map((name) => join(folder, name));
    }),
  );
  return lists.flat();
}
