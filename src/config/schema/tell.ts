// Settings: whom to tell when the worker waits for a person, or has given a message up.
import type { HoldReason } from '../../domain/hold.js';
import { holdReasons } from '../names.js';
import { settingsOf } from '../setting.js';
import { SECRET, signingSecret, telling } from '../telling-kind.js';
import { duration, list } from '../values.js';

const setting = settingsOf('tell');

/** A file that was edited under way must not make the worker run another command. */
const TOLD = 'whom it tells, and by which command, is decided at the start alone';

/** Those that last until a person does something, or that a person would want to know of. */
const REASONS: readonly HoldReason[] = [
  'agent-unauthorised',
  'agent-not-ready',
  'credit-exhausted',
  'over-budget',
  'inbox-unauthorised',
  'inbox-down',
  'disk-full',
  'store-down',
  'lease-lost',
];

export const TELL_SETTINGS = {
  onHold: setting('on_hold', telling, {
    default: 'off',
    caption:
      'what is told that no turn starts any more and why, and that it goes on: a command, or an address for signed webhooks',
    restart: TOLD,
    example: true,
  }),
  onDead: setting('on_dead', telling, {
    default: 'off',
    caption: 'what is told of messages that were given up',
    restart: TOLD,
    example: true,
  }),
  tellSecret: setting('tell_secret', list({ items: SECRET, item: signingSecret }), {
    default: [],
    env: ['TELL_SECRET'],
    secret: true,
    caption: 'the secret that signs these webhooks; of several, each signs, for a rotation',
    restart: TOLD,
  }),
  onHoldReasons: setting('on_hold_reasons', holdReasons, {
    default: REASONS,
    caption: 'of which holds `on_hold` is told',
    restart: TOLD,
  }),
  onHoldAfterMs: setting('on_hold_after', duration({ minMs: 0 }), {
    default: 60_000,
    caption: 'how long a hold must have stood before it is told',
    restart: TOLD,
  }),
  tellIntervalMs: setting('tell_interval', duration({ minMs: 0 }), {
    default: 600_000,
    caption:
      'the shortest time between two tellings of the same hold, and between two of dead messages: what comes sooner is told together',
    restart: TOLD,
  }),
};
