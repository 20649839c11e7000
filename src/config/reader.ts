// Reads raw values into settings, and keeps for each where it came from and what was wrong with it.
import { type SettingFault, shown } from './faults.js';
import { SETTINGS, type SettingName } from './schema.js';
import type { Setting, Surroundings } from './setting.js';
import type { Found, Origin } from './sources.js';

export class SettingReader {
  readonly faults: SettingFault[] = [];
  readonly origins: Partial<Record<SettingName, Origin>> = {};
  readonly #surroundings: Surroundings;
  #places: Places = { dir: '', file: '', dotenv: '' };

  constructor(surroundings: Surroundings) {
    this.#surroundings = surroundings;
  }

  /** Once the folder is known: what its files are called in sentences, and that relative paths in them count from it. */
  filesAre(places: Places): void {
    this.#places = places;
  }

  /** The value, or undefined with a fault noted. */
  read(name: SettingName, setting: Setting<unknown>, { origin, raw }: Found): unknown {
    this.origins[name] = origin;
    if (origin.from === 'default') return setting.defaultOf(this.#surroundings);
    const inFolder = origin.from === 'file' || origin.from === 'dotenv';
    const base = inFolder ? this.#places.dir : this.#surroundings.cwd;
    const reading = setting.kind.read(raw, { base, home: this.#surroundings.home });
    if ('value' in reading) return reading.value;
    this.faults.push({
      code: 'setting-invalid',
      sentence: `${this.#subject(origin)} is ${shown(raw, setting.secret)}; write ${reading.write}.`,
    });
    return undefined;
  }

  /** A setting as a sentence names it: `MIN_SLEEP in the environment`, `max_sleep (the default)`. */
  where(name: SettingName): string {
    const origin = this.origins[name];
    return origin && origin.from !== 'default'
      ? this.#subject(origin)
      : `${SETTINGS[name].key} (the default)`;
  }

  #subject({ from, name }: Origin): string {
    switch (from) {
      case 'flag':
        return `The flag ${name}`;
      case 'env':
        return `${name} in the environment`;
      case 'dotenv':
        return `${name} in ${this.#places.dotenv}`;
      default:
        return `"${name}" in ${this.#places.file}`;
    }
  }
}

export interface Places {
  /** Absolute. */
  readonly dir: string;
  readonly file: string;
  readonly dotenv: string;
}
