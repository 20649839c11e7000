// The items of a described call's answer: where the description says, else where lists usually are.
import type { Answer } from '../answer.js';
import { describeSentence, isNothingNew, LIST_NAMES, type Unreadable, unreadable } from '../batch.js';
import { type Fields, findList, isFields, keysOf } from '../fields.js';
import type { Scrub } from '../secrets.js';
import type { Path } from './custom-schema.js';
import { follow } from './placeholders.js';

export interface Items {
  readonly kind: 'items';
  readonly list: readonly Fields[];
}

export function readItems(
  answer: Answer,
  call: { readonly tool: string; readonly items?: Path | undefined },
  empty: readonly string[],
  scrub: Scrub,
): Items | Unreadable {
  if (answer.kind === 'sentence') {
    return isNothingNew(answer.text, empty)
      ? { kind: 'items', list: [] }
      : unreadable(call.tool, describeSentence(answer.text, scrub));
  }
  if (answer.kind !== 'json') return unreadable(call.tool, 'nothing at all');
  const value = call.items === undefined ? usualPlace(answer.value) : follow(answer.value, call.items);
  const list = Array.isArray(value) ? value : isFields(value) ? [value] : undefined;
  if (!list?.every(isFields)) {
    const wanted =
      call.items === undefined ? 'a list of messages' : `a list at ${[call.items].flat().join(' or ')}`;
    return unreadable(call.tool, `${scrub(keysOf(answer.value))}; ${wanted} was missing`);
  }
  return { kind: 'items', list };
}

const usualPlace = (value: unknown): unknown => findList(value, LIST_NAMES)?.list ?? value;
