// `--config`: no setting, since the settings are found by it.
import type { Flags } from './setting-options.js';

export const CONFIG = [
  '--config <file>',
  'settings file in place of config/worker.json: a path, or seed (docs/seed.md)',
] as const;

export function configOf({ config }: Flags): string | undefined {
  return typeof config === 'string' ? config : undefined;
}
