// Reads a batch of messages out of an answer: those that are whole, what the others lack, and whether there is more.
import type { IncomingMessage } from '../domain/message.js';
import type { Answer } from './answer.js';
import { looksLikeMessage } from './draft.js';
import { type Fields, findList, isFields, keysOf, pick, pickBoolean } from './fields.js';
import type { Scrub } from './secrets.js';

export interface Batch {
  readonly kind: 'batch';
  readonly messages: readonly IncomingMessage[];
  /** One sentence for each message that lacks something; also for one that could be used all the same. */
  readonly faults: readonly string[];
  /** Undefined where the server does not say. */
  readonly more: boolean | undefined;
}

export interface Unreadable {
  readonly kind: 'unreadable';
  readonly why: string;
}

/** What could be made of one item. `message` without `fault` is the rule; both: usable, but not as it should be. */
export interface ReadItem {
  readonly message?: IncomingMessage | undefined;
  readonly fault?: string | undefined;
}

export interface BatchShape {
  /** The tool's name, for sentences. */
  readonly tool: string;
  readonly item: (fields: Fields, index: number) => ReadItem;
  /** Names under which the list may stand. */
  readonly listNames?: readonly string[];
  /** Sentences, besides the usual ones, that mean "nothing there". */
  readonly emptySentences?: readonly string[];
  readonly isMessage?: (value: unknown) => boolean;
}

export const LIST_NAMES = ['messages', 'dms', 'items', 'results', 'new_messages', 'unread_messages', 'inbox'];
const MORE = ['has_more', 'hasMore', 'more'];
const CURSOR = ['next_cursor', 'nextCursor', 'next_page_token'];

const NOTHING_NEW =
  /^(there are |you have )?no (new |unread |more )*(messages|dms|direct messages|conversations|mail)( (found|yet|available))?[.!]?$/i;

export function readBatch(answer: Answer, shape: BatchShape, scrub: Scrub): Batch | Unreadable {
  const sentence = sentenceIn(answer);
  if (sentence !== undefined && isNothingNew(sentence, shape.emptySentences)) {
    return { kind: 'batch', messages: [], faults: [], more: false };
  }
  if (answer.kind === 'sentence') return unreadable(shape.tool, describeSentence(answer.text, scrub));
  if (answer.kind !== 'json') return unreadable(shape.tool, 'nothing at all');
  const isMessage = shape.isMessage ?? looksLikeMessage;
  const found = isMessage(answer.value)
    ? { list: [answer.value], holder: undefined }
    : findList(answer.value, shape.listNames ?? LIST_NAMES);
  if (!found) {
    const looked = (shape.listNames ?? LIST_NAMES).slice(0, 3).join(', ');
    return unreadable(shape.tool, `${scrub(keysOf(answer.value))}; a list (${looked}, …) was missing`);
  }
  const items = found.list.map((value, index) =>
    isFields(value)
      ? shape.item(value, index)
      : { fault: `${shape.tool}: an item is ${scrub(keysOf(value))}, not a message` },
  );
  return {
    kind: 'batch',
    messages: inOrder(items.flatMap((item) => item.message ?? [])),
    faults: items.flatMap((item) => item.fault ?? []),
    more: found.holder && moreOf(found.holder),
  };
}

/** A sentence, bare or as `{"message": "No new messages."}`. */
function sentenceIn(answer: Answer): string | undefined {
  if (answer.kind === 'sentence') return answer.text;
  if (answer.kind !== 'json' || !isFields(answer.value)) return undefined;
  const { message, ...others } = answer.value;
  return typeof message === 'string' && Object.keys(others).length === 0 ? message : undefined;
}

export function isNothingNew(text: string, others: readonly string[] = []): boolean {
  const trimmed = text.trim();
  return NOTHING_NEW.test(trimmed) || others.some((other) => other.toLowerCase() === trimmed.toLowerCase());
}

/** An unknown sentence may be somebody's message: only its beginning is told. */
export function describeSentence(text: string, scrub: Scrub): string {
  return `a text of ${text.length} characters that this version does not know ("${scrub(text, 40)}")`;
}

export function unreadable(tool: string, what: string): Unreadable {
  return { kind: 'unreadable', why: `${tool} answered ${what}.` };
}

/** What an item lacks, in one sentence. */
export function lacks(tool: string, missing: readonly string[], fields: Fields, scrub: Scrub): string {
  return `${tool}: a message lacks ${missing.join(' and ')} (it has ${scrub(keysOf(fields), 120)})`;
}

function moreOf(holder: Fields): boolean | undefined {
  const said = pickBoolean(holder, MORE);
  if (said !== undefined) return said;
  return pick(holder, CURSOR) === undefined ? undefined : true;
}

/** Oldest first where every message tells its time; else as the server gave them. */
function inOrder(messages: readonly IncomingMessage[]): IncomingMessage[] {
  if (messages.some((message) => message.sentAt === undefined)) return [...messages];
  return messages.toSorted((a, b) => (a.sentAt ?? 0) - (b.sentAt ?? 0));
}
