// The descriptions of foreign inboxes that this package brings.
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The same two steps up from src/config and from dist/config. */
export const PACKAGED_PROFILES = fileURLToPath(new URL('../../config/inboxes/', import.meta.url));

/** The names that the `profile` setting takes besides the built-in profiles and paths. */
export function presetNames(): string[] {
  return readdirSync(PACKAGED_PROFILES)
    .filter((name) => name.endsWith('.json'))
    .map((name) => name.slice(0, -'.json'.length))
    .sort();
}
