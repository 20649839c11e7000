// What a version of Claude Code can do, where it cannot be seen by its effect.

export type Version = readonly [number, number, number];

/**
 * `full`: `/clear` begins a new conversation. `restarts`: it does not, so a new conversation is a new process.
 * `refused`: no `--tools`, so nothing guards the agent from a stranger's text.
 */
export type Support = 'full' | 'restarts' | 'refused';

/** The first x.y.z in `text` ("2.1.332 (Claude Code)"), or undefined. */
export function parseVersion(text: string | undefined): Version | undefined {
  const found = /(\d+)\.(\d+)\.(\d+)/.exec(text ?? '');
  return found ? [Number(found[1]), Number(found[2]), Number(found[3])] : undefined;
}

/** An unknown version counts as a new one: the package is updated more often than we are. */
export function atLeast(version: string | undefined, wanted: Version): boolean {
  const have = parseVersion(version);
  if (have === undefined) return true;
  const differs = have.findIndex((part, index) => part !== wanted[index]);
  return differs === -1 || (have[differs] ?? 0) > (wanted[differs] ?? 0);
}

export function supportOf(version: string | undefined): Support {
  if (!atLeast(version, [2, 0, 56])) return 'refused';
  // 2.1.126 even announces a new session after /clear, and keeps the old history in it.
  return atLeast(version, [2, 1, 133]) ? 'full' : 'restarts';
}

/** From here on a cleared conversation is announced by `conversation_reset`. */
export const announcesReset = (version: string | undefined): boolean => atLeast(version, [2, 1, 198]);

/** Before this a resumed history lacks the prompt during which the process died. */
export const keepsInterruptedPrompt = (version: string | undefined): boolean => atLeast(version, [2, 1, 89]);

/** Older ones end at once over an option they do not know. */
export const takesBudget = (version: string | undefined): boolean => atLeast(version, [2, 1, 1]);
