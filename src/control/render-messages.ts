// Messages for a person to read: one a line, the last that came in at the bottom.

import { columns } from '../lib/columns.js';
import { counted, humanDuration } from '../lib/human.js';
import { oneLine } from '../lib/one-line.js';
import type { MessageLine } from '../ports/reports.js';
import { messageDetail } from './message-words.js';
import type { MessagePage } from './wire.js';

/** Lines of plain text without a line end at the last. @param self how to call this program, for what to type next */
export function renderMessages({ messages, more }: MessagePage, now: number, self: string): string {
  if (messages.length === 0) return 'There is no such message.';
  const oldest = messages.at(-1);
  return [
    ...columns(messages.toReversed().map((message) => cellsOf(message, now))),
    '',
    ...(more && oldest ? [`Older ones: add --before ${oldest.seq}`] : []),
    `${self} show ID    what happened to a message; the first characters of its id will do`,
  ].join('\n');
}

function cellsOf(message: MessageLine, now: number): string[] {
  const { id, state, sender, conversation, spooledAt, chars } = message;
  return [
    oneLine(id, 80),
    state,
    sender === conversation ? oneLine(sender, 40) : `${oneLine(sender, 40)} in ${oneLine(conversation, 40)}`,
    `${humanDuration(now - spooledAt)} ago`,
    counted(chars, 'character'),
    messageDetail(message, now),
  ];
}
