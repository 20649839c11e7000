// A message's life, step by step with times, for a person to read.
import { counted, humanDuration } from '../lib/human.js';
import { oneLine } from '../lib/one-line.js';
import type { MessageLife } from '../ports/mailbox.js';
import { costWords, openSends, stateWords, storyEvents } from './story-events.js';
import type { MessageStory } from './wire.js';

/** Lines of plain text without a line end at the last. @param options.bodies show what was written, too */
export function renderStory(story: MessageStory, now: number, options: { bodies: boolean }): string {
  const events = storyEvents(story);
  const first = events[0]?.at ?? now;
  const life = events.flatMap((event) => [
    `  ${new Date(event.at).toISOString()}  ${since(event.at - first).padStart(9)}  ${event.text}`,
    ...(options.bodies && event.body !== undefined ? quoted(event.body) : []),
  ]);
  const open = openSends(story.sends).map((sentence) => `  ${sentence}`);
  return [...head(story, now), '', ...life, ...(open.length > 0 ? ['', ...open] : [])].join('\n');
}

function head({ message, turns }: MessageStory, now: number): string[] {
  const rows: (readonly [string, string | undefined])[] = [
    ['from', from(message)],
    ['state', stateWords(message, now)],
    ['claim', message.claimId],
    ['failed', message.attempts > 0 ? counted(message.attempts, 'attempt') : undefined],
    ['error', message.lastError && oneLine(message.lastError)],
    ['cost', turns.length > 0 ? costWords(turns) : undefined],
  ];
  return [
    `message ${oneLine(message.id)}`,
    ...rows.flatMap(([name, text]) => (text === undefined ? [] : [`  ${name.padEnd(7)} ${text}`])),
  ];
}

function from({ sender, conversation }: MessageLife): string {
  const name = oneLine(sender, 80);
  return sender === conversation ? name : `${name} in ${oneLine(conversation, 80)}`;
}

const since = (ms: number): string => (ms <= 0 ? '' : `+${humanDuration(ms)}`);

/** Each line marked, so that nothing in a stranger's text looks like a line of ours. */
const quoted = (text: string): string[] => text.split('\n').map((line) => `      | ${oneLine(line, 2_000)}`);
