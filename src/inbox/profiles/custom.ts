// A profile by description: any inbox whose tools can be named in JSON.
import type { LookOutcome, OutgoingMessage, SendOutcome } from '../../ports/upstream.js';
import { readBatch } from '../batch.js';
import type { Fields } from '../fields.js';
import { type Cursor, newerCursor } from './cursor.js';
import { readItems } from './custom-items.js';
import { readCustomMessage } from './custom-message.js';
import type { CustomCall, CustomProfile } from './custom-schema.js';
import { fill, follow, followText, mentions, type Values } from './placeholders.js';
import { hear, LOOKED, type Profile, type ProfileIo, type Spool, unrecognised } from './profile.js';
import { isSalvagedId } from './salvage.js';
import { sentOutcome } from './sent.js';

const MAX_CALLS = 200;

/** The tools a description cannot do without. */
export function customTools(profile: CustomProfile): string[] {
  const { look, acknowledge, send, reply, probe } = profile;
  return [...new Set([look, look.each, acknowledge, send, reply, probe].flatMap((call) => call?.tool ?? []))];
}

export function customProfile(profile: CustomProfile): Profile {
  const { look, acknowledge, send, reply, probe } = profile;
  const effect = look.mode === 'drain' ? 'take' : 'peek';
  const sends = [send, reply].filter((call) => call !== undefined);
  const idempotent = sends.length > 0 && sends.every((call) => mentions(call.arguments, 'key'));
  let cursor: Cursor | undefined;

  const valuesOf = (io: ProfileIo): Values => ({
    cursor: cursor?.value,
    own: io.ownName,
    own_bare: io.ownName?.replace(/^@/, ''),
  });

  async function acknowledgeAll(io: ProfileIo, call: CustomCall, items: ReadonlyMap<string, Fields>) {
    const each = [...items].map(([id, item]) => ({ id, item }));
    const calls = mentions(call.arguments, 'ids') ? [{ ids: [...items.keys()] }] : each;
    for (const values of calls) {
      const args = fill(call.arguments, { ...valuesOf(io), ...values });
      const heard = await hear(io, 'peek', call.tool, args);
      if (heard.kind === 'trouble') return heard.outcome;
    }
    return undefined;
  }

  /** Spools what is whole, acknowledges it, and answers what went wrong, if anything did. */
  async function deliver(
    io: ProfileIo,
    list: readonly Fields[],
    around: Fields | undefined,
    seen: Set<string>,
    spool: Spool,
  ) {
    const at = io.now();
    const items = new Map<string, Fields>();
    const batch = readBatch(
      { kind: 'json', value: list },
      {
        tool: look.tool,
        item(fields, index) {
          const read = readCustomMessage(profile, fields, around, { at, index: seen.size + index }, io);
          if (read.message) items.set(read.message.id, around ?? fields);
          return read;
        },
      },
      io.scrub,
    );
    if (batch.kind === 'unreadable') return { trouble: unrecognised([batch.why]), isNew: false };
    if (batch.messages.length > 0) await spool(batch.messages);
    const trouble = acknowledge && items.size > 0 ? await acknowledgeAll(io, acknowledge, items) : undefined;
    const isNew = batch.messages.some((message) => !seen.has(message.id));
    for (const message of batch.messages) seen.add(message.id);
    return { trouble: trouble ?? (batch.faults.length > 0 ? unrecognised(batch.faults) : undefined), isNew };
  }

  /** One round of the look: the first call and, where described, a second one for each item. */
  async function round(
    io: ProfileIo,
    seen: Set<string>,
    spool: Spool,
  ): Promise<{ trouble?: LookOutcome | undefined; isNew: boolean }> {
    const heard = await hear(io, effect, look.tool, fill(look.arguments, valuesOf(io)));
    if (heard.kind === 'trouble') return { trouble: heard.outcome, isNew: false };
    const first = readItems(heard.answer, look, look.empty, io.scrub);
    if (first.kind === 'unreadable') return { trouble: unrecognised([first.why]), isNew: false };
    const wanted = first.list.filter((item) => look.when === undefined || isWanted(follow(item, look.when)));
    if (!look.each) {
      const delivered = await deliver(io, wanted, undefined, seen, spool);
      if (!delivered.trouble) cursor = newerCursor(cursor, first.list, look.cursor);
      return delivered;
    }
    let isNew = false;
    for (const item of wanted) {
      const opened = await hear(
        io,
        effect,
        look.each.tool,
        fill(look.each.arguments, { ...valuesOf(io), item }),
      );
      if (opened.kind === 'trouble') return { trouble: opened.outcome, isNew };
      const second = readItems(opened.answer, look.each, look.empty, io.scrub);
      if (second.kind === 'unreadable') return { trouble: unrecognised([second.why]), isNew };
      const idOf = (fields: Fields) => followText(fields, profile.message.id ?? 'id');
      const meant = look.each.same_id
        ? second.list.filter((fields) => idOf(fields) === idOf(item))
        : second.list;
      const delivered = await deliver(io, meant, item, seen, spool);
      if (delivered.trouble) return delivered;
      isNew ||= delivered.isNew;
    }
    cursor = newerCursor(cursor, first.list, look.cursor);
    return { isNew };
  }

  return {
    name: profile.name,
    maxChars: profile.max_chars,
    idempotent,

    async probe(io) {
      const call = probe ?? (look.mode === 'peek' ? look : undefined);
      if (!call) return LOOKED;
      const heard = await hear(io, 'peek', call.tool, fill(call.arguments, valuesOf(io)));
      if (heard.kind === 'trouble') return heard.outcome;
      const read = probe ? undefined : readItems(heard.answer, look, look.empty, io.scrub);
      return read?.kind === 'unreadable' ? unrecognised([read.why]) : LOOKED;
    },

    async look(io, spool) {
      const seen = new Set<string>();
      for (let call = 0; call < (look.until_empty ? MAX_CALLS : 1); call += 1) {
        const { trouble, isNew } = await round(io, seen, spool);
        if (trouble) return trouble;
        if (!isNew) break;
      }
      return LOOKED;
    },

    async send(io, message: OutgoingMessage): Promise<SendOutcome> {
      const { to, text, idempotencyKey } = message;
      const replyToId =
        message.replyToId !== undefined && isSalvagedId(message.replyToId) ? undefined : message.replyToId;
      const call = replyToId !== undefined && reply ? reply : send;
      if (!call)
        return { kind: 'refused', message: `The inbox profile ${profile.name} describes no way to send.` };
      const args = fill(call.arguments, {
        ...valuesOf(io),
        to,
        text,
        reply_to_id: replyToId,
        key: idempotencyKey,
      });
      const answer = await io.ask(idempotent ? 'send-again' : 'send', call.tool, args);
      const outcome = sentOutcome(answer, call.tool, io);
      if (outcome.kind !== 'sent' || call.id === undefined || answer.kind !== 'json') return outcome;
      return { kind: 'sent', upstreamId: followText(answer.value, call.id) };
    },
  };
}

const isWanted = (value: unknown): boolean =>
  value !== undefined && value !== false && value !== 0 && value !== '0' && value !== '';
