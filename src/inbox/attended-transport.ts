// Between a transport and the SDK's client: every request ends when its answer can no longer come.
import {
  isJSONRPCErrorResponse,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type MessageExtraInfo,
  type Transport,
  type TransportSendOptions,
} from '@modelcontextprotocol/client';
import { conceal } from './raw-result.js';
import { currentExchange, type Exchange } from './wire.js';

/** Read by nobody: the exchange says what happened. */
const UNANSWERED = { code: -32_000, message: 'The stream ended without an answer' };

/**
 * The SDK's client waits for its time limit when a stream ends without the answer, or when a request is only
 * "accepted" (202); its transport knows better, and tells `subscriptions/listen` alone. So it is told here, by an
 * answer of ours, once the transport has given up resuming the stream.
 */
export class AttendedTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage, extra?: MessageExtraInfo) => void;
  readonly #inner: Transport;
  /** The method of each request that waits for its answer. */
  readonly #waiting = new Map<string, string>();

  constructor(inner: Transport) {
    this.#inner = inner;
    inner.onclose = () => this.onclose?.();
    inner.onerror = (error) => this.onerror?.(error);
    inner.onmessage = (message, extra) => this.#deliver(message, extra);
  }

  get sessionId(): string | undefined {
    return this.#inner.sessionId;
  }

  get hasPerRequestStream(): boolean {
    return this.#inner.hasPerRequestStream === true;
  }

  setProtocolVersion(version: string): void {
    this.#inner.setProtocolVersion?.(version);
  }

  start(): Promise<void> {
    return this.#inner.start();
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    // A subscription watches over its stream itself.
    if (!isJSONRPCRequest(message) || options?.onRequestStreamEnd) return this.#inner.send(message, options);
    const { id, method } = message;
    const exchange = currentExchange();
    this.#waiting.set(String(id), method);
    try {
      const onRequestStreamEnd = () => this.#giveUp(id, exchange);
      await this.#inner.send(message, { ...options, onRequestStreamEnd });
    } catch (error) {
      this.#waiting.delete(String(id));
      throw error;
    }
    if (exchange?.status === 202) this.#giveUp(id, exchange);
  }

  #deliver(message: JSONRPCMessage, extra: MessageExtraInfo | undefined): void {
    if (isJSONRPCErrorResponse(message)) this.#waiting.delete(String(message.id));
    if (!isJSONRPCResultResponse(message)) {
      this.onmessage?.(message, extra);
      return;
    }
    const key = String(message.id);
    const result = conceal(this.#waiting.get(key), message.result);
    this.#waiting.delete(key);
    this.onmessage?.({ ...message, result }, extra);
  }

  #giveUp(id: string | number, exchange: Exchange | undefined): void {
    if (!this.#waiting.delete(String(id))) return;
    if (exchange) exchange.unanswered = true;
    this.onmessage?.({ jsonrpc: '2.0', id, error: UNANSWERED });
  }
}
