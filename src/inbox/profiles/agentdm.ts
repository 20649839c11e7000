// The documented AgentDM vocabulary: `read_messages`, which moves the server's cursor, and `send_message`.
import { sameName } from '../../domain/addressing.js';
import type { OutgoingMessage } from '../../ports/upstream.js';
import { lacks, type ReadItem, readBatch } from '../batch.js';
import type { Tool } from '../call.js';
import { draftOf } from '../draft.js';
import type { Fields } from '../fields.js';
import { argument } from '../schema-arguments.js';
import { hear, LOOKED, type Profile, type ProfileIo, type Spool, unrecognised } from './profile.js';
import { isSalvagedId, salvagedId } from './salvage.js';
import { sentOutcome } from './sent.js';

const READ = 'read_messages';
const SEND = 'send_message';
export const AGENTDM_TOOLS = [READ, SEND];
export const AGENTDM_ARGUMENTS: Readonly<Record<string, readonly string[]>> = {
  [READ]: [],
  [SEND]: ['to', 'message', 'reply_to_message_id'],
};

/** Each changes nothing: `read_messages` would consume. */
const PROBES = ['list_channels', 'list_skills', 'list_agents'];
const MAX_CHARS = 10_000;
/** 10,000 messages at 50 a call. Whatever is beyond waits for the next look. */
const MAX_CALLS = 200;
const SYSTEM = '@system';
const DIRECT = ['direct', 'dm'];

/** From AgentDM's public documentation; not tried against the live service. */
export function agentdmProfile(tools: readonly Tool[]): Profile {
  const sendTool = tools.find((tool) => tool.name === SEND) ?? { name: SEND };
  const replyArgument = argument(sendTool, ['reply_to_message_id']);
  const probeTool = PROBES.find((name) => tools.some((tool) => tool.name === name));

  return {
    name: 'agentdm',
    maxChars: MAX_CHARS,
    idempotent: false,

    async probe(io) {
      // Without a tool that changes nothing, the tools/list that was answered has to do.
      if (probeTool === undefined) return LOOKED;
      const heard = await hear(io, 'peek', probeTool, {});
      return heard.kind === 'trouble' ? heard.outcome : LOOKED;
    },

    look,

    async send(io, message: OutgoingMessage) {
      const { to, text, replyToId } = message;
      const reply =
        replyArgument !== undefined && replyToId !== undefined && !isSalvagedId(replyToId)
          ? { [replyArgument]: replyToId }
          : {};
      return sentOutcome(await io.ask('send', SEND, { to, message: text, ...reply }), SEND, io);
    },
  };
}

/** Drains: each batch is on our disk before the call that asks for the next. */
async function look(io: ProfileIo, spool: Spool) {
  const seen = new Set<string>();
  for (let call = 0; call < MAX_CALLS; call += 1) {
    const heard = await hear(io, 'take', READ, {});
    if (heard.kind === 'trouble') return heard.outcome;
    const at = io.now();
    const batch = readBatch(
      heard.answer,
      { tool: READ, item: (fields, index) => readItem(fields, { at, index: seen.size + index }, io) },
      io.scrub,
    );
    if (batch.kind === 'unreadable') return unrecognised([batch.why]);
    if (batch.messages.length > 0) await spool(batch.messages);
    // More of the same would be consumed and lost: stop, loudly.
    if (batch.faults.length > 0) return unrecognised(batch.faults);
    const isNew = batch.messages.some((message) => !seen.has(message.id));
    if (!isNew || batch.more === false) return LOOKED;
    for (const message of batch.messages) seen.add(message.id);
  }
  io.notice(`${READ} had still more after ${MAX_CALLS} calls; the next look goes on.`);
  return LOOKED;
}

function readItem(fields: Fields, place: { at: number; index: number }, io: ProfileIo): ReadItem {
  const draft = draftOf(fields);
  const sender = nameOf(draft.sender ?? (draft.isSystem ? SYSTEM : undefined), io);
  const { text, replyTo } = draft;
  if (sender === undefined || text === undefined) {
    const missing = [...(sender === undefined ? ['user'] : []), ...(text === undefined ? ['message'] : [])];
    return { fault: lacks(READ, missing, fields, io.scrub) };
  }
  const channel = draft.channel ?? replyTo;
  const missing = [
    ...(draft.id === undefined ? ['message_id'] : []),
    ...(channel === undefined ? ['channel'] : []),
  ];
  return {
    message: {
      id: draft.id ?? salvagedId({ sender, text, ...place }),
      conversation: conversationOf(channel, sender),
      sender,
      text,
      replyTo,
      sentAt: draft.sentAt,
      kind: draft.isSystem ? 'system' : 'agent',
    },
    fault: missing.length === 0 ? undefined : lacks(READ, missing, fields, io.scrub),
  };
}

/** AgentDM writes aliases with `@`. Our own name is written as we know it, so that it is recognised as ours. */
function nameOf(name: string | undefined, io: ProfileIo): string | undefined {
  if (name === undefined) return undefined;
  if (io.ownName !== undefined && sameName(name, io.ownName)) return io.ownName;
  return /^[@#]/.test(name) ? name : `@${name}`;
}

function conversationOf(channel: string | undefined, sender: string): string {
  if (channel === undefined || channel.startsWith('@') || DIRECT.includes(channel.toLowerCase()))
    return sender;
  return channel.startsWith('#') ? channel : `#${channel}`;
}
