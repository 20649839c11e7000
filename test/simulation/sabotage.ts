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

export interface Sabotaged {
  readonly what: string;
  /** Any of these may be the first to break by it. */
  readonly breaks: readonly string[];
  readonly sabotage: Sabotage;
  /** Not far behind this seed it shows; most show in any story. */
  readonly from?: number;
}

export const SABOTAGES: readonly Sabotaged[] = [
  {
    what: 'an outbox that sends again what an earlier attempt had sent',
    from: 450,
    breaks: ['doubled'],
    sabotage: outbox((real) => ({
      async commit(send, at) {
        const first = await real.commit(send, at);
        return first.repeated ? real.commit({ ...send, ordinal: send.ordinal + 100 }, at) : first;
      },
    })),
  },
  {
    what: 'an outbox that denies the reply it holds',
    breaks: ['answered-once', 'two-replies', 'attempts', 'silence'],
    sabotage: outbox(() => ({ settlingSends: async () => 0 })),
  },
  {
    what: 'an outbox that takes what was being sent for not sent, whatever the inbox can',
    from: 280,
    breaks: ['doubled'],
    sabotage: outbox((real) => ({ recover: () => real.recover('queued') })),
  },
  {
    what: 'a mailbox that skips a settlement',
    breaks: ['one-claim', 'settled'],
    sabotage: mailbox((real) => ({
      settle: (id, settlement, at) =>
        settlement.kind === 'answered' ? Promise.resolve() : real.settle(id, settlement, at),
    })),
  },
  {
    what: 'a mailbox that says it has stored what it has not',
    breaks: ['settled'],
    sabotage: mailbox((real) => ({
      spool: (batch, at, silent) => real.spool(batch.slice(1), at, silent),
    })),
  },
  {
    what: 'a mailbox that remembers somebody else',
    breaks: ['privacy'],
    sabotage: mailbox((real) => ({
      memory: (claim, limits) => real.memory({ ...claim, conversation: '@bob' }, limits),
    })),
  },
  {
    what: 'a worker that sends under a new key each time',
    breaks: ['delivery'],
    sabotage: (parts) => ({
      ...parts,
      upstream: changed(parts.upstream, {
        send: (message, signal) =>
          parts.upstream.send({ ...message, idempotencyKey: parts.ids.uuid() }, signal),
      }),
    }),
  },
  {
    what: 'an agent that says it resumed what it had lost',
    breaks: ['continue'],
    sabotage: (parts) => ({
      ...parts,
      agent: changed(parts.agent, {
        async ready(wish, signal) {
          const ready = await parts.agent.ready(wish, signal);
          return ready.kind === 'ready' ? { ...ready, resumed: wish.kind === 'same' } : ready;
        },
      }),
    }),
  },
  {
    what: 'an agent that never ends',
    breaks: ['stop', 'settled'],
    sabotage: (parts) => ({ ...parts, agent: changed(parts.agent, { stop: () => new Promise(() => {}) }) }),
  },
  {
    what: 'a clock that never sleeps',
    breaks: ['busy'],
    sabotage: ({ clock, ...parts }) => ({
      ...parts,
      clock: {
        now: () => clock.now(),
        sleepUntil: (at, signal) => clock.sleepUntil(Math.min(at, clock.now()), signal),
      },
    }),
  },
  {
    what: 'a worker that does not see the control file `pause`',
    breaks: ['paused'],
    sabotage: (parts) => ({ ...parts, flags: changed(parts.flags, { paused: async () => false }) }),
  },
];
