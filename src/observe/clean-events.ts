// The gate before everybody who listens: secrets are taken out of an event once, so that no listener can forget it.
import { redact } from '../lib/redact.js';
import type { Observer, WorkerEvent } from '../ports/observer.js';

/** Words out of closed lists and ids of our own: an odd secret must not make another event of it. */
const CLOSED: readonly string[] = [
  ...['type', 'kind', 'verdict', 'ending', 'reason', 'state', 'level', 'mode', 'wokenBy'],
  ...['claimId', 'turnId'],
];

/** @param secrets literals, read at each event: more may be pushed later */
export function cleaned(observer: Observer, secrets: readonly string[]): Observer {
  const clean = (value: unknown, closed: readonly string[]): unknown => {
    if (typeof value === 'string') return redact(value, secrets);
    if (Array.isArray(value)) return value.map((item) => clean(item, closed));
    if (typeof value !== 'object' || value === null) return value;
    const fields = Object.entries(value).map(([name, field]) => [
      name,
      closed.includes(name) ? field : clean(field, closed),
    ]);
    return Object.fromEntries(fields);
  };
  return {
    on(event) {
      // A failed look's outcome is a word, that of a turn a sentence.
      const closed = event.type === 'look-failed' ? [...CLOSED, 'outcome'] : CLOSED;
      observer.on(clean(event, closed) as WorkerEvent);
    },
  };
}
