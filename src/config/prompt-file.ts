// Finds and reads our system prompt: the user's file, else the one this package brings.
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { WorkerError } from '../domain/errors.js';
import type { Settings } from './load.js';
import { readOptional } from './sources.js';

export interface PromptFile {
  readonly text: string;
  /** Absolute. */
  readonly path: string;
}

/** The same two steps up from src/config and from dist/config. */
const PACKAGED = fileURLToPath(new URL('../../config/prompts/', import.meta.url));

/**
 * `system_prompt_file`, else `config/prompts/` in the agent's folder, else the packaged one: `answer.md`, and
 * `pull.md` for delivery `pull`, where the final text is not the reply.
 * @throws WorkerError `file-unreadable`
 */
export async function readSystemPrompt(
  settings: Pick<Settings, 'dir' | 'delivery' | 'systemPromptFile'>,
): Promise<PromptFile> {
  const path = settings.systemPromptFile ?? (await standardPath(settings));
  const text = await readOptional(path);
  if (text === undefined)
    throw new WorkerError('file-unreadable', `The system prompt ${path} does not exist.`);
  return { text: text.trim(), path };
}

async function standardPath({ dir, delivery }: Pick<Settings, 'dir' | 'delivery'>): Promise<string> {
  const name = delivery === 'pull' ? 'pull.md' : 'answer.md';
  const own = join(dir, 'config', 'prompts', name);
  const exists = await access(own).then(
    () => true,
    () => false,
  );
  return exists ? own : join(PACKAGED, name);
}
