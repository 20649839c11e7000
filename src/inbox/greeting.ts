// Greets a server in the era it is believed to speak, and in the other one where it says that it does not.
import type { Failure, Reply } from './call.js';
import { type Doubt, doubtOf, type Era, firstEra, otherEra } from './era.js';
import type { InboxServer } from './options.js';

export interface Attempt<T> {
  readonly reply: Reply<T>;
  /** What a failed attempt leaves behind is gone: two programs of one inbox must not run side by side. */
  readonly ended: Promise<void>;
}

export async function greet<T>(
  server: InboxServer,
  known: Era | undefined,
  attempt: (era: Era) => Promise<Attempt<T>>,
): Promise<Reply<T>> {
  const era = firstEra(server, known);
  const { reply, ended } = await attempt(era);
  if (reply.kind === 'answered') return reply;
  const doubt = doubtOf(reply, era, known);
  if (doubt === 'none') return reply;
  await ended;
  const { reply: second } = await attempt(otherEra(era));
  if (second.kind === 'answered') return second;
  return secondTellsMore(reply, second, era, doubt) ? second : reply;
}

/**
 * Both greetings failed. What a server says of `initialize` is about itself; what an old one makes of a question that
 * it does not know says nothing, unless it is of the key, of waiting, or of versions, or the server had asked for it.
 */
function secondTellsMore(first: Failure, second: Failure, tried: Era, doubt: Doubt): boolean {
  if (doubt === 'some') return false;
  if (tried === 'modern' || first.versions) return true;
  const { reason, versions, status = 0 } = second;
  return reason === 'unauthorised' || reason === 'rate-limited' || versions !== undefined || status >= 500;
}
