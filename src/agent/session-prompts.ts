// Which system prompt a session was begun with: Claude Code keeps it for good, whatever a resume says (2.1.332).
import { createHash } from 'node:crypto';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomic } from '../lib/atomic-file.js';
import type { ClaudeAgentOptions } from './options.js';

type Prompts = Pick<ClaudeAgentOptions, 'systemPrompt' | 'appendSystemPrompt'>;

/** One small file a session, so that several agents of one folder never write the same one. */
const FOLDER = 'session-prompts';
/** A retry may still go on in one of the last. */
const KEPT = 50;

export class SessionPrompts {
  readonly #folder: string;
  /** Of this process: noted already. */
  readonly #noted = new Set<string>();

  constructor(stateFolder: string) {
    this.#folder = join(stateFolder, FOLDER);
  }

  /** The session was begun with these. Rejects when the folder cannot be written. */
  async note(sessionId: string, prompts: Prompts): Promise<void> {
    if (this.#noted.has(sessionId)) return;
    await writeFileAtomic(join(this.#folder, sessionId), digest(prompts));
    this.#noted.add(sessionId);
    await this.#forgetOld();
  }

  /** Was it begun with others? Of a session that nobody noted it is not said. Never rejects. */
  async areOthers(sessionId: string, prompts: Prompts): Promise<boolean> {
    const noted = await readFile(join(this.#folder, sessionId), 'utf8').catch(() => undefined);
    return noted !== undefined && noted !== digest(prompts);
  }

  async #forgetOld(): Promise<void> {
    const names = await readdir(this.#folder).catch(() => []);
    if (names.length <= KEPT * 2) return;
    const paths = names.map((name) => join(this.#folder, name));
    const aged = await Promise.all(
      paths.map(async (path) => ({ path, at: (await stat(path).catch(() => undefined))?.mtimeMs ?? 0 })),
    );
    const old = aged.sort((a, b) => b.at - a.at).slice(KEPT);
    for (const { path } of old) await rm(path, { force: true }).catch(() => {});
  }
}

const digest = ({ systemPrompt, appendSystemPrompt }: Prompts): string =>
  createHash('sha256')
    .update(JSON.stringify([systemPrompt ?? null, appendSystemPrompt ?? null]))
    .digest('hex');
