// One name for this program in all that a terminal shows: the one by which it was called.

import { COMMAND_NAMES } from './commands.js';

/** A command as sentences write it: the name, and what of ours follows it. */
const WRITTEN = new RegExp(`(?<![\\w./-])inbox-worker(?= (?:--|(?:${COMMAND_NAMES.join('|')})\\b))`, 'g');

/** Sentences of ours say `inbox-worker …`; from a checkout that is not linked, that could not be typed. */
export function inOwnName(sentence: string, self: string): string {
  return self === 'inbox-worker' ? sentence : sentence.replace(WRITTEN, self);
}
