// Parts broken on purpose: each is a fault that a worker or a store could really have, and must be caught.
import type { WorkerParts } from '../../src/worker/parts.js';
import type { Sabotage } from './worker-life.js';

/** The same port with some of its methods changed. */
function changed<T extends object>(port: T, changes: Partial<T>): T {
  return new Proxy(port, {
    get(target, key) {
      if (key in changes) return Reflect.get(changes, key);
      const value: unknown = Reflect.get(target, key);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

const outbox =
  (change: (real: WorkerParts['outbox']) => Partial<WorkerParts['outbox']>): Sabotage =>
  (parts) => ({ ...parts, outbox: changed(parts.outbox, change(parts.outbox)) });
const mailbox =
  (change: (real: WorkerParts['mailbox']) => Partial<WorkerParts['mailbox']>): Sabotage =>
  (parts) => ({ ...parts, mailbox: changed(parts.mailbox, change(parts.mailbox)) });

/** What is broken, how, and the invariants that may be the first to break by it. */
export const SABOTAGES: readonly [string, readonly string[], Sabotage][] = [
  [
    'an outbox that sends again what an earlier attempt had sent',
    ['doubled'],
    outbox((real) => ({
      async commit(send, at) {
        const first = await real.commit(send, at);
        return first.repeated ? real.commit({ ...send, ordinal: send.ordinal + 100 }, at) : first;
      },
    })),
  ],
  [
    'an outbox that denies the reply it holds',
    ['answered-once', 'two-replies', 'attempts', 'silence'],
    outbox(() => ({ settlingSends: async () => 0 })),
  ],
  [
    'an outbox that takes what was being sent for not sent, whatever the inbox can',
    ['doubled'],
    outbox((real) => ({ recover: () => real.recover('queued') })),
  ],
  [
    'a mailbox that skips a settlement',
    ['one-claim', 'settled'],
    mailbox((real) => ({
      settle: (id, settlement, at) =>
        settlement.kind === 'answered' ? Promise.resolve() : real.settle(id, settlement, at),
    })),
  ],
  [
    'a mailbox that says it has stored what it has not',
    ['settled'],
    mailbox((real) => ({
      spool: (batch, at, silent) => real.spool(batch.slice(1), at, silent),
    })),
  ],
  [
    'a mailbox that remembers somebody else',
    ['privacy'],
    mailbox((real) => ({
      memory: (claim, limits) => real.memory({ ...claim, conversation: '@bob' }, limits),
    })),
  ],
  [
    'a worker that sends under a new key each time',
    ['delivery'],
    (parts) => ({
      ...parts,
      upstream: changed(parts.upstream, {
        send: (message, signal) =>
          parts.upstream.send({ ...message, idempotencyKey: parts.ids.uuid() }, signal),
      }),
    }),
  ],
  [
    'an agent that says it resumed what it had lost',
    ['continue'],
    (parts) => ({
      ...parts,
      agent: changed(parts.agent, {
        async ready(wish, signal) {
          const ready = await parts.agent.ready(wish, signal);
          return ready.kind === 'ready' ? { ...ready, resumed: wish.kind === 'same' } : ready;
        },
      }),
    }),
  ],
  [
    'an agent that never ends',
    ['stop'],
    (parts) => ({ ...parts, agent: changed(parts.agent, { stop: () => new Promise(() => {}) }) }),
  ],
  [
    'a clock that never sleeps',
    ['busy'],
    ({ clock, ...parts }) => ({
      ...parts,
      clock: {
        now: () => clock.now(),
        sleepUntil: (at, signal) => clock.sleepUntil(Math.min(at, clock.now()), signal),
      },
    }),
  ],
  [
    'a worker that does not see the control file `pause`',
    ['paused'],
    (parts) => ({ ...parts, flags: changed(parts.flags, { paused: async () => false }) }),
  ],
];
