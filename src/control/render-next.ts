// What would be done next, and why, as plain text.
import type { Preview, UpcomingTurn } from '../domain/preview.js';
import { counted, humanDuration } from '../lib/human.js';
import { oneLine } from '../lib/one-line.js';

/** Lines of plain text without a line end at the last; durations are relative to `now` (epoch ms). */
export function renderNext(preview: Preview, now: number): string {
  const { does, why, until, hold, next, more, together, nextLookAt } = preview;
  const headline = `${VERBS[does]}: ${oneLine(why)}${goesOn(until, now)}`;
  const may = next.filter(({ dueAt, cap }) => dueAt === undefined && !cap);
  return [
    headline,
    ...(hold && does === 'turn' ? [`  then held: ${hold.reason}: ${oneLine(hold.why)}`] : []),
    ...(together && may.length > 1 ? [`  ${may.length} conversations share one turn (pull_scope all)`] : []),
    ...next.flatMap((one, index) => turnLines(one, index, now)),
    ...(more ? ['  … and more'] : []),
    ...(nextLookAt === undefined
      ? []
      : [`  next look ${nextLookAt <= now ? 'now' : `in ${humanDuration(nextLookAt - now)}`}`]),
  ].join('\n');
}

const VERBS: Readonly<Record<Preview['does'], string>> = {
  answer: 'now',
  nothing: 'nothing to do',
  hold: 'held',
  turn: 'busy',
  end: 'ends',
};

function turnLines(one: UpcomingTurn, index: number, now: number): string[] {
  const { conversation, messages, attempt, maxAttempts, lastError, dueAt, cap, prompt, sessionId } = one;
  const oldest = Math.min(...messages.map(({ spooledAt }) => spooledAt));
  const waits = messages.length > 0 ? `, the oldest for ${humanDuration(now - oldest)}` : '';
  const tries = attempt > 1 ? `, attempt ${attempt} of ${maxAttempts}` : '';
  const due = dueAt === undefined ? '' : `, due in ${humanDuration(dueAt - now)}`;
  const what = `${counted(messages.length, 'message')}${waits}${tries}${due}`;
  const session = sessionId === undefined ? 'a new session' : `session ${sessionId}`;
  const ids = messages.map(({ id }) => oneLine(id, 80));
  const indent = '     ';
  return [
    `  ${index + 1}. ${oneLine(conversation, 80)}: ${what}`,
    `${indent}${ids.slice(0, SHOWN_IDS).join(', ')}${ids.length > SHOWN_IDS ? ', …' : ''}`,
    `${indent}${prompt === 'continue' ? 'a short prompt that goes on' : 'the prompt in full'}, in ${session}`,
    ...(lastError === undefined ? [] : [`${indent}before: ${oneLine(lastError, 160)}`]),
    ...(cap ? [`${indent}${CAPS[cap.kind]}: ${oneLine(cap.why, 160)}${goesOn(cap.until, now)}`] : []),
  ];
}

const SHOWN_IDS = 3;
const CAPS = { rest: 'rests', dead: 'is given up' } as const;

/** Where the instant lies ahead. */
function goesOn(at: number | undefined, now: number): string {
  return at === undefined || at <= now ? '' : ` (goes on in ${humanDuration(at - now)})`;
}
