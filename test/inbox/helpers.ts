// What the tests of the inbox room share: a clock, a connected inbox, spools, tools of both vocabularies.
import { request } from 'node:http';
import { onTestFinished } from 'vitest';
import type { IncomingMessage } from '../../src/domain/message.js';
import { connectInbox, type InboxOptions } from '../../src/inbox/index.js';
import type { Clock } from '../../src/ports/clock.js';
import type { Upstream } from '../../src/ports/upstream.js';
import type { FakeServer, FakeTool } from './fake-server.js';

export const NOW = Date.parse('2026-11-30T12:00:00.000Z');

export const clock: Clock = { now: () => NOW, sleepUntil: async () => {} };

export const never = new AbortController().signal;

export function inboxOf(server: { url: string }, options: Partial<InboxOptions> = {}): Upstream {
  const upstream = connectInbox({
    server: { type: 'http', url: server.url, headers: { Authorization: 'Bearer agentdm_feedc0ffee' } },
    clock,
    callTimeoutMs: 5_000,
    ...options,
  });
  onTestFinished(() => upstream.close());
  return upstream;
}

/** A spool that keeps everything. */
export function collector() {
  const batches: IncomingMessage[][] = [];
  return {
    batches,
    get messages(): IncomingMessage[] {
      return batches.flat();
    },
    spool: async (batch: readonly IncomingMessage[]): Promise<void> => {
      batches.push([...batch]);
    },
  };
}

export const outgoing = (change: Partial<Parameters<Upstream['send']>[0]> = {}) => ({
  to: '@alice',
  text: 'hi',
  replyToId: undefined,
  idempotencyKey: 'claim/@alice/reply/0/0',
  ...change,
});

const schema = (...names: string[]) => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, {}])),
});

/** The AgentDM tools; `read_messages` gives the answers in order, then "No new messages.". */
export function agentdmTools(
  answers: unknown[],
  send: (args: Record<string, unknown>) => unknown = () => ({ message_id: 's1' }),
) {
  const tools: FakeTool[] = [
    { name: 'read_messages', inputSchema: schema(), call: () => answers.shift() ?? 'No new messages.' },
    { name: 'send_message', inputSchema: schema('to', 'message', 'reply_to_message_id'), call: send },
    { name: 'list_channels', inputSchema: schema(), call: () => ({ channels: [] }) },
  ];
  return tools;
}

/** The dms tools with an acknowledgement, as plain functions. */
export function dmsTools(parts: {
  list: (args: Record<string, unknown>) => unknown;
  read: (args: Record<string, unknown>) => unknown;
  ack?: (args: Record<string, unknown>) => unknown;
  send?: (args: Record<string, unknown>) => unknown;
  sendArguments?: string[];
}): FakeTool[] {
  const { ack, sendArguments = ['to', 'message', 'reply_to', 'idempotency_key'] } = parts;
  return [
    { name: 'list_dms', inputSchema: schema(), call: parts.list },
    { name: 'read_dm', inputSchema: schema('with', ...(ack ? ['mark_read'] : [])), call: parts.read },
    {
      name: 'send_dm',
      inputSchema: schema(...sendArguments),
      call: parts.send ?? (() => ({ message_id: 's1' })),
    },
    ...(ack ? [{ name: 'ack_dm', inputSchema: schema('ids'), call: ack }] : []),
  ];
}

export const callsIn = (server: FakeServer): string[] =>
  server.log.filter((line) => line.startsWith('call '));

/**
 * Asks the server a few times over connections of our own. What was sent to it before the first is there by the last:
 * that nothing comes cannot be awaited, but that it would have come can.
 */
export async function roundTrips(url: string): Promise<void> {
  for (let trip = 0; trip < 3; trip += 1) {
    const { port, pathname } = new URL(url);
    const options = { host: '127.0.0.1', port, path: pathname, method: 'OPTIONS', agent: false };
    await new Promise<void>((resolve, reject) => {
      const asked = request(options, (response) => response.resume().once('end', resolve));
      asked.once('error', reject).end();
    });
  }
}
