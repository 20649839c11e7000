// Where the stand-ins for Claude Code are.
import { fileURLToPath } from 'node:url';

export function fakeClaude(name: string): string {
  return fileURLToPath(new URL(`../fixtures/fake-claude/${name}.mjs`, import.meta.url));
}
