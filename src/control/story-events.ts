// A message's life as a list of events: what the command line prints and the dashboard shows.
import type { OutboxRow } from '../domain/outbox.js';
import { counted, humanDollars, humanDuration } from '../lib/human.js';
import { oneLine } from '../lib/one-line.js';
import type { LifeStep, MessageLife } from '../ports/mailbox.js';
import type { MessageStory, TurnLine } from './wire.js';

/** A line of the life. Of two at one instant the one of lower rank came first. */
export interface StoryEvent {
  readonly at: number;
  readonly rank: number;
  readonly text: string;
  /** What was written, by whoever wrote it. */
  readonly body?: string;
}

/** In order of time. */
export function storyEvents({ message, sends, turns }: MessageStory): StoryEvent[] {
  return [
    ...message.steps.map((step, n) => stepEvent(message, step, n)),
    ...turns.flatMap((turn) => turnEvents(turn, message)),
    ...sends.flatMap(sendEvents),
  ].sort((a, b) => a.at - b.at || a.rank - b.rank);
}

/** How it stands, with the instant of the next try. */
export function stateWords({ state, retryAt }: Pick<MessageLife, 'state' | 'retryAt'>, now: number): string {
  if (state !== 'retry') return state;
  if (retryAt === undefined) return 'retry, after what its conversation has in work';
  return retryAt <= now ? 'retry, due now' : `retry, due in ${humanDuration(retryAt - now)}`;
}

/** What its turns have cost together. */
export function costWords(turns: readonly TurnLine[]): string {
  const usd = turns.reduce((sum, turn) => sum + (turn.usage?.costUsd ?? 0), 0);
  const calls = turns.reduce((sum, turn) => sum + (turn.usage?.modelCalls ?? 0), 0);
  return `${humanDollars(usd)} for ${counted(turns.length, 'turn')}, ${counted(calls, 'model call')}`;
}

/** Sends that have not gone out, a sentence each: how they stand has no time of its own. */
export function openSends(sends: readonly OutboxRow[]): string[] {
  return sends.flatMap(openSend);
}

function stepEvent(message: MessageLife, { state, at, note }: LifeStep, n: number): StoryEvent {
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

function turnEvents(turn: TurnLine, { state }: MessageLife): StoryEvent[] {
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

function sendEvents(row: OutboxRow): StoryEvent[] {
  const text = `${row.kind} to ${oneLine(row.to, 80)} queued as out-${row.id}, ${chars(row.text)}`;
  const queued = { at: row.queuedAt, rank: 3, text, body: row.text };
  if (row.sentAt === undefined) return [queued];
  const id = row.upstreamId === undefined ? '' : `, there it is ${oneLine(row.upstreamId, 80)}`;
  return [queued, { at: row.sentAt, rank: 7, text: `out-${row.id} sent${id}` }];
}

function openSend(row: OutboxRow): string[] {
  if (row.state === 'sent') return [];
  const tries = row.attempts > 0 ? ` after ${counted(row.attempts, 'try', 'tries')}` : '';
  const why = row.lastError === undefined ? '' : `: ${oneLine(row.lastError)}`;
  return [`out-${row.id} is ${row.state}${tries}${why}`];
}

const chars = (text: string): string => counted(text.length, 'character');
