// What spans come from what: the wakes of a look, the looks of a turn, the turn of a reply. All of it bounded.
import { type Context, ROOT_CONTEXT, type SpanContext, trace } from '@opentelemetry/api';

/** What is forgotten only loses its place in a trace. */
const MOST = 500;

interface Look {
  readonly beganAt: number;
  readonly endedAt: number;
  readonly span: SpanContext;
}

export class SpanMemory {
  #wakes: SpanContext[] = [];
  #looks: Look[] = [];
  readonly #turns = new Map<string, SpanContext>();

  woken(span: SpanContext): void {
    this.#wakes = [...this.#wakes, span].slice(-MOST);
  }

  /** The wakes since the last look: those that made this one. */
  takeWakes(): SpanContext[] {
    const wakes = this.#wakes;
    this.#wakes = [];
    return wakes;
  }

  looked(look: Look): void {
    this.#looks = [...this.#looks, look].slice(-MOST);
  }

  /** The looks that brought messages to our disk at these instants, each once, the first first. */
  looksOf(instants: readonly number[]): SpanContext[] {
    const found = instants.map((at) =>
      this.#looks.findLast(({ beganAt, endedAt }) => beganAt <= at && at <= endedAt),
    );
    return [...new Set(found)].flatMap((look) => (look ? [look.span] : []));
  }

  began(claimId: string, turn: SpanContext): void {
    this.#turns.delete(claimId);
    this.#turns.set(claimId, turn);
    if (this.#turns.size <= MOST) return;
    const [oldest = ''] = this.#turns.keys();
    this.#turns.delete(oldest);
  }

  turnOf(claimId: string | undefined): SpanContext | undefined {
    return claimId === undefined ? undefined : this.#turns.get(claimId);
  }
}

/** The context in which a span becomes a child of `parent`, or the root of a trace. Never that of whoever happens to call. */
export function under(parent: SpanContext | undefined): Context {
  return parent ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT;
}
