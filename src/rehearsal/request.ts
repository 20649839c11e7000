// The part of a Messages API request that scripts look at, read from JSON without trust in its shape.

/** One block of a message; which fields are there depends on `type`. */
export interface ContentBlock {
  readonly type: string;
  readonly text?: string;
  readonly id?: string;
  readonly name?: string;
  readonly input?: unknown;
  readonly tool_use_id?: string;
  readonly is_error?: boolean;
  readonly content?: string | readonly ContentBlock[];
}

export interface RequestMessage {
  /** `user` and `assistant`; newer Claude Code also puts `system` messages between them. */
  readonly role: string;
  readonly content: string | readonly ContentBlock[];
}

export interface RequestTool {
  readonly name: string;
  readonly input_schema?: { readonly properties?: Readonly<Record<string, unknown>> };
}

export interface MessagesRequest {
  readonly model?: string;
  readonly stream?: boolean;
  readonly max_tokens?: number;
  readonly system?: string | readonly ContentBlock[];
  readonly messages: readonly RequestMessage[];
  readonly tools?: readonly RequestTool[];
  readonly output_config?: { readonly format?: { readonly schema?: { readonly properties?: object } } };
}

/** The parsed body, or undefined when it is not JSON. */
export function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** True when `body` has messages, each with a role and a content: what every reader below relies on. */
export function isMessagesRequest(body: unknown): body is MessagesRequest {
  if (typeof body !== 'object' || body === null || !('messages' in body)) return false;
  return Array.isArray(body.messages) && body.messages.length > 0 && body.messages.every(isMessage);
}

function isMessage(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || !('role' in value) || !('content' in value))
    return false;
  return (
    typeof value.role === 'string' && (typeof value.content === 'string' || Array.isArray(value.content))
  );
}
