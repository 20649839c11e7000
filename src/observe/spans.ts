// OpenTelemetry spans of what happens: wake → look → turn → reply, one trace for one message where it can be.
import {
  type Attributes,
  context,
  type Link,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  type Tracer,
} from '@opentelemetry/api';
import { oneLine } from '../lib/one-line.js';
import { redact } from '../lib/redact.js';
import type { Observer, WorkerEvent } from '../ports/observer.js';
import { lookAttributes, replyAttributes, turnBegan, turnEnded } from './span-attributes.js';
import { SpanMemory, under } from './span-memory.js';

type Of<Type extends WorkerEvent['type']> = Extract<WorkerEvent, { type: Type }>;

export interface SpanOptions {
  readonly tracer: Tracer;
  readonly clock: { now(): number };
  /** The agent's name. */
  readonly agent: string;
  /** The model that was asked for, where one was. */
  readonly model?: string | undefined;
  /** Literals that must never leave. Read at each span: more may be pushed later. */
  readonly secrets: readonly string[];
}

/** No message text: no event has any. Names of people stand in attributes; secrets are taken out of every text. */
export function spanObserver(options: SpanOptions): Observer {
  return new Spans(options);
}

interface OpenTurn {
  readonly span: Span;
  /** Its conversations that have not ended. */
  left: number;
  /** Its outcome has been told. */
  told: boolean;
  tool: string | undefined;
}

class Spans implements Observer {
  readonly #options: SpanOptions;
  readonly #memory = new SpanMemory();
  readonly #turns = new Map<string, OpenTurn>();
  #look: { readonly span: Span; readonly beganAt: number } | undefined;

  constructor(options: SpanOptions) {
    this.#options = options;
  }

  on(event: WorkerEvent): void {
    switch (event.type) {
      case 'woken':
        this.#woken(event);
        break;
      case 'look-began':
        this.#lookBegan(event);
        break;
      case 'looked':
      case 'look-failed':
        this.#lookEnded(event);
        break;
      case 'turn-began':
        this.#turnBegan(event);
        break;
      case 'turn-progress':
        this.#progress(event);
        break;
      case 'turn-ended':
        this.#turnEnded(event);
        break;
      case 'sent':
      case 'send-failed':
        this.#reply(event);
        break;
      case 'stopped':
        this.#stopped();
        break;
    }
  }

  /** The span of whoever called us, a webhook's sender say, becomes its parent: the trace begins where the mail did. */
  #woken({ kind, late }: Of<'woken'>): void {
    const { tracer, clock } = this.#options;
    const at = clock.now();
    const attributes: Attributes = { 'inbox.wake.kind': kind, ...(late ? { 'inbox.wake.late': true } : {}) };
    const span = tracer.startSpan('inbox.wake', { startTime: at, attributes }, context.active());
    span.end(at);
    this.#memory.woken(span.spanContext());
  }

  #lookBegan(event: Of<'look-began'>): void {
    const [parent, ...others] = this.#memory.takeWakes();
    const beganAt = this.#options.clock.now();
    const attributes = { 'inbox.look.woken_by': [...event.wokenBy] };
    const span = this.#start('inbox.look', SpanKind.CLIENT, beganAt, attributes, parent, others);
    this.#look = { span, beganAt };
  }

  #lookEnded(event: Of<'looked'> | Of<'look-failed'>): void {
    if (!this.#look) return;
    const { span, beganAt } = this.#look;
    this.#look = undefined;
    const endedAt = this.#options.clock.now();
    span.setAttributes(lookAttributes(event));
    if (event.type === 'look-failed') this.#failed(span, event.outcome, event.text);
    span.end(endedAt);
    // A look that failed may have found something before.
    if (event.type === 'look-failed' || event.fresh > 0) {
      this.#memory.looked({ beganAt, endedAt, span: span.spanContext() });
    }
  }

  #turnBegan(event: Of<'turn-began'>): void {
    const { clock, agent, model } = this.#options;
    const [parent, ...others] = this.#memory.looksOf(event.spooledAt);
    const known = this.#turns.get(event.turnId);
    if (known) {
      known.left += 1;
      known.span.setAttribute('inbox.conversations', known.left);
      known.span.addLinks([...(parent ? [parent] : []), ...others].map(linkTo));
      this.#memory.began(event.claimId, known.span.spanContext());
      return;
    }
    const attributes = turnBegan(event, { agent, model, clean: (text) => this.#clean(text) });
    const span = this.#start('inbox.turn', SpanKind.INTERNAL, clock.now(), attributes, parent, others);
    this.#turns.set(event.turnId, { span, left: 1, told: false, tool: undefined });
    this.#memory.began(event.claimId, span.spanContext());
  }

  #progress({ turnId, progress }: Of<'turn-progress'>): void {
    const turn = this.#turns.get(turnId);
    if (!turn || turn.tool === progress.tool) return;
    turn.tool = progress.tool;
    if (progress.tool === undefined) return;
    turn.span.addEvent(
      'inbox.tool',
      { 'gen_ai.tool.name': this.#clean(progress.tool) },
      this.#options.clock.now(),
    );
  }

  #turnEnded(event: Of<'turn-ended'>): void {
    const turn = this.#turns.get(event.turnId);
    if (!turn) return;
    // Of several conversations the first end carries what the turn cost.
    if (!turn.told) {
      turn.told = true;
      turn.span.setAttributes(turnEnded(event));
      // One that we interrupted ourselves is no error.
      const failed = event.ending !== 'completed' && event.ending !== 'interrupted';
      if (failed) this.#failed(turn.span, event.reason ?? event.ending, event.outcome);
    }
    turn.left -= 1;
    if (turn.left > 0) return;
    this.#turns.delete(event.turnId);
    turn.span.end(this.#options.clock.now());
  }

  #reply(event: Of<'sent'> | Of<'send-failed'>): void {
    const endedAt = this.#options.clock.now();
    const beganAt = endedAt - event.durationMs;
    const parent = this.#memory.turnOf(event.claimId);
    const attributes = replyAttributes(event, beganAt, (text) => this.#clean(text));
    const span = this.#start('inbox.reply', SpanKind.CLIENT, beganAt, attributes, parent, []);
    if (event.type === 'send-failed') this.#failed(span, event.state, event.text);
    span.end(endedAt);
  }

  /** A turn that is still open has no end of its own any more. */
  #stopped(): void {
    for (const { span } of this.#turns.values()) {
      this.#failed(span, 'interrupted', 'the worker ended');
      span.end(this.#options.clock.now());
    }
    this.#turns.clear();
    this.#look?.span.end(this.#options.clock.now());
    this.#look = undefined;
  }

  #start(
    name: string,
    kind: SpanKind,
    startTime: number,
    attributes: Attributes,
    parent: SpanContext | undefined,
    others: readonly SpanContext[],
  ): Span {
    const links = others.map(linkTo);
    return this.#options.tracer.startSpan(name, { kind, startTime, attributes, links }, under(parent));
  }

  #failed(span: Span, type: string, text: string): void {
    span.setAttribute('error.type', type);
    span.setStatus({ code: SpanStatusCode.ERROR, message: this.#clean(text) });
  }

  #clean(text: string): string {
    return oneLine(redact(text, this.#options.secrets), 300);
  }
}

const linkTo = (to: SpanContext): Link => ({ context: to });
