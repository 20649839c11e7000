// The scripted Messages API: one HTTP server on loopback that plays Anthropic's for the real Claude Code.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { defaultScript } from './default-script.js';
import { FaultQueue } from './faults.js';
import { type Hold, Holds } from './holds.js';
import { kindOf } from './kind.js';
import { estimateTokens } from './message.js';
import { answerMessages } from './messages-route.js';
import { type CallListener, type RecordedCall, Recorder } from './recorder.js';
import { isMessagesRequest, parseJson } from './request.js';
import { sendError, sendJson } from './respond.js';
import type { Script } from './script.js';

export interface ScriptedApiOptions {
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Default 0: any free port. */
  readonly port?: number;
  /** Default: `defaultScript`. */
  readonly script?: Script;
  /** The model the answers name. Default: the one asked for, so that Claude Code knows its price. */
  readonly model?: string;
  /** How many calls are remembered whole. Default 1000. */
  readonly keep?: number;
}

export interface ScriptedApi {
  /** What goes into ANTHROPIC_BASE_URL. */
  readonly url: string;
  readonly port: number;
  /** Faults for the next calls of kind `turn`. */
  readonly faults: FaultQueue;
  /** The latest calls of every kind, oldest first, at most `keep`. */
  calls(): readonly RecordedCall[];
  /** How many calls there were since the start or the last reset. */
  readonly total: number;
  /** Calls `listener` as each call arrives, before it is answered. Returns the function that ends this. */
  onCall(listener: CallListener): () => void;
  /** Replaces the script, from the next call on. */
  setScript(script: Script): void;
  /** Holds the next call of kind `turn` (that `match` accepts) before it is answered. */
  hold(match?: (call: RecordedCall) => boolean): Hold;
  /** Lets all held and hanging calls go on. */
  release(): void;
  /** Back to the start: no calls, no faults, nothing held, the first script. Listeners stay. */
  reset(): void;
  /** Ends every open call and the server. May be repeated. */
  close(): Promise<void>;
}

/** Resolves when the server listens; rejects when the address cannot be had. */
export async function startScriptedApi(options: ScriptedApiOptions = {}): Promise<ScriptedApi> {
  const { host = '127.0.0.1', port = 0, script: firstScript = defaultScript, keep = 1000 } = options;
  const recorder = new Recorder(keep);
  const faults = new FaultQueue();
  const holds = new Holds();
  let script = firstScript;
  const route = { holds, faults, script: () => script, model: options.model };

  const handle = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const gone = new AbortController();
    response.on('close', () => gone.abort());
    const bytes = await readBody(incoming);
    const body = parseJson(bytes.toString('utf8'));
    const { method = '', url: path = '' } = incoming;
    const kind = kindOf(method, path, body);
    const call = recorder.record({
      method,
      path,
      kind,
      model: modelOf(body),
      session: headerOf(incoming, 'x-claude-code-session-id'),
      bytes: bytes.length,
      body,
    });
    try {
      if (kind === 'count') sendJson(response, 200, { input_tokens: estimateTokens(bytes.length) });
      else if (kind === 'probe') response.end();
      else if (kind === 'unknown') sendError(response, { fault: '404' });
      else if (!isMessagesRequest(body)) sendError(response, { fault: '400' });
      else await answerMessages(route, { call, request: body, response, signal: gone.signal });
      call.status ??= response.statusCode;
      call.outcome = call.fault === undefined ? 'answered' : 'fault';
    } catch (error) {
      if (!gone.signal.aborted) throw error;
      call.outcome = 'abandoned';
    }
  };

  const server = createServer((incoming, response) => {
    handle(incoming, response).catch((error) => {
      // The caller went away while it still sent, or a listener threw: in the second case it must be seen.
      if (incoming.complete && !response.headersSent)
        sendError(response, { fault: '400', message: String(error) });
      else response.destroy();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const address = server.address() as AddressInfo;
  let closing: Promise<void> | undefined;

  return {
    url: `http://${host}:${address.port}`,
    port: address.port,
    faults,
    calls: () => recorder.calls(),
    get total() {
      return recorder.total;
    },
    onCall: (listener) => recorder.onCall(listener),
    setScript: (next) => {
      script = next;
    },
    hold: (match) => holds.hold(match),
    release: () => holds.releaseAll(),
    reset: () => {
      holds.releaseAll();
      faults.clear();
      recorder.reset();
      script = firstScript;
    },
    close: () => {
      closing ??= new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
      return closing;
    },
  };
}

function modelOf(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null || !('model' in body)) return undefined;
  return typeof body.model === 'string' ? body.model : undefined;
}

function headerOf(incoming: IncomingMessage, name: string): string | undefined {
  const value = incoming.headers[name];
  return typeof value === 'string' ? value : undefined;
}

async function readBody(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  return Buffer.concat(chunks);
}
