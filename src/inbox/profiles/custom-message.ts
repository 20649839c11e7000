// Reads one message by a description; what the description does not name is looked for under the usual names.
import { sameName } from '../../domain/addressing.js';
import { lacks, type ReadItem } from '../batch.js';
import { draftOf, textOf } from '../draft.js';
import type { Fields } from '../fields.js';
import { instantOf } from '../instants.js';
import type { CustomProfile } from './custom-schema.js';
import { follow, followText } from './placeholders.js';
import type { ProfileIo } from './profile.js';
import { salvagedId } from './salvage.js';

/** @param around the item of the first call, where the message came from a second one */
export function readCustomMessage(
  profile: CustomProfile,
  fields: Fields,
  around: Fields | undefined,
  place: { at: number; index: number },
  io: ProfileIo,
): ReadItem {
  const { message: paths, defaults, look } = profile;
  const found = draftOf(fields);
  const at = (path: CustomProfile['message']['id']) => followText(fields, path) ?? followText(around, path);
  const id = paths.id === undefined ? found.id : at(paths.id);
  const text =
    paths.text === undefined ? found.text : textOf(follow(fields, paths.text) ?? follow(around, paths.text));
  const sender = (paths.sender === undefined ? found.sender : at(paths.sender)) ?? defaults.sender;
  const missing = [
    ...(id === undefined ? [nameOf(paths.id, 'id')] : []),
    ...(sender === undefined ? [nameOf(paths.sender, 'sender')] : []),
    ...(text === undefined ? [nameOf(paths.text, 'text')] : []),
  ];
  const fault = missing.length === 0 ? undefined : lacks(look.tool, missing, fields, io.scrub);
  if (sender === undefined || text === undefined) return { fault };
  if (id === undefined && look.mode === 'peek') return { fault };
  const isOurs = io.ownName !== undefined && sameName(sender, io.ownName);
  return {
    message: {
      id: id ?? salvagedId({ sender, text, ...place }),
      conversation: at(paths.conversation) ?? defaults.conversation ?? sender,
      sender: isOurs && io.ownName !== undefined ? io.ownName : sender,
      text,
      replyTo: at(paths.reply_to),
      sentAt:
        paths.sent_at === undefined
          ? found.sentAt
          : instantOf(follow(fields, paths.sent_at) ?? follow(around, paths.sent_at)),
      kind:
        (at(paths.kind) ?? (found.isSystem ? 'system' : '')).toLowerCase() === 'system' ? 'system' : 'agent',
    },
    fault,
  };
}

const nameOf = (path: CustomProfile['message']['id'], usual: string): string =>
  path === undefined ? usual : [path].flat().join(' or ');
