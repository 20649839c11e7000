// Draws the plan of a seed: few faults in most stories, many in some, each kind as likely as any other.
import type { TurnFailure } from '../../src/domain/turn.js';
import type { WakeKind } from '../../src/domain/wake.js';
import { Dice } from './chance.js';
import { AGENT, DENIED } from './inbox-server.js';
import type { CallTrouble, Fault, InboxTrouble, Mail, Plan, Setting, TurnTrouble } from './plan.js';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** Where a worker can die: at each call of a port, before and after its effect, and inside the long ones. */
export const CRASH_POINTS: readonly string[] = [
  ...[
    'mailbox.spool',
    'mailbox.claim',
    'mailbox.settle',
    'mailbox.noteSession',
    'mailbox.memory',
    'mailbox.openClaims',
    'mailbox.nextRetryAt',
    'outbox.commit',
    'outbox.settlingSends',
    'outbox.next',
    'outbox.record',
    'outbox.recover',
    'outbox.nextDueAt',
    'ledger.begin',
    'ledger.end',
    'slots.load',
    'slots.save',
    'lease.acquire',
    'lease.release',
    'flags.take',
    'upstream.check',
    'upstream.look',
    'upstream.send',
    'upstream.ack',
    'agent.ready',
    'agent.turn',
    'agent.tool',
    'agent.stop',
  ].flatMap((call) => [`${call}:before`, `${call}:after`]),
];

const STORE_CALLS = CRASH_POINTS.filter((point) =>
  /^(mailbox|outbox|ledger|slots)\..*:before$/.test(point),
).map((point) => point.replace(':before', ''));

const FAILURES: readonly TurnFailure[] = [
  'limited',
  'rate-limited',
  'overloaded',
  'server-error',
  'credit-exhausted',
  'unauthorised',
  'model-unknown',
  'context-too-long',
  'request-invalid',
  'over-budget',
  'unknown',
];

const BUDGETS = ['message', 'conversation', 'sender', 'hour', 'day', 'run'] as const;
const NAMES = ['@alice', '@bob', '@carol', '@dave'];
const WAKES: readonly WakeKind[] = ['webhook', 'stream', 'notification', 'signal', 'manual', 'file'];

export function drawPlan(seed: number): Plan {
  const dice = new Dice(`plan ${seed}`);
  const healAt = dice.rather(10 * MINUTE, 150 * MINUTE);
  const setting = drawSetting(dice);
  const mail = Array.from({ length: dice.rather(1, 14) }, () => drawMail(dice, healAt));
  const count = dice.chance(0.05) ? 0 : dice.rather(1, 30);
  const faults = Array.from({ length: count }, () => drawFault(dice, drawMoment(dice, mail, healAt)));
  return { seed, setting, mail: mail.sort((a, b) => a.at - b.at), faults, healAt };
}

function drawSetting(dice: Dice): Setting {
  return {
    upstream: dice.pick(['peek', 'drain']),
    idempotent: dice.chance(0.6),
    onUnsure: dice.chance(0.7) ? 'hold' : 'resend',
    delivery: dice.chance(0.65) ? 'inline' : 'pull',
    pullScope: dice.pick(['conversation', 'all']),
    session: dice.pick(['conversation', 'conversation', 'conversation', 'continuous', 'fresh']),
    channels: dice.pick(['mention', 'all', 'ignore']),
    maxAttempts: dice.pick([1, 2, 3, 5, 5, 5]),
    maxTurns: dice.chance(0.85) ? 'unlimited' : dice.between(1, 6),
    budget: dice.chance(0.75) ? 'none' : dice.pick(BUDGETS),
    loopTurns: dice.chance(0.75) ? 'unlimited' : dice.between(1, 4),
    sessionTurns: dice.chance(0.8) ? 'unlimited' : dice.between(1, 3),
    waitNotice: dice.chance(0.25),
    maxChars: dice.pick([10_000, 60]),
    deadNotice: dice.chance(0.7),
    minSleepMs: dice.pick([10 * SECOND, MINUTE, MINUTE]),
    live: dice.chance(0.3),
    once: dice.chance(0.12),
    lively: dice.chance(0.7),
    tellsSession: dice.chance(0.8),
  };
}

function drawMail(dice: Dice, healAt: number): Mail {
  const inChannel = dice.chance(0.15);
  const sender = dice.pick(dice.chance(0.08) ? [AGENT, DENIED] : NAMES);
  const kind = dice.chance(0.07) ? 'system' : 'agent';
  const wakes = dice.chance(0.3)
    ? []
    : Array.from({ length: dice.pick([1, 1, 1, 2, 3]) }, () => ({
        afterMs: dice.chance(0.7) ? dice.between(0, 300) : dice.rather(300, 20 * MINUTE),
        kind: dice.pick(WAKES),
      }));
  const at = dice.between(0, Math.floor(healAt * 0.95));
  const conversation = inChannel ? '#ops' : sender;
  return { at, conversation, sender, kind, long: dice.chance(0.15), mention: dice.chance(0.5), wakes };
}

/** Any time, or the time when most is under way: a little after mail has come. */
function drawMoment(dice: Dice, mail: readonly Mail[], healAt: number): number {
  if (mail.length === 0 || dice.chance(0.4)) return dice.between(0, Math.floor(healAt * 0.9));
  const { at, wakes } = dice.pick(mail);
  return at + (wakes[0]?.afterMs ?? 30_000) + dice.rather(1, 60_000);
}

function drawFault(dice: Dice, at: number): Fault {
  const downMs = dice.rather(500, 10 * MINUTE);
  const forMs = dice.rather(SECOND, 40 * MINUTE);
  /** Rare calls have few chances, frequent ones many. */
  const nth = dice.rather(1, 60);
  const kinds: (() => Fault)[] = [
    () => ({ kind: 'crash', point: dice.pick(CRASH_POINTS), nth, downMs }),
    () => ({ kind: 'crash', point: dice.pick(CRASH_POINTS), nth: dice.between(1, 4), downMs }),
    () => ({ kind: 'kill', at, downMs }),
    () => {
      const thenForceMs = dice.chance(0.4) ? dice.rather(1, 30 * SECOND) : undefined;
      return { kind: 'stop', at, how: dice.pick(['drain', 'drain', 'force']), thenForceMs, downMs };
    },
    () => ({ kind: 'freeze', at, forMs }),
    () => ({ kind: 'rival', at, forMs: forMs + 5 * MINUTE }),
    () => {
      const byMs = dice.chance(0.6) ? dice.rather(SECOND, 8 * 60 * MINUTE) : -dice.rather(SECOND, 5 * MINUTE);
      return { kind: 'jump', at, byMs };
    },
    () => ({ kind: 'inbox', at, forMs: 2 * forMs, how: dice.pick(INBOX) }),
    () => ({ kind: 'call', call: 'upstream.send', nth: dice.between(1, 8), how: dice.pick(SENDS) }),
    () => ({ kind: 'call', call: 'upstream.look', nth, how: dice.pick(LOOKS) }),
    () => ({ kind: 'call', call: 'upstream.ack', nth: dice.between(1, 6), how: dice.pick(LOOKS) }),
    () => ({ kind: 'store', at, forMs }),
    () => ({ kind: 'store-call', call: dice.pick(STORE_CALLS), nth: dice.between(1, 8) }),
    () => ({ kind: 'store-call', call: dice.pick(STORE_CALLS), nth }),
    () => ({ kind: 'slow-store', at, forMs }),
    () => ({ kind: 'pause', at, forMs }),
    () => ({ kind: 'flag', at, flag: dice.pick(['did-work', 'clear-session', 'stop']) }),
    () => drawTurn(dice),
    () => drawTurn(dice),
    () => drawTurn(dice),
    () => ({ kind: 'not-ready', at, forMs, hangs: dice.chance(0.5) }),
    () => ({ kind: 'unusable', at, forMs: dice.rather(SECOND, 5 * MINUTE) }),
    () => ({ kind: 'lost-sessions', at }),
    () => ({ kind: 'child-dies', at }),
    () => ({ kind: 'wakes', at, times: dice.rather(1, 40), wake: dice.pick(WAKES) }),
  ];
  return dice.pick(kinds)();
}

const INBOX: readonly InboxTrouble[] = ['down', 'unauthorised', 'rate-limited', 'unrecognised', 'hangs'];
const LOOKS: readonly CallTrouble[] = [...INBOX, 'lost', 'unheard'];
const SENDS: readonly CallTrouble[] = [...INBOX, 'lost', 'lost', 'unheard', 'unheard', 'refused'];

function drawTurn(dice: Dice): Fault {
  const how = dice.pick(['fails', 'fails', 'fails', 'dies', 'silent', 'endless', 'empty', 'slow'] as const);
  const ends = ['limited', 'rate-limited', 'overloaded'];
  const failure = dice.pick(FAILURES);
  const untilMs = ends.includes(failure) && dice.chance(0.5) ? dice.rather(1, 40 * MINUTE) : undefined;
  const trouble: TurnTrouble =
    how === 'fails' ? { how, failure, ...(untilMs === undefined ? {} : { untilMs }) } : { how };
  const first = dice.pick(['nothing', 'nothing', 'interim', 'reply', 'other'] as const);
  return { kind: 'turn', nth: dice.between(1, 12), trouble, first };
}
