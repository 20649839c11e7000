// What the tests of the wake sources share: recorders, signers, and raw sockets.
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Deliveries } from '../../src/ports/deliveries.js';
import type { Observer, WorkerEvent } from '../../src/ports/observer.js';

export const KEY = Buffer.from('0123456789abcdef0123456789abcdef');
export const SECRET = `whsec_${KEY.toString('base64')}`;
/** 2026-11-30T12:00:00Z. */
export const NOW = Date.UTC(2026, 10, 30, 12);

export class Notices implements Observer {
  readonly texts: string[] = [];
  on(event: WorkerEvent): void {
    if (event.type === 'notice') this.texts.push(`${event.level}: ${event.text}`);
  }

  /** All but the line that tells where webhooks are taken. */
  get troubles(): string[] {
    return this.texts.filter((text) => !text.startsWith('info: Webhooks are taken at '));
  }
}

export class MemoryDeliveries implements Deliveries {
  readonly seen = new Map<string, number>();
  /** What `remember` waits for. */
  gate: Promise<void> = Promise.resolve();
  failure: Error | undefined;

  async remember(id: string, at: number): Promise<boolean> {
    await this.gate;
    if (this.failure) throw this.failure;
    const fresh = !this.seen.has(id);
    this.seen.set(id, at);
    return fresh;
  }
}

/** A Standard Webhooks signature, written out by hand. */
export function signature(id: string, timestamp: string, body: string | Buffer, key: Buffer = KEY): string {
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`;
}

export function signed(
  body: string | Buffer,
  options: { id?: string; at?: number; prefix?: string; key?: Buffer } = {},
): Record<string, string> {
  const { id = 'msg_1', at = NOW, prefix = 'webhook', key = KEY } = options;
  const timestamp = String(Math.floor(at / 1000));
  return {
    [`${prefix}-id`]: id,
    [`${prefix}-timestamp`]: timestamp,
    [`${prefix}-signature`]: signature(id, timestamp, body, key),
  };
}

export function hubSignature(body: string | Buffer, key: string): string {
  return `sha256=${createHmac('sha256', key).update(body).digest('hex')}`;
}

/** Writes `text` to the port and resolves with all that came back when the server has closed the connection. */
export async function rawHttp(port: number, text: string | Buffer): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  const closed = closeOf(socket);
  let answer = '';
  socket.setEncoding('latin1');
  socket.on('data', (chunk) => {
    answer += chunk;
  });
  await once(socket, 'connect');
  socket.write(text);
  await closed;
  return answer;
}

/** Resolves when the socket is closed, also by a reset: that may follow the answer. */
export function closeOf(socket: Socket): Promise<void> {
  socket.on('error', () => {});
  return new Promise((resolve) => socket.once('close', () => resolve()));
}

export const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]);
