// The stream-json protocol: bytes in, lines out. Knows no process.
import { withDeadline } from '../lib/deadline.js';
import { type Deferred, deferred } from '../lib/deferred.js';
import { lineFramer } from '../lib/line-framer.js';
import { type ControlResponseFrame, type Frame, parseFrame, type ResultFrame } from './frames.js';
import { Tally } from './tally.js';

/** The stream is over: nothing that waits will be answered. The message says why. */
export class StreamEnded extends Error {}

/** A control request was answered with an error. */
export class ControlRefused extends Error {}

export interface ProtocolOptions {
  /** Writes one line, its LF included. Rejects when it cannot be written. */
  write(line: string): Promise<void>;
  /** Every frame, also those outside a turn. */
  onFrame?(frame: Frame): void;
  onOddity(what: string): void;
}

/** One user message and the result it waits for. */
export interface SaidTurn {
  /** Rejects with `StreamEnded` when the stream ends first, or with what the write failed with. */
  readonly result: Promise<ResultFrame>;
  /** From now on a result that names no message is taken for this turn's: an interrupted one may name none. */
  acceptUnnamed(): void;
}

interface Pending extends Deferred<ResultFrame> {
  readonly id: string;
  readonly onFrame: ((frame: Frame) => void) | undefined;
  sawInit: boolean;
  unnamed: boolean;
}

/** One message in flight at a time: then a coalesced or queued message cannot happen. */
export class Protocol {
  readonly tally: Tally;
  readonly #options: ProtocolOptions;
  readonly #framer;
  readonly #controls = new Map<string, Deferred<unknown>>();
  #turn: Pending | undefined;
  #ended: StreamEnded | undefined;
  #requests = 0;

  constructor(options: ProtocolOptions) {
    this.#options = options;
    this.tally = new Tally(options.onOddity);
    this.#framer = lineFramer({
      onLine: (line) => this.#take(line),
      onOverlong: (bytes) => this.tally.note('overlong', `Dropped a line of ${bytes} bytes from Claude Code`),
    });
  }

  /** Bytes of Claude's stdout. */
  push(chunk: Buffer): void {
    this.#framer.push(chunk);
  }

  /** The stream is over. Everything that waits fails at once, with `reason`. */
  end(reason: string): void {
    if (this.#ended) return;
    this.#framer.end();
    this.#ended = new StreamEnded(reason);
    for (const waiting of this.#controls.values()) waiting.reject(this.#ended);
    this.#controls.clear();
    this.#turn?.reject(this.#ended);
    this.#turn = undefined;
  }

  /**
   * Asks, and resolves with the answer's `response`. Rejects with `ControlRefused`, with `DeadlineError` (old
   * versions do not answer what they do not know), or with `StreamEnded`. Costs no model call.
   */
  async control(
    request: { readonly subtype: string; readonly [key: string]: unknown },
    limitMs: number,
  ): Promise<unknown> {
    if (this.#ended) throw this.#ended;
    this.#requests += 1;
    const id = `c${this.#requests}`;
    const waiting = deferred<unknown>();
    this.#controls.set(id, waiting);
    this.#write({ type: 'control_request', request_id: id, request }).catch((error) => waiting.reject(error));
    try {
      return await withDeadline(waiting.promise, limitMs, `Claude Code's answer to ${request.subtype}`);
    } finally {
      this.#controls.delete(id);
    }
  }

  /**
   * Says something and waits for its result.
   * @param id a uuid v4, by which newer versions name the message in their result
   * @param onFrame called with each frame until the result
   */
  say(id: string, prompt: string, onFrame?: (frame: Frame) => void): SaidTurn {
    if (this.#turn) throw new Error('A message is in flight already.');
    const pending: Pending = { ...deferred<ResultFrame>(), id, onFrame, sawInit: false, unnamed: false };
    pending.promise.catch(() => undefined);
    this.#turn = pending;
    if (this.#ended) {
      this.#turn = undefined;
      pending.reject(this.#ended);
    } else {
      const message = { role: 'user', content: prompt };
      this.#write({ type: 'user', message, uuid: id, parent_tool_use_id: null, session_id: '' }).catch(
        (error) => {
          if (this.#turn === pending) this.#turn = undefined;
          pending.reject(error);
        },
      );
    }
    return {
      result: pending.promise,
      acceptUnnamed: () => {
        pending.unnamed = true;
      },
    };
  }

  #write(value: object): Promise<void> {
    return this.#options.write(`${JSON.stringify(value)}\n`);
  }

  #take(line: string): void {
    if (line.trim() === '') return;
    const frame = parseFrame(line);
    if (frame.kind === 'noise') this.tally.note('noise', 'Claude Code printed a line that is no frame');
    if (frame.kind === 'unknown') {
      this.tally.note(`type ${frame.type}`, `Claude Code sent a frame of the unknown type ${frame.type}`);
    }
    this.#options.onFrame?.(frame);
    if (frame.kind === 'control-response') this.#answer(frame.frame);
    else if (frame.kind === 'control-request') this.#decline(frame.requestId);
    else if (frame.kind === 'result') this.#settle(frame.frame, frame);
    else {
      if (frame.kind === 'init' && this.#turn) this.#turn.sawInit = true;
      this.#turn?.onFrame?.(frame);
    }
  }

  #answer({ response }: ControlResponseFrame): void {
    const waiting = this.#controls.get(response.request_id);
    if (!waiting)
      this.tally.note('late answer', 'Claude Code answered a control request that nobody waits for');
    else if (response.subtype === 'success') waiting.resolve(response.response);
    else waiting.reject(new ControlRefused(response.error ?? 'refused without a reason'));
  }

  /** It asks us for nothing we offer; left unanswered, it would wait for ever. */
  #decline(requestId: string): void {
    this.tally.note('asked', 'Claude Code asked the worker for something it does not offer');
    const response = { subtype: 'error', request_id: requestId, error: 'Not supported by this client.' };
    this.#write({ type: 'control_response', response }).catch(() => undefined);
  }

  #settle(result: ResultFrame, frame: Frame): void {
    const turn = this.#turn;
    if (!turn || !owns(turn, result)) {
      this.tally.note('ownerless', 'Ignored a result of Claude Code that belongs to no turn of ours');
      return;
    }
    turn.onFrame?.(frame);
    this.#turn = undefined;
    turn.resolve(result);
  }
}

/**
 * Every turn begins with an init frame, in all versions seen: a result without a name and without one is the late
 * result of something else, and its text is meant for somebody else.
 */
function owns(turn: Pending, result: ResultFrame): boolean {
  const names = [...(result.user_message_uuids ?? []), result.user_message_uuid].filter(Boolean);
  return names.length > 0 ? names.includes(turn.id) : turn.sawInit || turn.unnamed;
}
