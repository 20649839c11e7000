// Asks questions on a terminal, one after the other; an answer that does not fit is asked for again.
import { createInterface } from 'node:readline/promises';
import { WorkerError } from '../domain/errors.js';

export interface Question {
  readonly text: string;
  /** Taken for an empty answer. */
  readonly fallback: string;
  /** What to write instead, or undefined where the answer is sound. */
  fault(answer: string): string | undefined;
}

/** One `ask` for each question. */
export interface Asker {
  ask(question: Question): Promise<string>;
  close(): void;
}

/** Rejects with WorkerError `usage` when the questions are broken off: Ctrl-C, Ctrl-D. */
export function terminalAsker(input: NodeJS.ReadableStream, output: NodeJS.WritableStream): Asker {
  const terminal = createInterface({ input, output });
  // From the start, so that what is typed or pasted ahead answers the questions that follow.
  const lines = terminal[Symbol.asyncIterator]();
  // Left alone, a question whose terminal has gone would never be answered.
  terminal.on('SIGINT', () => terminal.close());
  return {
    async ask({ text, fallback, fault }) {
      for (;;) {
        const said = await line(`${text} [${fallback}] `);
        const answer = said.trim() === '' ? fallback : said.trim();
        const wrong = fault(answer);
        if (wrong === undefined) return answer;
        output.write(`  Write ${wrong}.\n`);
      }
    },
    close: () => terminal.close(),
  };

  async function line(prompt: string): Promise<string> {
    // By its own line editor, else the prompt is gone after a backspace; only what follows the last line end is one.
    const lastLine = prompt.lastIndexOf('\n') + 1;
    output.write(prompt.slice(0, lastLine));
    terminal.setPrompt(prompt.slice(lastLine));
    if (!closed(terminal)) terminal.prompt();
    const next = await lines.next();
    if (!next.done) return next.value;
    throw new WorkerError('usage', 'The questions were broken off; nothing was written.', {
      hint: 'Run it again, or answer by flags: see --help.',
    });
  }
}

/** Asking for a prompt then would throw, though lines may still be waiting. */
const closed = (terminal: object): boolean => 'closed' in terminal && terminal.closed === true;
