// Reads one foreign message: what can be found of id, sender, text and the rest, under the names servers use.
import { isFields, pick, pickName, pickText } from './fields.js';
import { instantOf } from './instants.js';

/** Undefined: not found. */
export interface Draft {
  readonly id: string | undefined;
  readonly sender: string | undefined;
  readonly text: string | undefined;
  readonly channel: string | undefined;
  /** The exact string to answer to, in vocabularies that have one. */
  readonly replyTo: string | undefined;
  readonly sentAt: number | undefined;
  readonly isSystem: boolean;
}

const ID = ['message_id', 'messageId', 'id', 'uuid', 'msg_id'];
const SENDER = ['from', 'user', 'sender', 'author', 'from_alias', 'sender_alias', 'username'];
const TEXT = ['text', 'message', 'body', 'content'];
const CHANNEL = ['channel', 'channel_name', 'channelName'];
const REPLY_TO = ['reply_to', 'replyTo'];
const SENT_AT = [
  'at',
  'timestamp',
  'sent_at',
  'sentAt',
  'created_at',
  'createdAt',
  'created_ts',
  'ts',
  'time',
  'date',
];
const TYPE = ['type', 'kind', 'role'];

export function draftOf(fields: Readonly<Record<string, unknown>>): Draft {
  return {
    id: pickText(fields, ID),
    sender: pickName(fields, SENDER),
    text: textOf(pick(fields, TEXT)),
    channel: pickName(fields, CHANNEL),
    replyTo: pickText(fields, REPLY_TO),
    sentAt: instantOf(pick(fields, SENT_AT)),
    isSystem: pickText(fields, TYPE)?.toLowerCase() === 'system',
  };
}

/** A single object that is itself a message, rather than something around messages. */
export function looksLikeMessage(value: unknown): boolean {
  if (!isFields(value)) return false;
  const draft = draftOf(value);
  return draft.text !== undefined && (draft.id !== undefined || draft.sender !== undefined);
}

/** A text, an object that holds one, or a list of text blocks. An empty text is a text. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (isFields(value)) return textOf(value.text);
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const texts = value.map(textOf);
  return texts.every((text) => text !== undefined) ? texts.join('\n') : undefined;
}
