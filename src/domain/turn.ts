// What a turn of the agent can end in.

/** Money and tokens of one turn: differences, never the agent's running totals. */
export interface Usage {
  /** US dollars. */
  readonly costUsd: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly modelCalls: number;
  /** Input tokens that were read from the provider's cache, and written to it; counted in `inputTokens` too. */
  readonly cacheReadTokens?: number | undefined;
  readonly cacheWriteTokens?: number | undefined;
}

export const NO_USAGE: Usage = { costUsd: 0, inputTokens: 0, outputTokens: 0, modelCalls: 0 };

export function addUsage(a: Usage, b: Usage): Usage {
  return {
    costUsd: a.costUsd + b.costUsd,
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    modelCalls: a.modelCalls + b.modelCalls,
  };
}

/** Why a turn failed, judged by structured fields. */
export type TurnFailure =
  | 'limited' // a subscription limit with a known end
  | 'rate-limited' // 429
  | 'overloaded' // 529
  | 'server-error' // 5xx and lost connections
  | 'credit-exhausted'
  | 'unauthorised'
  | 'model-unknown'
  | 'context-too-long'
  | 'request-invalid' // any other 4xx
  | 'over-budget' // the agent's own budget flag
  | 'unknown';

interface TurnEnd {
  readonly sessionId: string | undefined;
  readonly usage: Usage;
  /** The session's history holds the prompt, so that the next try continues it. */
  readonly promptKept: boolean;
  /** Tokens that the session's history holds after this turn, where known. */
  readonly contextTokens?: number | undefined;
  /** The model that answered last, where known. */
  readonly model?: string | undefined;
}

export type TurnOutcome =
  | (TurnEnd & { readonly kind: 'completed'; readonly text: string; readonly denials: number })
  | (TurnEnd & {
      readonly kind: 'failed';
      readonly failure: TurnFailure;
      readonly message: string;
      readonly until?: number | undefined;
    })
  | (TurnEnd & {
      readonly kind: 'timed-out';
      readonly limit: 'silence' | 'tool' | 'turn';
      readonly limitMs: number;
    })
  | (TurnEnd & { readonly kind: 'died'; readonly message: string })
  /** We ended it ourselves: shutdown, lease lost. Costs no attempt. */
  | (TurnEnd & { readonly kind: 'interrupted'; readonly reason: string });

/** Why a turn failed or was ended for being late: few words, for those who count. */
export type TurnReason = TurnFailure | Extract<TurnOutcome, { kind: 'timed-out' }>['limit'];

export function reasonOf(outcome: TurnOutcome): TurnReason | undefined {
  if (outcome.kind === 'failed') return outcome.failure;
  return outcome.kind === 'timed-out' ? outcome.limit : undefined;
}

const TIMED_OUT = {
  silence: 'no sign of life for',
  tool: 'a tool ran without a sign of life for',
  turn: 'longer than the turn limit of',
} as const;

/** One sentence about how a turn ended, for logs and the ledger. */
export function describeOutcome(outcome: TurnOutcome): string {
  switch (outcome.kind) {
    case 'completed':
      return 'completed';
    case 'failed':
      return `failed (${outcome.failure}): ${outcome.message}`;
    case 'timed-out':
      return `${TIMED_OUT[outcome.limit]} ${Math.round(outcome.limitMs / 1000)} s`;
    case 'died':
      return `Claude Code ended in the middle of the turn: ${outcome.message}`;
    case 'interrupted':
      return `interrupted: ${outcome.reason}`;
  }
}
