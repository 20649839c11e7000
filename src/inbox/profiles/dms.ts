// The `dms` vocabulary: `list_dms` with unread counts, `read_dm`, `send_dm`, and `ack_dm` where there is one.
import type { LookOutcome, OutgoingMessage } from '../../ports/upstream.js';
import { readBatch } from '../batch.js';
import type { Tool } from '../call.js';
import { argument, optionalArgument } from '../schema-arguments.js';
import { type Counterpart, readCounterparts, readDmItem } from './dms-shapes.js';
import { hear, LOOKED, type Profile, type ProfileIo, type Spool, unrecognised } from './profile.js';
import { isSalvagedId } from './salvage.js';
import { sentOutcome } from './sent.js';

const LIST = 'list_dms';
const READ = 'read_dm';
const SEND = 'send_dm';
const ACK = 'ack_dm';
export const DMS_TOOLS = [LIST, READ, SEND];

const WITH = ['with', 'user', 'from', 'alias', 'conversation', 'peer'] as const;
const TO = ['to', 'recipient', 'with', 'user', 'alias'] as const;
const TEXT = ['message', 'text', 'body', 'content'] as const;
const REPLY_TO = ['reply_to', 'reply_to_id', 'reply_to_message_id', 'in_reply_to'];
const KEY = ['idempotency_key', 'idempotencyKey'];
const MARK_READ = ['mark_read', 'markRead', 'mark_as_read'];
const IDS = ['ids', 'message_ids', 'messageIds'] as const;
const ONE_ID = ['id', 'message_id', 'messageId'];
export const DMS_ARGUMENTS: Readonly<Record<string, readonly string[]>> = {
  [LIST]: [],
  [READ]: [...WITH, ...MARK_READ],
  [SEND]: [...TO, ...TEXT, ...REPLY_TO, ...KEY],
  [ACK]: [...IDS, ...ONE_ID],
};

const MAX_CHARS = 10_000;
/** A conversation with more pages than this goes on at the next look, after the others have had their turn. */
const MAX_PAGES = 100;

export function dmsProfile(tools: readonly Tool[]): Profile {
  const tool = (name: string): Tool => tools.find((candidate) => candidate.name === name) ?? { name };
  const ack = tools.find((candidate) => candidate.name === ACK);
  const withArgument = argument(tool(READ), [...WITH]) ?? WITH[0];
  const markRead = optionalArgument(tool(READ), MARK_READ);
  const keyArgument = optionalArgument(tool(SEND), KEY);
  const replyArgument = optionalArgument(tool(SEND), REPLY_TO);
  const readArguments = ack && markRead !== undefined ? { [markRead]: false } : {};
  const idempotent = keyArgument !== undefined;

  async function acknowledge(io: ProfileIo, ackTool: Tool, ids: readonly string[]) {
    const many = argument(ackTool, [...IDS]);
    const one = optionalArgument(ackTool, ONE_ID) ?? 'id';
    const calls = many === undefined ? ids.map((id) => ({ [one]: id })) : [{ [many]: ids }];
    for (const args of calls) {
      const heard = await hear(io, 'peek', ACK, args);
      if (heard.kind === 'trouble') return heard;
    }
    return undefined;
  }

  /** Reads one conversation to its end. `stop`: the look as a whole makes no sense any more. */
  async function readOne(
    io: ProfileIo,
    { with: counterpart, unread }: Counterpart,
    spool: Spool,
  ): Promise<{ outcome: LookOutcome; stop: boolean }> {
    const seen = new Set<string>();
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const heard = await hear(io, ack ? 'peek' : 'take', READ, {
        [withArgument]: counterpart,
        ...readArguments,
      });
      if (heard.kind === 'trouble') return { outcome: heard.outcome, stop: endsLook(heard) };
      const place = { tool: READ, with: counterpart, consumed: !ack, at: io.now() };
      const batch = readBatch(
        heard.answer,
        { tool: READ, item: (fields, index) => readDmItem(fields, seen.size + index, place, io) },
        io.scrub,
      );
      if (batch.kind === 'unreadable') return { outcome: unrecognised([batch.why]), stop: false };
      if (batch.messages.length > 0) {
        await spool(batch.messages);
        const trouble =
          ack &&
          (await acknowledge(
            io,
            ack,
            batch.messages.map((message) => message.id),
          ));
        if (trouble) return { outcome: trouble.outcome, stop: endsLook(trouble) };
      }
      if (batch.faults.length > 0) return { outcome: unrecognised(batch.faults), stop: false };
      const isNew = batch.messages.some((message) => !seen.has(message.id));
      for (const message of batch.messages) seen.add(message.id);
      if (!isNew || !(batch.more ?? seen.size < unread)) break;
    }
    return { outcome: LOOKED, stop: false };
  }

  return {
    name: 'dms',
    maxChars: MAX_CHARS,
    idempotent,

    async probe(io) {
      const listed = await list(io);
      return listed.kind === 'counterparts' ? LOOKED : listed;
    },

    async look(io, spool) {
      const listed = await list(io);
      if (listed.kind !== 'counterparts') return listed;
      // One conversation that cannot be read does not keep the others unread: the first trouble is told at the end.
      let outcome: LookOutcome = listed.faults.length === 0 ? LOOKED : unrecognised(listed.faults);
      for (const counterpart of listed.list) {
        if (counterpart.unread === 0) continue;
        const read = await readOne(io, counterpart, spool);
        if (read.stop) return read.outcome;
        if (outcome.kind === 'looked') outcome = read.outcome;
      }
      return outcome;
    },

    async send(io, message: OutgoingMessage) {
      const { to, text, replyToId, idempotencyKey } = message;
      const args: Record<string, unknown> = {
        [argument(tool(SEND), [...TO]) ?? TO[0]]: to,
        [argument(tool(SEND), [...TEXT]) ?? TEXT[0]]: text,
      };
      if (replyArgument !== undefined && replyToId !== undefined && !isSalvagedId(replyToId))
        args[replyArgument] = replyToId;
      if (keyArgument !== undefined) args[keyArgument] = idempotencyKey;
      return sentOutcome(await io.ask(idempotent ? 'send-again' : 'send', SEND, args), SEND, io);
    },
  };
}

async function list(io: ProfileIo) {
  const heard = await hear(io, 'peek', LIST, {});
  if (heard.kind === 'trouble') return heard.outcome;
  const counterparts = readCounterparts(heard.answer, LIST, io.scrub);
  return counterparts.kind === 'unreadable' ? unrecognised([counterparts.why]) : counterparts;
}

/** A tool that says no to one conversation may say yes to the next; a refused key or a dead connection will not. */
const endsLook = (trouble: { cause: 'connection' | 'tool'; outcome: LookOutcome }): boolean =>
  trouble.cause === 'connection' ||
  trouble.outcome.kind === 'unauthorised' ||
  trouble.outcome.kind === 'rate-limited';
