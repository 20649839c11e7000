// The presets of config/inboxes, each against a small server that speaks its vocabulary as publicly documented.
import { describe, expect, it } from 'vitest';
import { presetNames } from '../../src/config/preset-names.js';
import { readProfileFile } from '../../src/config/profile-file.js';
import { type CustomProfile, parseCustomProfile } from '../../src/inbox/index.js';
import { folderWith } from '../config/folder.js';
import { type FakeTool, startFakeServer, textResult } from './fake-server.js';
import { collector, inboxOf, NOW, never, outgoing } from './helpers.js';

const ENV = {
  AGENT_MAIL_PROJECT: '/example/project',
  AGENT_MAIL_AGENT: 'BlueLake',
  AGENTMAIL_INBOX: 'agent@example.test',
};

async function preset(name: string, env: NodeJS.ProcessEnv = ENV): Promise<CustomProfile> {
  const { value, where } = await readProfileFile({ profile: name, dir: await folderWith() }, env);
  return parseCustomProfile(value, where);
}

type Args = Record<string, unknown>;

/** A server that notes every call, refuses arguments it does not know or misses, and an upstream with the preset. */
async function serverOf(
  name: string,
  tools: Record<string, { takes: string[]; may?: string[]; call(args: Args): unknown }>,
  env?: NodeJS.ProcessEnv,
) {
  const asked: [string, Args][] = [];
  const list: FakeTool[] = Object.entries(tools).map(([tool, { takes, may = [], call }]) => ({
    name: tool,
    call(args) {
      asked.push([tool, args]);
      const missing = takes.filter((argument) => args[argument] === undefined);
      const strange = Object.keys(args).filter((argument) => ![...takes, ...may].includes(argument));
      if (missing.length + strange.length > 0) {
        return textResult(`${tool}: missing ${missing.join()}, unexpected ${strange.join()}`, true);
      }
      return call(args);
    },
  }));
  const server = await startFakeServer({ tools: list });
  const upstream = inboxOf(server, { profile: await preset(name, env) });
  return {
    asked,
    upstream,
    argumentsOf: (tool: string) => asked.filter(([t]) => t === tool).map(([, a]) => a),
  };
}

/** A spool that also tells how many calls the server had heard by then. */
function spoolAfter(asked: readonly unknown[]) {
  const got = collector();
  const heard: number[] = [];
  return {
    got,
    heard,
    spool: async (batch: Parameters<typeof got.spool>[0]) => {
      heard.push(asked.length);
      await got.spool(batch);
    },
  };
}

it.each(presetNames())('%s is a sound description, named like its file', async (name) => {
  expect((await preset(name)).name).toBe(name);
});

describe('mcp-agent-mail', () => {
  const project = ['project_key'];
  /** Newest first, no read state in the items, a list wrapped by FastMCP: as its public source has it. */
  function agentMail(token?: string) {
    const mail = [
      { id: 7, from: 'RedFox', subject: 'Plan', body_md: 'first', created_ts: '2026-11-30T12:00:00+00:00' },
      {
        id: 8,
        from: 'GreenCastle',
        from_address: 'other-repo:GreenCastle',
        subject: 'Hi',
        body_md: 'from elsewhere',
        created_ts: '2026-11-30T12:05:00+00:00',
      },
    ];
    const read: unknown[] = [];
    const tokens = token === undefined ? [] : ['registration_token'];
    const senderTokens = token === undefined ? [] : ['sender_token'];
    const tools = {
      fetch_inbox: {
        takes: [...project, 'agent_name', 'limit', ...tokens],
        may: ['include_bodies', 'since_ts'],
        call({ since_ts, limit, include_bodies }: Args) {
          const result = mail
            .filter(({ created_ts }) => since_ts === undefined || created_ts > String(since_ts))
            .toReversed()
            .slice(0, Number(limit))
            .map(({ body_md, ...item }) => ({ ...item, kind: 'to', ...(include_bodies ? { body_md } : {}) }));
          return { content: [{ type: 'text', text: JSON.stringify(result) }], structuredContent: { result } };
        },
      },
      mark_message_read: {
        takes: [...project, 'agent_name', 'message_id', ...tokens],
        call({ message_id }: Args) {
          read.push(message_id);
          return { message_id, read: true, read_at: '2026-11-30T12:10:00+00:00' };
        },
      },
      send_message: {
        takes: [...project, 'sender_name', 'to', 'subject', 'body_md', ...senderTokens],
        call: () => ({ deliveries: [{ project: '/example/project', payload: { id: 21 } }], count: 1 }),
      },
      reply_message: {
        takes: [...project, 'sender_name', 'message_id', 'body_md', ...senderTokens],
        call: () => ({ id: 22, thread_id: '7', reply_to: 7 }),
      },
    };
    return { mail, read, tools };
  }

  it('is peeked, spooled, marked as read, and asked only for what is newer the next time', async () => {
    const { mail, read, tools } = agentMail();
    const { asked, upstream, argumentsOf } = await serverOf('mcp-agent-mail', tools);
    expect(await upstream.check(never)).toEqual({ kind: 'looked' });
    expect(asked).toHaveLength(1);
    const { got, heard, spool } = spoolAfter(asked);
    expect(await upstream.look(spool, never)).toEqual({ kind: 'looked' });
    expect(got.messages).toMatchObject([
      { id: '7', sender: 'RedFox', conversation: 'RedFox', text: 'first', sentAt: NOW, replyTo: 'RedFox' },
      { id: '8', sender: 'other-repo:GreenCastle', replyTo: 'other-repo:GreenCastle' },
    ]);
    // The probe and the fetch came before, the marks only afterwards.
    expect(heard).toEqual([2]);
    expect(read.toSorted()).toEqual([7, 8]);
    mail.push({ ...mail[0], id: 9, created_ts: '2026-11-30T12:06:00+00:00' } as (typeof mail)[0]);
    await upstream.look(spool, never);
    expect(got.messages.map(({ id }) => id)).toEqual(['7', '8', '9']);
    expect(argumentsOf('fetch_inbox').map(({ since_ts }) => since_ts)).toEqual([
      undefined,
      undefined,
      '2026-11-30T12:05:00+00:00',
    ]);
  });

  it('is answered in the thread, or written to anew', async () => {
    const { tools } = agentMail();
    const { asked, upstream } = await serverOf('mcp-agent-mail', tools);
    expect(await upstream.send(outgoing({ to: 'RedFox', replyToId: '7' }), never)).toEqual({
      kind: 'sent',
      upstreamId: '22',
    });
    expect(await upstream.send(outgoing({ to: 'RedFox' }), never)).toEqual({
      kind: 'sent',
      upstreamId: '21',
    });
    expect(asked.at(-1)?.[1]).toMatchObject({
      sender_name: 'BlueLake',
      to: ['RedFox'],
      subject: 'Message from BlueLake',
    });
  });

  it('gives the registration token to servers that want one', async () => {
    const { tools } = agentMail('t-1');
    const env = { ...ENV, AGENT_MAIL_TOKEN: 't-1' };
    const { asked, upstream } = await serverOf('mcp-agent-mail', tools, env);
    expect(await upstream.look(collector().spool, never)).toEqual({ kind: 'looked' });
    expect(await upstream.send(outgoing({ replyToId: '7' }), never)).toMatchObject({ kind: 'sent' });
    expect(await upstream.send(outgoing(), never)).toMatchObject({ kind: 'sent' });
    expect(asked.map(([, args]) => args.registration_token ?? args.sender_token)).toEqual(
      Array(asked.length).fill('t-1'),
    );
  });
});

describe('agentmail', () => {
  const inbox = ['inboxId'];
  interface Mail {
    threadId: string;
    messageId: string;
    timestamp: string;
    from: string;
    labels: string[];
    text: string;
    extractedText?: string;
  }
  function mailService() {
    const base = { threadId: 't1', timestamp: new Date(NOW).toISOString() };
    const messages: Mail[] = [
      { ...base, messageId: 'm1', from: 'agent@example.test', labels: ['sent'], text: 'our own' },
      {
        ...base,
        messageId: 'm2',
        from: 'Alice <alice@example.test>',
        labels: ['unread'],
        text: 'and > quoted',
        extractedText: 'and',
      },
      {
        ...base,
        threadId: 't2',
        messageId: 'm3',
        from: 'bob@example.test',
        labels: ['unread'],
        text: 'hello',
      },
    ];
    const tools = {
      list_messages: {
        takes: [...inbox, 'labels', 'limit'],
        may: ['ascending'],
        call({ labels, limit }: Args) {
          const wanted = messages.filter((message) =>
            message.labels.includes(String((labels as string[])[0])),
          );
          const page = wanted.slice(0, Number(limit)).map(({ text, extractedText, ...item }) => item);
          return { count: page.length, limit, messages: page };
        },
      },
      get_thread: {
        takes: [...inbox, 'threadId'],
        call: ({ threadId }: Args) => ({
          threadId,
          messageCount: 2,
          messages: messages.filter((message) => message.threadId === threadId),
        }),
      },
      update_message: {
        takes: [...inbox, 'messageId', 'removeLabels'],
        call({ messageId, removeLabels }: Args) {
          const message = messages.find((candidate) => candidate.messageId === messageId);
          if (!message) return textResult('no such message', true);
          message.labels = message.labels.filter((label) => !(removeLabels as string[]).includes(label));
          return { messageId, labels: message.labels };
        },
      },
      send_message: {
        takes: [...inbox, 'to', 'subject', 'text'],
        call: () => ({ messageId: 'm8', threadId: 't8' }),
      },
      reply_to_message: {
        takes: [...inbox, 'messageId', 'text'],
        call: () => ({ messageId: 'm9', threadId: 't1' }),
      },
    };
    return { messages, tools };
  }

  it('is listed, each unread message opened, spooled, and only then no longer unread', async () => {
    const { messages, tools } = mailService();
    const { asked, upstream, argumentsOf } = await serverOf('agentmail', tools);
    expect(await upstream.check(never)).toEqual({ kind: 'looked' });
    const unreadWhenSpooled: string[][] = [];
    const got = collector();
    expect(
      await upstream.look(async (batch) => {
        unreadWhenSpooled.push(
          messages.filter(({ labels }) => labels.includes('unread')).map((m) => m.messageId),
        );
        await got.spool(batch);
      }, never),
    ).toEqual({ kind: 'looked' });
    expect(got.messages).toMatchObject([
      { id: 'm2', conversation: 't1', sender: 'Alice <alice@example.test>', text: 'and', sentAt: NOW },
      { id: 'm3', conversation: 't2', sender: 'bob@example.test', text: 'hello' },
    ]);
    expect(unreadWhenSpooled).toEqual([['m2', 'm3'], ['m3']]);
    expect(messages.filter(({ labels }) => labels.includes('unread'))).toEqual([]);
    expect(argumentsOf('update_message')).toHaveLength(2);
    const before = asked.length;
    await upstream.look(got.spool, never);
    expect(asked.slice(before).map(([tool]) => tool)).toEqual(['list_messages']);
    expect(got.messages).toHaveLength(2);
  });

  it('is answered in the thread, or written to anew', async () => {
    const { tools } = mailService();
    const { asked, upstream } = await serverOf('agentmail', tools);
    expect(await upstream.send(outgoing({ replyToId: 'm2' }), never)).toEqual({
      kind: 'sent',
      upstreamId: 'm9',
    });
    expect(await upstream.send(outgoing({ to: 'bob@example.test' }), never)).toEqual({
      kind: 'sent',
      upstreamId: 'm8',
    });
    expect(asked.at(-1)?.[1]).toMatchObject({ inboxId: 'agent@example.test', to: ['bob@example.test'] });
  });
});

describe('queue', () => {
  function queue() {
    const waiting = ['a', 'b'].map((payload, index) => ({
      receipt: `r${index}`,
      task: { id: index, payload, enqueued_at: NOW },
    }));
    const acknowledged: unknown[] = [];
    const tools = {
      queue_peek: { takes: ['queue'], call: () => ({ size: waiting.length }) },
      queue_pop: { takes: ['queue'], call: () => waiting.shift() ?? 'Queue is empty.' },
      queue_ack: {
        takes: ['queue', 'receipt'],
        call({ receipt }: Args) {
          acknowledged.push(receipt);
          return { acknowledged: true };
        },
      },
    };
    return { waiting, acknowledged, tools };
  }

  it('is peeked at the start, popped until empty, each task spooled before its receipt goes back', async () => {
    const { waiting, acknowledged, tools } = queue();
    const { asked, upstream } = await serverOf('queue', tools, { QUEUE_NAME: 'tasks' });
    expect(await upstream.check(never)).toEqual({ kind: 'looked' });
    expect(waiting).toHaveLength(2);
    const seen: unknown[] = [];
    await upstream.look(async (batch) => {
      seen.push([batch.map(({ id, sender, text }) => [id, sender, text]), [...acknowledged]]);
    }, never);
    expect(seen).toEqual([
      [[['0', '@queue', 'a']], []],
      [[['1', '@queue', 'b']], ['r0']],
    ]);
    expect(acknowledged).toEqual(['r0', 'r1']);
    expect(new Set(asked.map(([, { queue: name }]) => name))).toEqual(new Set(['tasks']));
  });

  it('has nobody to answer to: a send is refused in a sentence', async () => {
    const { tools } = queue();
    const { upstream } = await serverOf('queue', tools);
    expect(await upstream.send(outgoing(), never)).toEqual({
      kind: 'refused',
      message: 'The inbox profile queue describes no way to send.',
    });
  });

  it('with an answer that nobody knows is unrecognised, never empty', async () => {
    const { tools } = queue();
    const { upstream } = await serverOf('queue', {
      ...tools,
      queue_pop: { takes: ['queue'], call: () => ({ job: null }) },
    });
    expect(await upstream.look(collector().spool, never)).toMatchObject({
      kind: 'unrecognised',
      message: expect.stringContaining('lacks'),
    });
  });
});
