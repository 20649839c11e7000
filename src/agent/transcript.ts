// Claude Code's own record of a session: whether it holds a prompt, which decides if a resumed session remembers it.
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** The prompt of the last turn stands near the end; a transcript can be very long. */
const TAIL_BYTES = 4 * 1024 * 1024;
/** Claude Code writes it out about 100 ms after it has taken the prompt. */
const WAITS_MS = [40, 80, 150, 300, 600, 1_200, 2_400, 5_000];

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * True when the transcript of `sessionId` on disk holds the user message named `turnId`. Claude Code buffers what it
 * writes: killed at the wrong moment it forgets a prompt it had already begun to work on. Never rejects.
 */
export async function sessionHolds(
  environment: Environment,
  sessionId: string,
  turnId: string,
): Promise<boolean> {
  const text = await readTail(environment, sessionId);
  return text.split('\n').some((line) => line.includes(turnId) && isPrompt(line, turnId));
}

/** Resolves with true as soon as `sessionHolds`; with false when `signal` aborts or it does not come to that. */
export async function sessionComesToHold(
  environment: Environment,
  sessionId: string,
  turnId: string,
  signal: AbortSignal,
): Promise<boolean> {
  for (const waitMs of WAITS_MS) {
    try {
      // Not referenced: a stuck turn must not keep a program alive for the sake of this.
      await sleep(waitMs, undefined, { signal, ref: false });
    } catch {
      return false;
    }
    if (await sessionHolds(environment, sessionId, turnId)) return true;
  }
  return false;
}

function isPrompt(line: string, turnId: string): boolean {
  try {
    const entry: unknown = JSON.parse(line);
    if (typeof entry !== 'object' || entry === null || !('type' in entry) || !('uuid' in entry)) return false;
    return entry.type === 'user' && entry.uuid === turnId;
  } catch {
    return false;
  }
}

async function readTail(environment: Environment, sessionId: string): Promise<string> {
  const root =
    environment.CLAUDE_CONFIG_DIR ?? join(environment.HOME ?? environment.USERPROFILE ?? '', '.claude');
  const projects = join(root, 'projects');
  // Folders are named after the agent's folder in a way of its own; the session id alone is unique.
  for (const folder of await readdir(projects).catch(() => [])) {
    const file = await open(join(projects, folder, `${sessionId}.jsonl`)).catch(() => undefined);
    if (!file) continue;
    try {
      const { size } = await file.stat();
      const start = Math.max(0, size - TAIL_BYTES);
      const buffer = Buffer.alloc(size - start);
      const { bytesRead } = await file.read(buffer, 0, buffer.length, start);
      return buffer.toString('utf8', 0, bytesRead);
    } catch {
      return '';
    } finally {
      await file.close();
    }
  }
  return '';
}
