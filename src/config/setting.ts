// How one setting is declared: its names, kind, default and caption, all in one place.
import type { Kind } from './kind.js';

export type Group = 'inbox' | 'agent' | 'worker' | 'limits' | 'wake' | 'tell' | 'state' | 'control';

/** What a default may depend on. */
export interface Surroundings {
  readonly cwd: string;
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
}

export interface Setting<T> {
  /** As in config/worker.json: snake_case. */
  readonly key: string;
  readonly group: Group;
  /** Environment names, the first that is set wins; `INBOX_WORKER_<KEY>` always leads. */
  readonly env: readonly string[];
  /** Without the dashes; undefined for secrets, which do not belong in a process list. */
  readonly flag: string | undefined;
  readonly kind: Kind<NonNullable<T>>;
  readonly defaultOf: (surroundings: Surroundings) => T;
  /** The default as the documentation gives it, where it depends on the surroundings. */
  readonly defaultText: string | undefined;
  /** One sentence, or a part of one, for help and tables. */
  readonly caption: string;
  readonly secret: boolean;
  /** A flag that takes no value. */
  readonly isSwitch: boolean;
  /** A running worker can take a new value. */
  readonly reloadable: boolean;
  /** Why it takes a restart, as a part of a sentence; undefined where none is needed. */
  readonly restart: string | undefined;
  /** Found only by flag and environment: the files are found by it. */
  readonly outsideFiles: boolean;
  /** Shown in config/worker.example.json, with its default. */
  readonly example: boolean;
}

interface Options<T> {
  /** Plain names of the seed documents. */
  readonly env?: readonly string[];
  readonly default: T | ((surroundings: Surroundings) => T);
  readonly defaultText?: string;
  readonly caption: string;
  readonly secret?: boolean;
  readonly isSwitch?: boolean;
  readonly reloadable?: boolean;
  /** Why not. */
  readonly restart?: string;
  readonly outsideFiles?: boolean;
  readonly example?: boolean;
}

/** How one group declares its settings. With `default: undefined` the setting may be undefined in the program. */
interface Declare {
  <T>(key: string, kind: Kind<T>, options: Options<NoInfer<T>>): Setting<T>;
  <T>(key: string, kind: Kind<T>, options: Options<undefined>): Setting<T | undefined>;
}

export function settingsOf(group: Group): Declare {
  return <T>(key: string, kind: Kind<NonNullable<T>>, options: Options<T>): Setting<T> => {
    const { secret = false, default: fallback } = options;
    return {
      key,
      group,
      env: [`INBOX_WORKER_${key.toUpperCase()}`, ...(options.env ?? [])],
      flag: secret ? undefined : key.replaceAll('_', '-'),
      kind,
      defaultOf: isFunction(fallback) ? fallback : () => fallback,
      defaultText: options.defaultText,
      caption: options.caption,
      secret,
      isSwitch: options.isSwitch ?? false,
      reloadable: options.reloadable ?? false,
      restart: options.reloadable ? undefined : (options.restart ?? 'it is read once, at the start'),
      outsideFiles: options.outsideFiles ?? false,
      example: options.example ?? false,
    };
  };
}

/** No setting's value is a function, so one that stands as default makes it. */
function isFunction<T>(value: T | ((from: Surroundings) => T)): value is (from: Surroundings) => T {
  return typeof value === 'function';
}
