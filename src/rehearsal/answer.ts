// What the model says: text and tool calls, how slowly, and at what usage.

export interface Usage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly cache_read_input_tokens: number;
}

export type AnswerBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tool_use'; readonly name: string; readonly input: unknown };

export interface Answer {
  readonly content: readonly AnswerBlock[];
  /** Silence before the answer begins (not even headers), in ms. Default 0. */
  readonly delayMs?: number;
  /** Silence between two pieces of a streamed answer, in ms. Default 0. */
  readonly chunkDelayMs?: number;
  /** Replaces parts of the estimated usage. */
  readonly usage?: Partial<Usage>;
  /** Further response headers, such as `anthropic-ratelimit-unified-*`. */
  readonly headers?: Readonly<Record<string, string>>;
}
