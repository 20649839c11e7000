// One line of Claude Code's output, read without trust in its shape.
import { z } from 'zod';

/** A field of the wrong type counts as absent: a new version must not stop the reader. */
const lenient = <T extends z.ZodType>(type: T) => type.optional().catch(undefined);
const text = lenient(z.string());
const number = lenient(z.number());
const texts = lenient(z.array(z.string()));

const usage = lenient(
  z.looseObject({
    input_tokens: number,
    output_tokens: number,
    cache_creation_input_tokens: number,
    cache_read_input_tokens: number,
  }),
);

const modelUsage = lenient(
  z.record(
    z.string(),
    z.looseObject({
      inputTokens: number,
      outputTokens: number,
      cacheReadInputTokens: number,
      cacheCreationInputTokens: number,
      costUSD: number,
    }),
  ),
);
export type ModelUsage = NonNullable<z.infer<typeof modelUsage>>;

const block = z.looseObject({ type: text, text: text, name: text }).catch({});
const content = lenient(z.array(block));

const init = z.looseObject({
  type: z.literal('system'),
  subtype: z.literal('init'),
  session_id: text,
  claude_code_version: text,
  mcp_servers: lenient(z.array(z.looseObject({ name: text, status: text }).catch({}))),
});

const retry = z.looseObject({
  type: z.literal('system'),
  subtype: z.literal('api_retry'),
  error_status: number,
  error: text,
});

const assistant = z.looseObject({
  type: z.literal('assistant'),
  message: z.looseObject({ id: text, model: text, content, usage }),
  error: text,
  api_error: text,
  api_error_status: number,
});

const user = z.looseObject({ type: z.literal('user') });

const streamed = z.looseObject({
  type: z.literal('stream_event'),
  event: z.looseObject({
    type: text,
    message: lenient(z.looseObject({ id: text, model: text, usage })),
    delta: lenient(z.looseObject({ text: text, partial_json: text, thinking: text })),
    usage,
  }),
});

const result = z.looseObject({
  type: z.literal('result'),
  subtype: text,
  is_error: lenient(z.boolean()),
  result: text,
  errors: texts,
  session_id: text,
  total_cost_usd: number,
  usage,
  modelUsage,
  model_usage_since_last_result: modelUsage,
  permission_denials: lenient(z.array(z.unknown())),
  terminal_reason: text,
  api_error: text,
  api_error_status: number,
  user_message_uuid: text,
  user_message_uuids: texts,
});

const limit = z.looseObject({
  type: z.literal('rate_limit_event'),
  rate_limit_info: z.looseObject({ status: text, resetsAt: number, rateLimitType: text }),
});

const reset = z.looseObject({ type: z.literal('conversation_reset') });

const controlResponse = z.looseObject({
  type: z.literal('control_response'),
  response: z.looseObject({
    request_id: z.string(),
    subtype: text,
    response: z.unknown().optional(),
    error: text,
  }),
});

const controlRequest = z.looseObject({ type: z.literal('control_request'), request_id: z.string() });

/** Types that are known and tell nothing we need; `system` with any other subtype is one too. */
const PLAIN = ['system', 'command_lifecycle', 'tool_progress', 'control_cancel_request', 'auth_status'];

export type InitFrame = z.infer<typeof init>;
export type AssistantFrame = z.infer<typeof assistant>;
export type StreamFrame = z.infer<typeof streamed>;
export type ResultFrame = z.infer<typeof result>;
export type LimitFrame = z.infer<typeof limit>;
export type RetryFrame = z.infer<typeof retry>;
export type ControlResponseFrame = z.infer<typeof controlResponse>;

export type Frame =
  | { readonly kind: 'init'; readonly frame: InitFrame }
  | { readonly kind: 'retry'; readonly frame: RetryFrame }
  | { readonly kind: 'assistant'; readonly frame: AssistantFrame }
  | { readonly kind: 'user' }
  | { readonly kind: 'streamed'; readonly frame: StreamFrame }
  | { readonly kind: 'result'; readonly frame: ResultFrame }
  | { readonly kind: 'limit'; readonly frame: LimitFrame }
  | { readonly kind: 'reset' }
  | { readonly kind: 'control-response'; readonly frame: ControlResponseFrame }
  | { readonly kind: 'control-request'; readonly requestId: string }
  /** A sign of life and nothing more. */
  | { readonly kind: 'plain' }
  /** Sent by a timer of Claude Code's, so no sign of progress. */
  | { readonly kind: 'keep-alive' }
  /** A type we do not know, or one we know in another shape. */
  | { readonly kind: 'unknown'; readonly type: string }
  /** Not JSON, or not an object with a `type`. */
  | { readonly kind: 'noise' };

export function parseFrame(line: string): Frame {
  const value = parseJson(line);
  if (typeof value !== 'object' || value === null || !('type' in value) || typeof value.type !== 'string') {
    return { kind: 'noise' };
  }
  return read(value.type, value) ?? { kind: 'unknown', type: value.type };
}

function read(type: string, value: object): Frame | undefined {
  switch (type) {
    case 'system':
      return readSystem(value);
    case 'assistant':
      return as('assistant', assistant.safeParse(value));
    case 'user':
      return user.safeParse(value).success ? { kind: 'user' } : undefined;
    case 'stream_event':
      return as('streamed', streamed.safeParse(value));
    case 'result':
      return as('result', result.safeParse(value));
    case 'rate_limit_event':
      return as('limit', limit.safeParse(value));
    case 'conversation_reset':
      return reset.safeParse(value).success ? { kind: 'reset' } : undefined;
    case 'control_response':
      return as('control-response', controlResponse.safeParse(value));
    case 'control_request': {
      const request = controlRequest.safeParse(value);
      return request.success ? { kind: 'control-request', requestId: request.data.request_id } : undefined;
    }
    case 'keep_alive':
      return { kind: 'keep-alive' };
    default:
      return PLAIN.includes(type) ? { kind: 'plain' } : undefined;
  }
}

function readSystem(value: object): Frame | undefined {
  const subtype = 'subtype' in value ? value.subtype : undefined;
  if (subtype === 'init') return as('init', init.safeParse(value));
  if (subtype === 'api_retry') return as('retry', retry.safeParse(value));
  return { kind: 'plain' };
}

function as<K extends string, T>(
  kind: K,
  parsed: { success: true; data: T } | { success: false },
): { kind: K; frame: T } | undefined {
  return parsed.success ? { kind, frame: parsed.data } : undefined;
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
