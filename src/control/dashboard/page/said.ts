// Does what a button asks, once at a time, and says what came of it.
import { Locked, Refused } from './api.js';
import { make, must } from './dom.js';

const SHOWN_MS = 6_000;
const WRONG_MS = 15_000;

/** Says one sentence; a second one takes its place. Nothing for an empty one. */
export function say(text: string, wrong = false): void {
  if (text === '') return;
  const place = must('said');
  const line = make('p', { class: wrong ? 'wrong' : undefined, role: wrong ? 'alert' : undefined }, text);
  place.replaceChildren(line);
  setTimeout(() => line.remove(), wrong ? WRONG_MS : SHOWN_MS);
}

const busy = new Set<string>();

/**
 * @param name what it is: while it runs it is not begun again
 * @param work answers the sentence of its success, empty where that is seen
 */
export async function perform(name: string, work: () => Promise<string>): Promise<boolean> {
  if (busy.has(name)) return false;
  busy.add(name);
  try {
    say(await work());
    return true;
  } catch (error) {
    say(sentence(error), true);
    return false;
  } finally {
    busy.delete(name);
  }
}

/** What went wrong, and what to try. */
export function sentence(error: unknown): string {
  if (error instanceof Refused) return `${error.message} ${error.hint}`;
  if (error instanceof Locked) return 'Nothing was done: the token is not that of this run.';
  if (error instanceof Error) return `Nobody can tell whether it was done: ${error.message}`;
  return String(error);
}
