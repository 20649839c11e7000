// The answers of the `dms` vocabulary: who has written, and a conversation's messages.
import { sameName } from '../../domain/addressing.js';
import type { Answer } from '../answer.js';
import {
  describeSentence,
  isNothingNew,
  lacks,
  type ReadItem,
  type Unreadable,
  unreadable,
} from '../batch.js';
import { draftOf } from '../draft.js';
import { type Fields, findList, isFields, keysOf, pickCount, pickName } from '../fields.js';
import type { Scrub } from '../secrets.js';
import type { ProfileIo } from './profile.js';
import { salvagedId } from './salvage.js';

export interface Counterpart {
  /** As the server wrote it: it is handed back to `read_dm` and `send_dm`. */
  readonly with: string;
  readonly unread: number;
}

export interface Counterparts {
  readonly kind: 'counterparts';
  readonly list: readonly Counterpart[];
  readonly faults: readonly string[];
}

const SYSTEM = '@system';
const LISTS = ['dms', 'conversations', 'threads', 'chats', 'items', 'results'];
const WITH = [
  'with',
  'user',
  'alias',
  'peer',
  'participant',
  'counterpart',
  'conversation',
  'from',
  'name',
  'channel',
];
const UNREAD = ['unread', 'unread_count', 'unreadCount', 'unread_messages', 'has_unread', 'hasUnread'];

export function readCounterparts(answer: Answer, tool: string, scrub: Scrub): Counterparts | Unreadable {
  if (answer.kind === 'sentence') {
    return isNothingNew(answer.text)
      ? { kind: 'counterparts', list: [], faults: [] }
      : unreadable(tool, describeSentence(answer.text, scrub));
  }
  if (answer.kind !== 'json') return unreadable(tool, 'nothing at all');
  const found = findList(answer.value, LISTS);
  if (!found)
    return unreadable(tool, `${scrub(keysOf(answer.value))}; a list (dms, conversations, …) was missing`);
  const list: Counterpart[] = [];
  const faults: string[] = [];
  for (const entry of found.list) {
    const fields = isFields(entry) ? entry : {};
    const counterpart = pickName(fields, WITH);
    const unread = pickCount(fields, UNREAD);
    if (counterpart !== undefined && unread !== undefined) {
      list.push({ with: counterpart, unread });
    } else {
      const missing = [
        ...(counterpart === undefined ? ['with'] : []),
        ...(unread === undefined ? ['unread'] : []),
      ];
      faults.push(
        `${tool}: a conversation lacks ${missing.join(' and ')} (it has ${scrub(keysOf(entry), 120)})`,
      );
    }
  }
  return { kind: 'counterparts', list, faults };
}

export interface ReadPlace {
  readonly tool: string;
  readonly with: string;
  /** The read has consumed what it returned: what has no id would never come again. */
  readonly consumed: boolean;
  readonly at: number;
}

export function readDmItem(fields: Fields, index: number, place: ReadPlace, io: ProfileIo): ReadItem {
  const draft = draftOf(fields);
  const isChannel = place.with.startsWith('#');
  const sender = draft.sender ?? (isChannel ? undefined : place.with);
  const { text } = draft;
  const missing = [
    ...(draft.id === undefined ? ['id'] : []),
    ...(sender === undefined ? ['from'] : []),
    ...(text === undefined ? ['text'] : []),
  ];
  const fault = missing.length === 0 ? undefined : lacks(place.tool, missing, fields, io.scrub);
  const id =
    draft.id ??
    (place.consumed && sender !== undefined && text !== undefined
      ? salvagedId({ sender, text, at: place.at, index })
      : undefined);
  if (id === undefined || sender === undefined || text === undefined) return { fault };
  return {
    message: {
      id,
      conversation: place.with,
      sender: writtenName(sender, place.with, io),
      text,
      sentAt: draft.sentAt,
      // This vocabulary has no types; the name is reserved wherever it is used at all.
      kind: draft.isSystem || sameName(sender, SYSTEM) ? 'system' : 'agent',
    },
    fault,
  };
}

/** One person has one spelling: the conversation's, or our own name as we know it. */
function writtenName(sender: string, counterpart: string, io: ProfileIo): string {
  if (io.ownName !== undefined && sameName(sender, io.ownName)) return io.ownName;
  return sameName(sender, counterpart) ? counterpart : sender;
}
