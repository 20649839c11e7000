// Tells whoever listens what a running turn is doing.
import type { TurnRequest } from '../ports/agent.js';
import type { Frame } from './frames.js';
import type { CallCounter } from './usage.js';

export class ProgressTeller {
  readonly #request: Pick<TurnRequest, 'onProgress'>;
  readonly #counter: CallCounter;
  #sessionId: string | undefined;
  #tool: string | undefined;

  constructor(request: Pick<TurnRequest, 'onProgress'>, counter: CallCounter) {
    this.#request = request;
    this.#counter = counter;
  }

  /** The tool that runs now, if one does. */
  get tool(): string | undefined {
    return this.#tool;
  }

  take(frame: Frame): void {
    if (frame.kind === 'assistant') {
      this.#tool =
        frame.frame.message.content?.findLast((block) => block.type === 'tool_use')?.name ?? this.#tool;
    }
    // Tool results come back as a user message.
    if (frame.kind === 'user' || frame.kind === 'result') this.#tool = undefined;
    this.#tell();
  }

  /** The session's record holds the prompt: resumed, it would remember it. */
  holds(sessionId: string): void {
    this.#sessionId = sessionId;
    this.#tell();
  }

  #tell(): void {
    this.#request.onProgress?.({
      sessionId: this.#sessionId,
      tool: this.#tool,
      outputTokens: this.#counter.outputTokens,
    });
  }
}
