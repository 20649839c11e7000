// A bridge between streams of the test and a small server: lines in, answers out.
import { PassThrough } from 'node:stream';
import { onTestFinished } from 'vitest';
import { type BridgeOptions, runBridge } from '../../src/bridge/index.js';
import { lineFramer } from '../../src/lib/line-framer.js';
import { Feed } from '../support/agent-lab.js';

export const KEY = 'agentdm_feedc0ffee';

export interface Answer {
  readonly id?: number;
  readonly method?: string;
  readonly result?: Record<string, unknown>;
  readonly error?: { code: number; message: string; data?: unknown };
}

export interface Rig {
  readonly answers: Feed<Answer>;
  /** Everything on the output, as it came. */
  readonly lines: string[];
  readonly log: string[];
  readonly input: PassThrough;
  /** Sends a request and waits for its answer. */
  ask(method: string, params?: object): Promise<Answer>;
  call(name: string, args?: object): Promise<Answer>;
  /** Sends without waiting; the id of the request. */
  send(method: string, params?: object): number;
  notify(method: string, params?: object): void;
  /** Ends the input and waits for the bridge. */
  end(): Promise<void>;
  readonly ended: Promise<void>;
}

/** Starts a bridge and greets it as a client does. */
export async function startRig(url: string, options: Partial<BridgeOptions> = {}): Promise<Rig> {
  const input = new PassThrough();
  const output = new PassThrough();
  const answers = new Feed<Answer>();
  const lines: string[] = [];
  const log: string[] = [];
  const framer = lineFramer({
    onLine(line) {
      lines.push(line);
      answers.add(JSON.parse(line));
    },
  });
  output.on('data', (chunk: Buffer) => framer.push(chunk));
  const ended = runBridge({
    find: async () => ({ url, headers: { Authorization: `Bearer ${KEY}` } }),
    version: '1',
    input,
    output,
    log: (line) => log.push(line),
    ...options,
  });
  onTestFinished(async () => {
    input.end();
    await ended;
  });

  let count = 0;
  const write = (message: object): void => {
    input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  };
  const send = (method: string, params: object = {}): number => {
    count += 1;
    write({ id: count, method, params });
    return count;
  };
  const ask = (method: string, params?: object): Promise<Answer> => {
    const id = send(method, params);
    return answers.first((answer) => answer.id === id, `an answer to ${method}`);
  };
  await ask('initialize', {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  });
  write({ method: 'notifications/initialized' });
  return {
    answers,
    lines,
    log,
    input,
    ask,
    send,
    call: (name, args = {}) => ask('tools/call', { name, arguments: args }),
    notify: (method, params = {}) => write({ method, params }),
    async end() {
      input.end();
      await ended;
    },
    ended,
  };
}
