// Stop hooks of Claude Code's own settings: with preset `everything` they would prolong every turn.
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Settings } from '../config/index.js';
import { type Finding, ok, warn } from './check.js';

export async function stopHooks(
  { dir, preset }: Pick<Settings, 'dir' | 'preset'>,
  env: NodeJS.ProcessEnv,
): Promise<Finding> {
  const own = env.CLAUDE_CONFIG_DIR || join(env.HOME || homedir(), '.claude');
  const files = [
    join(dir, '.claude', 'settings.json'),
    join(dir, '.claude', 'settings.local.json'),
    join(own, 'settings.json'),
  ];
  const found: string[] = [];
  for (const file of files) if (await hasStopHook(file)) found.push(file);
  if (found.length === 0) return ok('No Stop hook stands in the way.');
  const text = `There is a Stop hook in ${found.join(' and ')}`;
  if (preset !== 'everything') return ok(`${text}; preset ${preset} turns hooks off.`);
  return warn(
    `${text}: it runs at the end of every turn and may keep Claude from ending it.`,
    'Remove it: the worker itself looks for mail. Or choose another preset.',
  );
}

async function hasStopHook(file: string): Promise<boolean> {
  try {
    const value = JSON.parse(await readFile(file, 'utf8')) as { hooks?: { Stop?: unknown } } | null;
    const hooks = value?.hooks?.Stop;
    return Array.isArray(hooks) && hooks.length > 0;
  } catch {
    // Not there, or not JSON: Claude Code finds no hook in it either.
    return false;
  }
}
