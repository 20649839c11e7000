// What one turn cost, out of running totals that are sometimes reset.
import type { Usage } from '../domain/turn.js';
import type { Frame, ModelUsage, ResultFrame } from './frames.js';

interface Totals {
  readonly costUsd: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

const NOTHING: Totals = { costUsd: 0, inputTokens: 0, outputTokens: 0 };

/** The running totals of one process. Must see every result of it, those of `/clear` too. */
export class Meter {
  #last = NOTHING;

  /** What this result adds. Input tokens count those read from and written to the cache as well. */
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
    }),
    NOTHING,
  );
}

interface Call {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

type MessageUsage = NonNullable<ResultFrame['usage']>;

/** The model calls of one turn, seen as they stream: one message id is one call. */
export class CallCounter {
  readonly #calls = new Map<string, Call>();
  #current: string | undefined;

  take(frame: Frame): void {
    if (frame.kind === 'assistant') {
      const { id, model, usage } = frame.frame.message;
      // Claude Code's own words, such as those about an API error, cost nothing.
      if (id !== undefined && model !== '<synthetic>') this.#note(id, usage);
    }
    if (frame.kind === 'streamed') {
      const { type, message, usage } = frame.frame.event;
      if (type === 'message_start') this.#current = message?.id;
      if (this.#current !== undefined) this.#note(this.#current, message?.usage ?? usage);
    }
  }

  get outputTokens(): number {
    return [...this.#calls.values()].reduce((all, call) => all + call.outputTokens, 0);
  }

  /** What the last call read and wrote: the history that the next one will send again. */
  get contextTokens(): number | undefined {
    const last = [...this.#calls.values()].at(-1);
    return last && last.inputTokens + last.outputTokens;
  }

  /** With the result's own figures; without a result (Claude died), what was seen, and no cost. */
  usage(totals?: Totals): Usage {
    const seen = [...this.#calls.values()];
    const inputTokens = seen.reduce((all, call) => all + call.inputTokens, 0);
    const figures = totals ?? { costUsd: 0, inputTokens, outputTokens: this.outputTokens };
    return { ...figures, modelCalls: seen.length };
  }

  #note(id: string, usage: MessageUsage | undefined): void {
    const before = this.#calls.get(id);
    const input =
      (usage?.input_tokens ?? 0) +
      (usage?.cache_read_input_tokens ?? 0) +
      (usage?.cache_creation_input_tokens ?? 0);
    this.#calls.set(id, {
      inputTokens: Math.max(before?.inputTokens ?? 0, input),
      outputTokens: Math.max(before?.outputTokens ?? 0, usage?.output_tokens ?? 0),
    });
  }
}
