// The JSON of the commands about messages and turns: messages, show, dead, ledger, retry, drop, pause, send, read.
import { z } from 'zod';
import { count, flag, instant, message, messageId, running, send, text, turn } from './fields.js';
import { MESSAGE_STATES } from './words.js';

const kind = z.enum(['agent', 'system']).describe('`system` messages are never answered');

export const show = z.strictObject({
  running,
  message: z.strictObject({
    ...message,
    kind,
    replyTo: text('the address an answer goes to, where the inbox names one').optional(),
    sentAt: instant('when it was sent, where the inbox tells').optional(),
    state: z.enum(MESSAGE_STATES),
    spooledAt: instant('when it came in'),
    claimId: text('its claim, where it has one').optional(),
    attempts: count('failed attempts that counted'),
    retryAt: instant('when it is tried again').optional(),
    lastError: text('how the last attempt failed').optional(),
    claimedAt: instant('when it was first in a turn').optional(),
    settledAt: instant('when it ended').optional(),
    steps: z
      .array(
        z.strictObject({
          state: z.enum(MESSAGE_STATES),
          at: instant('when'),
          note: text('why, where there is a reason').optional(),
        }),
      )
      .describe('its life, in order'),
    text: text('with `--bodies` alone').optional(),
  }),
  sends: z.array(
    z.strictObject({
      ...send,
      id: count('row of the outbox: `out-` and this number is what `retry` and `drop` take'),
      claimId: text('its claim').optional(),
      idempotencyKey: text('what tells a repeated send from a new one'),
      ordinal: count('the n-th of its kind to its address, from 0'),
      state: z.enum(['queued', 'sending', 'sent', 'refused', 'unsure']),
      upstreamId: text('its id in the inbox').optional(),
      sentAt: instant('when it was taken').optional(),
      retryAt: instant('when it is tried again').optional(),
      text: text('with `--bodies` alone').optional(),
    }),
  ),
  turns: z.array(turn).describe('that worked on it, oldest first'),
});

export const dead = z.strictObject({
  running,
  messages: z
    .array(
      z.strictObject({
        ...message,
        claimId: text('its claim').optional(),
        attempts: count('failed attempts that counted'),
        lastError: text('how the last one failed').optional(),
        spooledAt: instant('when it came in'),
        diedAt: instant('when it was given up').optional(),
      }),
    )
    .describe('given up, the newest 500'),
  sends: z
    .array(z.strictObject({ ...send, id: text('what `retry` and `drop` take: `out-12`') }))
    .describe('unsure, the newest 500'),
  total: z.strictObject({ messages: count('all that are dead'), sends: count('all that are unsure') }),
});

const { id: turnId, claimId: turnClaim, ...ofTurn } = turn.shape;

export const ledger = z.strictObject({
  running,
  turns: z
    .array(
      z.strictObject({
        id: turnId,
        claimId: turnClaim,
        messages: z.array(messageId).describe('that it worked on, in the order of their arrival'),
        ...ofTurn,
      }),
    )
    .describe('the newest first'),
});

export const messages = z.strictObject({
  running,
  messages: z
    .array(
      z.strictObject({
        ...message,
        seq: count('its place in the order of arrival'),
        kind,
        state: z.enum(MESSAGE_STATES),
        claimId: text('its claim, where it has one').optional(),
        attempts: count('failed attempts that counted'),
        retryAt: instant('when it is tried again').optional(),
        lastError: text('how the last attempt failed').optional(),
        spooledAt: instant('when it came in'),
        claimedAt: instant('when it was first in a turn').optional(),
        settledAt: instant('when it ended').optional(),
        repliedAt: instant('when the first reply to its claim had gone out').optional(),
      }),
    )
    .describe('the last that came in first'),
  more: flag('older ones: go on with `--before` the last `seq`'),
});

const id = text('as it was given');

export const retryMessage = z.strictObject({
  id,
  running,
  state: z.literal('retry'),
  claimId: text('its claim'),
  messages: count('how many are tried again with it, itself included'),
  waits: flag('something else of its conversation goes first'),
});
export const retrySend = z.strictObject({ id, running, state: z.literal('queued') });
export const dropMessage = z.strictObject({
  id,
  running,
  state: z.literal('silent'),
  messages: count('how many were dropped with it, itself included'),
});
export const dropSend = z.strictObject({ id, running, state: z.literal('refused') });

export const pause = z.strictObject({
  paused: flag('how it stands now'),
  changed: flag('it stood otherwise before'),
  folder: text("the agent's folder, absolute"),
  running: flag('whether a worker runs'),
});

const letters = z.array(
  z.strictObject({ id: messageId, from: text('whose it is'), text: text('its whole text') }),
);
const sent = { id: messageId, to: text('the alias') };

export const sendOnly = z.strictObject(sent);
export const sendAndWait = z.strictObject({
  ...sent,
  answer: letters.describe('one, or the pieces of a long one'),
});
export const read = letters;
