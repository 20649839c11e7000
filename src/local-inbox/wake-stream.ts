// The wake stream: server-sent events that say "look", and nothing else.

// A client that does not read is cut off: it comes back, and looks.
const MOST_WAITING_FRAMES = 256;
const KEEPALIVE = ': keepalive\n\n';
// AgentDM's documentation calls the event `wake`, its official client listens to unnamed ones: both are sent. The data
// is one character because an event without data is not dispatched.
const WAKE = 'data: 1\n\nevent: wake\ndata: 1\n\n';

type Listener = {
  alias: string;
  controller: ReadableStreamDefaultController<Uint8Array>;
  timer: NodeJS.Timeout;
};

/** One per inbox. A wake reaches those who listen at that moment; nothing is kept for those who do not. */
export class WakeStream {
  readonly #listeners = new Set<Listener>();
  readonly #encoder = new TextEncoder();
  readonly #keepaliveMs: number;
  #closed = false;

  constructor(keepaliveMs: number) {
    this.#keepaliveMs = keepaliveMs;
  }

  /** The streaming answer for one listener. It begins with a comment, so that the client sees at once that it is open. */
  open(alias: string): Response {
    if (this.#closed) return new Response(null, { status: 503 });
    let listener: Listener | undefined;
    const stream = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          controller.enqueue(this.#encoder.encode(': open\n\n'));
          const opened = {
            alias,
            controller,
            timer: setInterval(() => this.#write(opened, KEEPALIVE), this.#keepaliveMs),
          };
          listener = opened;
          this.#listeners.add(opened);
        },
        cancel: () => {
          if (listener) this.#forget(listener);
        },
      },
      { highWaterMark: MOST_WAITING_FRAMES },
    );
    return new Response(stream, {
      headers: {
        'Content-Type': 'text/event-stream',
        'Cache-Control': 'no-cache, no-transform',
        'X-Accel-Buffering': 'no',
      },
    });
  }

  wake(alias: string): void {
    for (const listener of [...this.#listeners]) {
      if (listener.alias === alias) this.#write(listener, WAKE);
    }
  }

  /** Ends every stream and opens no more. */
  close(): void {
    this.#closed = true;
    for (const listener of [...this.#listeners]) this.#end(listener);
  }

  #write(listener: Listener, frame: string): void {
    if ((listener.controller.desiredSize ?? 0) <= 0) this.#end(listener);
    else listener.controller.enqueue(this.#encoder.encode(frame));
  }

  #end(listener: Listener): void {
    this.#forget(listener);
    listener.controller.close();
  }

  #forget(listener: Listener): void {
    clearInterval(listener.timer);
    this.#listeners.delete(listener);
  }
}
