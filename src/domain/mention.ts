// Mentions: Claude Code reads the file of any `@path` in a prompt by itself, whatever tools it has. Strangers write `@`.

const BREAK = '\u200b';

/** A mention begins after white space or at the start; with an invisible character behind its `@` it is none. */
export function unlinkMentions(text: string): string {
  return text.replace(/(^|\s)@(?=\S)/gu, `$1@${BREAK}`);
}

/** What the agent writes back must reach people as they write it themselves. */
export function relinkMentions(text: string): string {
  return text.replaceAll(`@${BREAK}`, '@');
}
