// What spans say: our own attributes under `inbox.`, and OpenTelemetry's names for generative AI where there are some.
import type { Attributes } from '@opentelemetry/api';
import type { WorkerEvent } from '../ports/observer.js';

type Of<Type extends WorkerEvent['type']> = Extract<WorkerEvent, { type: Type }>;
type Clean = (text: string) => string;

/** Every span with its attributes, for docs/metrics.md. The code below is held to it by a test. */
export const SPANS = {
  'inbox.wake': {
    meaning: 'a reason to look came; begins and ends at once',
    parent:
      'whatever span is active where it comes in, such as that of an instrumented HTTP server; else none',
    attributes: {
      'inbox.wake.kind': 'string',
      'inbox.wake.late': 'boolean, only where true: its mail had just been found without it',
    },
  },
  'inbox.look': {
    meaning: 'one look at the inbox, until what it found is on disk',
    parent: 'the first `inbox.wake` since the last look; links to the others',
    attributes: {
      'inbox.look.woken_by': 'string[]',
      'inbox.look.outcome': 'string: looked, down, unauthorised, rate-limited, unrecognised',
      'inbox.look.fresh': 'int, new messages',
      'inbox.look.known': 'int, messages that were there already',
      'inbox.look.missed_wake': 'boolean',
      'error.type': 'string, the outcome of one that failed',
    },
  },
  'inbox.turn': {
    meaning:
      'one turn of Claude, from its prompt until it is settled; an event `inbox.tool` (`gen_ai.tool.name`) at each tool',
    parent: 'the `inbox.look` that found its oldest message; links to those that found the others',
    attributes: {
      'inbox.turn.id': 'string',
      'inbox.claim.id': 'string, stays the same over retries',
      'inbox.conversation': 'string',
      'inbox.conversations': 'int, only where several share the turn',
      'inbox.messages': 'int',
      'inbox.attempt': 'int, from 1',
      'inbox.turn.mode': 'string: full, or continue where the history holds the prompt',
      'inbox.turn.prompt_bytes': 'int',
      'inbox.turn.outcome': 'string: completed, failed, timed-out, died, interrupted',
      'inbox.turn.verdict': 'string: answered, silent, retry, dead',
      'inbox.turn.model_calls': 'int',
      'inbox.turn.cost_usd': 'double',
      'gen_ai.operation.name': 'string: invoke_agent',
      'gen_ai.provider.name': 'string: anthropic',
      'gen_ai.agent.name': 'string, the name of the agent, where it has none of the inbox',
      'gen_ai.conversation.id': "string, Claude's session",
      'gen_ai.request.model': 'string, the setting `model`, where set',
      'gen_ai.response.model': 'string',
      'gen_ai.usage.input_tokens': 'int, those of the cache included',
      'gen_ai.usage.output_tokens': 'int',
      'gen_ai.usage.cache_read.input_tokens': 'int',
      'gen_ai.usage.cache_creation.input_tokens': 'int',
      'error.type': 'string, why it failed',
    },
  },
  'inbox.reply': {
    meaning: 'one try to hand one part of a text to the inbox',
    parent: 'the `inbox.turn` that wrote it; none for a text left by an earlier run',
    attributes: {
      'inbox.claim.id': 'string',
      'inbox.reply.to': 'string',
      'inbox.reply.kind': 'string: reply, interim, other, notice',
      'inbox.reply.part': 'int, from 0',
      'inbox.reply.state': 'string: sent, queued (tried again), refused, unsure',
      'inbox.reply.wait_seconds': 'double, in the outbox before this try',
      'inbox.reply.upstream_id': "string, the inbox's id of what was sent",
      'error.type': 'string, the state of one that failed',
    },
  },
} as const satisfies Record<
  string,
  { meaning: string; parent: string; attributes: Readonly<Record<string, string>> }
>;

export function lookAttributes(event: Of<'looked'> | Of<'look-failed'>): Attributes {
  if (event.type === 'look-failed') return { 'inbox.look.outcome': event.outcome };
  return {
    'inbox.look.outcome': 'looked',
    'inbox.look.fresh': event.fresh,
    'inbox.look.known': event.known,
    'inbox.look.missed_wake': event.missed,
  };
}

export function turnBegan(
  event: Of<'turn-began'>,
  told: { readonly agent: string; readonly model: string | undefined; readonly clean: Clean },
): Attributes {
  return {
    'inbox.turn.id': event.turnId,
    'inbox.claim.id': event.claimId,
    'inbox.conversation': told.clean(event.conversation),
    'inbox.messages': event.messages,
    'inbox.attempt': event.attempt,
    'inbox.turn.mode': event.mode,
    'inbox.turn.prompt_bytes': event.promptBytes,
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.provider.name': 'anthropic',
    'gen_ai.agent.name': told.agent,
    ...some('gen_ai.request.model', told.model),
  };
}

export function turnEnded(event: Of<'turn-ended'>): Attributes {
  const { usage } = event;
  return {
    'inbox.turn.outcome': event.ending,
    'inbox.turn.verdict': event.verdict,
    'inbox.turn.model_calls': usage.modelCalls,
    'inbox.turn.cost_usd': usage.costUsd,
    'gen_ai.usage.input_tokens': usage.inputTokens,
    'gen_ai.usage.output_tokens': usage.outputTokens,
    ...some('gen_ai.usage.cache_read.input_tokens', usage.cacheReadTokens),
    ...some('gen_ai.usage.cache_creation.input_tokens', usage.cacheWriteTokens),
    ...some('gen_ai.conversation.id', event.sessionId),
    ...some('gen_ai.response.model', event.model),
  };
}

export function replyAttributes(
  event: Of<'sent'> | Of<'send-failed'>,
  beganAt: number,
  clean: Clean,
): Attributes {
  return {
    ...some('inbox.claim.id', event.claimId),
    'inbox.reply.to': clean(event.to),
    'inbox.reply.kind': event.kind,
    'inbox.reply.part': event.part,
    'inbox.reply.state': event.type === 'sent' ? 'sent' : event.state,
    'inbox.reply.wait_seconds': Math.max(0, beganAt - event.queuedAt) / 1000,
    ...some('inbox.reply.upstream_id', event.type === 'sent' ? event.upstreamId : undefined),
  };
}

function some(name: string, value: string | number | undefined): Attributes {
  return value === undefined ? {} : { [name]: value };
}
