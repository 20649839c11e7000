// Which settings file is meant: the user's own by its path, or one that this package brings by its name.
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The same two steps up from src/config and from dist/config. */
const PACKAGED_FOLDER = fileURLToPath(new URL('../../config/', import.meta.url));
const PACKAGED = ['seed'];

/** Absolute. A path that has the same name is written with `./` or its ending. */
export function settingsFilePath(file: string, cwd: string): string {
  return PACKAGED.includes(file) ? resolve(PACKAGED_FOLDER, `${file}.json`) : resolve(cwd, file);
}
