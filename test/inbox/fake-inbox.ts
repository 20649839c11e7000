// A remote inbox in memory, offered as any of the three vocabularies: the rigs of the conformance suite.
import type { UpstreamRig } from '../conformance/upstream.js';
import { type FakeTool, startFakeServer, textResult } from './fake-server.js';
import { callsIn, inboxOf, roundTrips } from './helpers.js';

export type Vocabulary = 'dms with ack' | 'dms' | 'agentdm';

const PAGE = 2;

interface Stored {
  readonly id: string;
  readonly from: string;
  readonly text: string;
}

export async function fakeInboxRig(vocabulary: Vocabulary): Promise<UpstreamRig> {
  let unread: Stored[] = [];
  let count = 0;
  let failIn: number | undefined;
  let how: Parameters<UpstreamRig['onSend']>[0] = 'take';
  const sent: { to: string; text: string }[] = [];
  const answered = new Map<unknown, string>();
  const acknowledges = vocabulary === 'dms with ack';

  const refusal = (code: string) => textResult({ error: { code, message: `no: ${code}` } }, true);
  const take = (ids: readonly string[]) => {
    unread = unread.filter(({ id }) => !ids.includes(id));
  };

  function send(args: Record<string, unknown>): unknown {
    if (how === 'refuse') return refusal('alias_not_found');
    if (how === 'limit') return refusal('rate_limit_exceeded');
    if (how === 'unauthorised') return refusal('invalid_api_key');
    const known = args.idempotency_key === undefined ? undefined : answered.get(args.idempotency_key);
    const id = known ?? `s${sent.length}`;
    if (known === undefined) sent.push({ to: String(args.to), text: String(args.message) });
    answered.set(args.idempotency_key, id);
    return { message_id: id };
  }

  const schema = (...names: string[]) => ({
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, {}])),
  });

  const agentdm: FakeTool[] = [
    {
      name: 'read_messages',
      inputSchema: schema(),
      call() {
        const page = unread.slice(0, PAGE);
        take(page.map(({ id }) => id));
        if (page.length === 0) return 'No new messages.';
        const messages = page.map(({ id, from, text }) => ({
          message_id: id,
          channel: 'direct',
          user: from,
          type: 'agent',
          message: text,
          reply_to: from,
        }));
        return { messages, has_more: unread.length > 0 };
      },
    },
    { name: 'send_message', inputSchema: schema('to', 'message', 'reply_to_message_id'), call: send },
  ];

  const dms: FakeTool[] = [
    {
      name: 'list_dms',
      inputSchema: schema(),
      call: () => ({
        dms: ['@alice', '@bob', '@carol'].map((name) => ({
          with: name,
          unread: unread.filter(({ from }) => from === name).length,
          last_at: '2026-11-30T12:00:00.000Z',
        })),
      }),
    },
    {
      name: 'read_dm',
      inputSchema: acknowledges ? schema('with', 'mark_read') : schema('with'),
      call(args) {
        const all = unread.filter(({ from }) => from === args.with);
        const page = all.slice(0, PAGE);
        if (args.mark_read !== false) take(page.map(({ id }) => id));
        return {
          messages: page.map(({ id, from, text }) => ({ id, from, text, at: '2026-11-30T12:00:00.000Z' })),
          ...(all.length > PAGE && { has_more: true }),
        };
      },
    },
    {
      name: 'send_dm',
      inputSchema: acknowledges ? schema('to', 'message', 'idempotency_key') : schema('to', 'message'),
      call: send,
    },
    ...(acknowledges
      ? [
          {
            name: 'ack_dm',
            inputSchema: schema('ids'),
            call(args: Record<string, unknown>) {
              take(args.ids as string[]);
              return { acknowledged: args.ids };
            },
          },
        ]
      : []),
  ];

  const server = await startFakeServer({ tools: vocabulary === 'agentdm' ? agentdm : dms });
  server.intercept = (rpc, response) => {
    const tool = rpc.method === 'tools/call' ? rpc.params?.name : undefined;
    if (tool === 'read_messages' || tool === 'read_dm') {
      if (failIn === 0) {
        failIn = undefined;
        response.writeHead(500).end();
        return true;
      }
      if (failIn !== undefined) failIn -= 1;
    }
    if ((tool === 'send_dm' || tool === 'send_message') && how === 'cut') {
      send((rpc.params?.arguments ?? {}) as Record<string, unknown>);
      response.destroy();
      return true;
    }
    return false;
  };

  return {
    upstream: inboxOf(server),
    acknowledges,
    deliver(from, text) {
      count += 1;
      unread.push({ id: `m${count}`, from, text });
      return `m${count}`;
    },
    unread: () => unread.map(({ id }) => id),
    calls: () => callsIn(server).length,
    failReadOfPage(n) {
      failIn = n;
    },
    forgetSessions: () => server.sessions.clear(),
    onSend(next) {
      how = next;
    },
    sent: () => sent,
    arrived: () => roundTrips(server.url),
  };
}
