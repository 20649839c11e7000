// What one turn cost, out of running totals that are sometimes reset.
import type { Usage } from '../domain/turn.js';
import type { Frame, ModelUsage, ResultFrame } from './frames.js';

interface Tokens {
  /** Those read from and written to the cache included. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
}

interface Totals extends Tokens {
  readonly costUsd: number;
}

const NO_TOKENS: Tokens = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
const NOTHING: Totals = { costUsd: 0, ...NO_TOKENS };

/** The running totals of one process. Must see every result of it, those of `/clear` too. */
export class Meter {
  #last = NOTHING;

  /** What this result adds. */
  take(result: ResultFrame): Totals {
    const total = totalsOf(result);
    const last = this.#last;
    this.#last = total;
    // 2.1.317 and newer say the difference themselves. Only they may start a resumed process from a saved total,
    // which a difference of ours would count again.
    const since = result.model_usage_since_last_result;
    if (since) return sum(since);
    // A total that has shrunk was reset, by /clear or a resume.
    if (total.costUsd < last.costUsd || total.inputTokens < last.inputTokens) return total;
    return {
      costUsd: total.costUsd - last.costUsd,
      inputTokens: total.inputTokens - last.inputTokens,
      outputTokens: Math.max(0, total.outputTokens - last.outputTokens),
      cacheReadTokens: Math.max(0, total.cacheReadTokens - last.cacheReadTokens),
      cacheWriteTokens: Math.max(0, total.cacheWriteTokens - last.cacheWriteTokens),
    };
  }
}

function totalsOf(result: ResultFrame): Totals {
  const tokens = sum(result.modelUsage ?? {});
  return { ...tokens, costUsd: result.total_cost_usd ?? tokens.costUsd };
}

function sum(models: ModelUsage): Totals {
  return Object.values(models).reduce<Totals>(
    (all, model) => ({
      costUsd: all.costUsd + (model.costUSD ?? 0),
      inputTokens:
        all.inputTokens +
        (model.inputTokens ?? 0) +
        (model.cacheReadInputTokens ?? 0) +
        (model.cacheCreationInputTokens ?? 0),
      outputTokens: all.outputTokens + (model.outputTokens ?? 0),
      cacheReadTokens: all.cacheReadTokens + (model.cacheReadInputTokens ?? 0),
      cacheWriteTokens: all.cacheWriteTokens + (model.cacheCreationInputTokens ?? 0),
    }),
    NOTHING,
  );
}

/** The API says how many tokens a call has written only at its end; until then this is near enough for an eye. */
const CHARS_A_TOKEN = 4;

type MessageUsage = NonNullable<ResultFrame['usage']>;

/** The model calls of one turn, seen as they stream: one message id is one call. */
export class CallCounter {
  readonly #calls = new Map<string, Tokens>();
  #current: string | undefined;
  /** Characters of the current call that have streamed by, until its count is known. */
  #chars = 0;
  /** The model that answered last, where a frame has named one. */
  model: string | undefined;

  take(frame: Frame): void {
    if (frame.kind === 'assistant') {
      const { id, model, usage } = frame.frame.message;
      // Claude Code's own words, such as those about an API error, cost nothing.
      if (id !== undefined && model !== '<synthetic>') this.#note(id, usage, model);
    }
    if (frame.kind === 'streamed') {
      const { type, message, usage, delta } = frame.frame.event;
      if (type === 'message_start') this.#current = message?.id;
      if (type === 'message_start' || type === 'message_delta') this.#chars = 0;
      this.#chars += (delta?.text ?? delta?.partial_json ?? delta?.thinking ?? '').length;
      if (this.#current !== undefined) this.#note(this.#current, message?.usage ?? usage, message?.model);
    }
  }

  /** As far as they are known: of a call that still streams, what its characters let expect. */
  get outputTokens(): number {
    const counted = [...this.#calls.values()].reduce((all, call) => all + call.outputTokens, 0);
    const current = this.#calls.get(this.#current ?? '')?.outputTokens ?? 0;
    return counted + Math.max(0, Math.ceil(this.#chars / CHARS_A_TOKEN) - current);
  }

  /** What the last call read and wrote: the history that the next one will send again. */
  get contextTokens(): number | undefined {
    const last = [...this.#calls.values()].at(-1);
    return last && last.inputTokens + last.outputTokens;
  }

  /** With the result's own figures; without a result (Claude died), what was seen, and no cost. */
  usage(totals?: Totals): Usage {
    const seen = [...this.#calls.values()];
    const all = (field: keyof Tokens): number => seen.reduce((sum, call) => sum + call[field], 0);
    const figures = totals ?? {
      costUsd: 0,
      inputTokens: all('inputTokens'),
      outputTokens: all('outputTokens'),
      cacheReadTokens: all('cacheReadTokens'),
      cacheWriteTokens: all('cacheWriteTokens'),
    };
    return { ...figures, modelCalls: seen.length };
  }

  #note(id: string, usage: MessageUsage | undefined, model: string | undefined): void {
    this.model = model ?? this.model;
    const before = this.#calls.get(id) ?? NO_TOKENS;
    const [read, written] = [usage?.cache_read_input_tokens ?? 0, usage?.cache_creation_input_tokens ?? 0];
    this.#calls.set(id, {
      inputTokens: Math.max(before.inputTokens, (usage?.input_tokens ?? 0) + read + written),
      outputTokens: Math.max(before.outputTokens, usage?.output_tokens ?? 0),
      cacheReadTokens: Math.max(before.cacheReadTokens, read),
      cacheWriteTokens: Math.max(before.cacheWriteTokens, written),
    });
  }
}
