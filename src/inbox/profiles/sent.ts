// What a sending tool answered: taken, with the id it gave, or not.
import type { SendOutcome } from '../../ports/upstream.js';
import type { Answer } from '../answer.js';
import type { Failure } from '../call.js';
import { isFields, pickText } from '../fields.js';
import { sendFailure } from '../outcomes.js';
import { sendOutcomeOf } from '../tool-error.js';
import type { ProfileIo } from './profile.js';

const ID = ['message_id', 'messageId', 'id', 'uuid', 'msg_id'];
const HOLDERS = ['message', 'result', 'data', 'dm'];

/** Any answer that is no error is a yes; the id is welcome, not required. */
export function sentOutcome(answer: Answer | Failure, tool: string, io: ProfileIo): SendOutcome {
  if (answer.kind === 'failed') return sendFailure(answer);
  if (answer.kind === 'error') return sendOutcomeOf(answer.error, tool, io.now(), io.scrub);
  return { kind: 'sent', upstreamId: answer.kind === 'json' ? idIn(answer.value) : undefined };
}

function idIn(value: unknown): string | undefined {
  if (!isFields(value)) return undefined;
  const id = pickText(value, ID);
  if (id !== undefined) return id;
  for (const holder of HOLDERS) {
    const inner = value[holder];
    if (isFields(inner)) return pickText(inner, ID);
  }
  return undefined;
}
