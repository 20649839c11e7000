// The pieces that several JSON documents share, each field with what it means.
import { z } from 'zod';
import { HOLD_REASONS } from './words.js';

/** Epoch ms. */
export const instant = (what: string) => z.int().nonnegative().describe(`${what}, ms since 1970`);
export const count = (what: string) => z.int().nonnegative().describe(what);
export const text = (what: string) => z.string().describe(what);
export const flag = (what: string) => z.boolean().describe(what);
export const dollars = (what: string) => z.number().nonnegative().describe(`${what}, US dollars`);

const amount = (what: string) =>
  z.union([z.number().nonnegative(), z.literal('unlimited')]).describe(`${what}, or \`unlimited\``);

export const worker = {
  kind: z.enum(['worker', 'rehearsal']).describe('what it is'),
  pid: z.int().positive().describe('its process'),
  name: text('its own name, where it has one').optional(),
  folder: text("the agent's folder, absolute"),
  inbox: text('the name of its entry in `.mcp.json`'),
};
export const identity = text('the name of its state folder and lease');
export const running = flag('whether a worker runs; if not, this comes from the store');

export const hold = z.strictObject({
  reason: z.enum(HOLD_REASONS).describe('which hold'),
  why: text('one sentence'),
  since: instant('when it began'),
  until: instant('when it ends by itself').optional(),
});

const messageStates = {
  waiting: count('stored, not yet in a turn'),
  claimed: count('in a turn'),
  retry: count('to be tried again'),
  answered: count('ended with a reply'),
  silent: count('ended without one'),
  dead: count('given up'),
};

const outboxStates = {
  queued: count('to be sent'),
  sending: count('on their way'),
  sent: count('taken by the inbox'),
  refused: count('refused by the inbox, or dropped'),
  unsure: count('nobody can tell whether they arrived'),
};

export const budgets = z
  .array(
    z.strictObject({
      window: z.enum(['hour', 'day', 'run']).describe('hour and day are those of UTC'),
      cap: z.strictObject({ usd: amount('US dollars'), tokens: amount('input and output tokens') }),
      spent: z.strictObject({ usd: dollars('spent'), tokens: count('input and output tokens') }),
      endsAt: instant('when it begins anew; left out for `run`').optional(),
    }),
  )
  .describe('the budgets of all turns together that are limited');

export const session = z
  .strictObject({
    id: text("Claude Code's session id"),
    conversation: text('whose conversation it holds').optional(),
    turns: count('turns in it'),
    startedAt: instant('when it began'),
    contextTokens: count('tokens of its history, 0 while unknown'),
  })
  .describe('the session that the next turn may go on in');

export const storeReport = {
  messages: z.strictObject(messageStates).describe('how many messages are in which state, of all time'),
  oldestWaitingAt: instant('when the oldest message that has not ended came in').optional(),
  outbox: z.strictObject(outboxStates).describe('how many sends are in which state, of all time'),
  today: z
    .strictObject({
      since: instant('midnight UTC'),
      turns: count('turns that began'),
      costUsd: dollars('what they cost'),
      tokens: count('input and output tokens of them'),
      modelCalls: count('model calls of them'),
      messages: z.strictObject({
        in: count('came in'),
        answered: count('ended with a reply'),
        silent: count('ended without one'),
        dead: count('were given up'),
      }),
    })
    .describe('since midnight UTC'),
};

const usage = z.strictObject({
  costUsd: dollars('what it cost'),
  inputTokens: count('tokens in'),
  outputTokens: count('tokens out'),
  modelCalls: count('model calls'),
});

export const turn = z.strictObject({
  id: text("the turn's uuid"),
  claimId: text('its claim'),
  conversation: text('whom it answered'),
  slot: count('which Claude process, 0 for the only one'),
  sessionId: text("Claude Code's session id").optional(),
  startedAt: instant('when it began'),
  promptBytes: count('bytes of its prompt'),
  endedAt: instant(
    'when it ended; left out, with all that follows, while it runs or where a crash took it',
  ).optional(),
  verdict: z.enum(['answered', 'silent', 'retry', 'dead']).describe('what became of its claim').optional(),
  outcome: text('how it ended, one sentence').optional(),
  usage: usage.optional(),
});

export const messageId = text("the message's id in the inbox");

export const message = {
  id: messageId,
  conversation: text('a counterpart (`@alice`) or channel (`#ops`)'),
  sender: text('who wrote it'),
  chars: count('length of its text in UTF-16 units'),
};

export const send = {
  to: text('the address'),
  kind: z.enum(['reply', 'interim', 'other', 'notice']).describe('what it is to its claim'),
  part: count('which piece of a text that was cut, from 0'),
  attempts: count('how often it was tried'),
  lastError: text('how the last try failed').optional(),
  replyToId: text('the message it answers').optional(),
  queuedAt: instant('when it was stored'),
  chars: count('length of its text'),
};
