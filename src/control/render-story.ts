// A message's life, step by step with times, for a person to read.
import type { OutboxRow } from '../domain/outbox.js';
import { counted, humanDollars, humanDuration } from '../lib/human.js';
import { oneLine } from '../lib/one-line.js';
import type { LifeStep, MessageLife } from '../ports/mailbox.js';
import type { MessageStory, TurnLine } from './wire.js';

/** A line of the life. Of two at one instant the one of lower rank came first. */
interface Event {
  readonly at: number;
  readonly rank: number;
  readonly text: string;
  readonly body?: string;
}

/** Lines of plain text without a line end at the last. @param options.bodies show what was written, too */
export function renderStory(story: MessageStory, now: number, options: { bodies: boolean }): string {
  const { message, sends, turns } = story;
  const events = [
    ...message.steps.map((step, n) => stepEvent(message, step, n)),
    ...turns.flatMap((turn) => turnEvents(turn, message)),
    ...sends.flatMap(sendEvents),
  ].sort((a, b) => a.at - b.at || a.rank - b.rank);
  const first = events[0]?.at ?? now;
  const life = events.flatMap((event) => [
    `  ${new Date(event.at).toISOString()}  ${since(event.at - first).padStart(9)}  ${event.text}`,
    ...(options.bodies && event.body !== undefined ? quoted(event.body) : []),
  ]);
  const open = sends.flatMap((row) => openSend(row));
  return [...head(story, now), '', ...life, ...(open.length > 0 ? ['', ...open] : [])].join('\n');
}

function head({ message, turns }: MessageStory, now: number): string[] {
  const rows: (readonly [string, string | undefined])[] = [
    ['from', from(message)],
    ['state', state(message, now)],
    ['claim', message.claimId],
    ['failed', message.attempts > 0 ? counted(message.attempts, 'attempt') : undefined],
    ['error', message.lastError && oneLine(message.lastError)],
    ['cost', turns.length > 0 ? cost(turns) : undefined],
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

function state({ state, retryAt }: MessageLife, now: number): string {
  if (state !== 'retry') return state;
  if (retryAt === undefined) return 'retry, after what its conversation has in work';
  return retryAt <= now ? 'retry, due now' : `retry, due in ${humanDuration(retryAt - now)}`;
}

function cost(turns: readonly TurnLine[]): string {
  const usd = turns.reduce((sum, turn) => sum + (turn.usage?.costUsd ?? 0), 0);
  const calls = turns.reduce((sum, turn) => sum + (turn.usage?.modelCalls ?? 0), 0);
  return `${humanDollars(usd)} for ${counted(turns.length, 'turn')}, ${counted(calls, 'model call')}`;
}

function stepEvent(message: MessageLife, { state, at, note }: LifeStep, n: number): Event {
  const why = note === undefined ? '' : `: ${oneLine(note)}`;
  const again = message.steps.slice(0, n).some((earlier) => earlier.state === 'claimed');
  switch (state) {
    case 'waiting':
      return { at, rank: 0, text: `came in, ${chars(message.text)}`, body: message.text };
    case 'claimed':
      return { at, rank: 1, text: again ? 'claimed again' : 'claimed' };
    case 'retry':
      return { at, rank: 5, text: `to be tried again${why}` };
    case 'dead':
      return { at, rank: 5, text: `given up${why}` };
    default:
      return { at, rank: 5, text: `${state}${why}` };
  }
}

function turnEvents(turn: TurnLine, { state }: MessageLife): Event[] {
  const { startedAt, endedAt, usage } = turn;
  const ended = endedAt !== undefined || state === 'claimed' ? '' : '; it was cut off';
  const session = turn.sessionId === undefined ? '' : `, session ${turn.sessionId}`;
  const began = {
    at: startedAt,
    rank: 2,
    text: `turn began, a prompt of ${turn.promptBytes} bytes${session}${ended}`,
  };
  if (endedAt === undefined) return [began];
  const spent = usage
    ? ` (${humanDuration(endedAt - startedAt)}, ${counted(usage.modelCalls, 'model call')}, ${usage.inputTokens} + ${usage.outputTokens} tokens, ${humanDollars(usage.costUsd)})`
    : '';
  // The ledger's line is written once the claim is settled.
  return [began, { at: endedAt, rank: 6, text: `turn recorded: ${oneLine(turn.outcome ?? '')}${spent}` }];
}

function sendEvents(row: OutboxRow): Event[] {
  const text = `${row.kind} to ${oneLine(row.to, 80)} queued as out-${row.id}, ${chars(row.text)}`;
  const queued = { at: row.queuedAt, rank: 3, text, body: row.text };
  if (row.sentAt === undefined) return [queued];
  const id = row.upstreamId === undefined ? '' : `, there it is ${oneLine(row.upstreamId, 80)}`;
  return [queued, { at: row.sentAt, rank: 7, text: `out-${row.id} sent${id}` }];
}

/** What has not gone out: how it stands has no time of its own. */
function openSend(row: OutboxRow): string[] {
  if (row.state === 'sent') return [];
  const tries = row.attempts > 0 ? ` after ${counted(row.attempts, 'try', 'tries')}` : '';
  const why = row.lastError === undefined ? '' : `: ${oneLine(row.lastError)}`;
  return [`  out-${row.id} is ${row.state}${tries}${why}`];
}

const chars = (text: string): string => counted(text.length, 'character');
const since = (ms: number): string => (ms <= 0 ? '' : `+${humanDuration(ms)}`);

/** Each line marked, so that nothing in a stranger's text looks like a line of ours. */
const quoted = (text: string): string[] => text.split('\n').map((line) => `      | ${oneLine(line, 2_000)}`);
