// What waits for a person's word: dead messages and unsure sends, one a line.
import { counted, humanDuration } from '../lib/human.js';
import { oneLine } from '../lib/one-line.js';
import type { DeadList, DeadMessage, UnsureSend } from './wire.js';

/** Lines of plain text without a line end at the last. @param self how to call this program, for what to type next */
export function renderDead(list: DeadList, now: number, self: string): string {
  const { messages, sends, total } = list;
  if (total.messages + total.sends === 0) return 'No message is dead, and no send is unsure.';
  const lines: string[] = [];
  if (total.messages > 0) {
    lines.push(`${counted(total.messages, 'message')} given up${newest(messages.length, total.messages)}:`);
    lines.push(...messages.map((message) => deadLine(message, now)), '');
  }
  if (total.sends > 0) {
    const which = counted(total.sends, 'send');
    lines.push(`${which} that may or may not have arrived${newest(sends.length, total.sends)}:`);
    lines.push(...sends.map((send) => unsureLine(send, now)), '');
  }
  return [
    ...lines,
    `${self} show ID    what happened to a message`,
    `${self} retry ID   try a message again; send an out-… again`,
    `${self} drop ID    let it rest`,
  ].join('\n');
}

const newest = (shown: number, all: number): string => (shown < all ? `, the newest ${shown}` : '');

function deadLine(message: DeadMessage, now: number): string {
  const { id, sender, conversation, attempts, lastError, diedAt } = message;
  const who =
    sender === conversation ? oneLine(sender, 80) : `${oneLine(sender, 80)} in ${oneLine(conversation, 80)}`;
  const tries = attempts > 0 ? ` after ${counted(attempts, 'attempt')}` : '';
  return `  ${oneLine(id)}  from ${who}, ${ago(diedAt, now)}${tries}${why(lastError)}`;
}

function unsureLine(send: UnsureSend, now: number): string {
  const answers = send.replyToId === undefined ? '' : `, answers ${oneLine(send.replyToId)}`;
  const part = send.part > 0 ? `, part ${send.part + 1}` : '';
  return `  ${send.id}  ${send.kind} to ${oneLine(send.to, 80)}${part}, ${ago(send.queuedAt, now)}${answers}${why(send.lastError)}`;
}

const ago = (at: number | undefined, now: number): string =>
  at === undefined ? 'some time ago' : `${humanDuration(now - at)} ago`;
const why = (error: string | undefined): string => (error === undefined ? '' : `: ${oneLine(error, 200)}`);
