// The description of a foreign vocabulary in JSON: tool names, arguments, and where the fields are.
import { z } from 'zod';
import { WorkerError } from '../../domain/errors.js';

/** `a.b` leads into objects; of several paths the first that finds something counts. */
const path = z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]);

const call = z.strictObject({
  tool: z.string().min(1),
  /** Values may hold placeholders such as `{to}`; an argument whose only content is an unknown one is left out. */
  arguments: z.record(z.string(), z.unknown()).default({}),
});

const fields = z.strictObject({
  id: path.optional(),
  sender: path.optional(),
  text: path.optional(),
  conversation: path.optional(),
  /** The exact address of an answer. */
  reply_to: path.optional(),
  sent_at: path.optional(),
  kind: path.optional(),
});

export const CUSTOM_PROFILE = z.strictObject({
  $schema: z.string().optional(),
  name: z.string().regex(/^[a-z0-9][a-z0-9_-]*$/, 'lower-case letters, digits, - and _'),
  look: z.strictObject({
    ...call.shape,
    /** Where the list is; without it, the usual names are tried, and a single object counts as one item. */
    items: path.optional(),
    /** Items for which this path is absent, false or 0 are passed over (an unread count, say). */
    when: path.optional(),
    /** `drain`: what is returned is not returned again. `peek`: it stays unread until acknowledged. */
    mode: z.enum(['peek', 'drain']),
    /** Calls again until nothing new comes. */
    until_empty: z.boolean().default(false),
    /** Sentences that mean an empty inbox. */
    empty: z.array(z.string()).default([]),
    /** Path in an item whose newest value becomes `{cursor}` of the next look; kept while the worker runs. */
    cursor: path.optional(),
    /** A second call for each item, for the messages themselves; the item's own paths are placeholders: `{item.id}`. */
    each: z
      .strictObject({
        ...call.shape,
        items: path.optional(),
        /** Of what it returns (a whole thread, say), only the message with the item's own id is meant. */
        same_id: z.boolean().default(false),
      })
      .optional(),
  }),
  message: fields,
  /** Used where a message does not say. */
  defaults: z
    .strictObject({ sender: z.string().optional(), conversation: z.string().optional() })
    .default({}),
  /** Placeholders `{ids}` for all at once, `{id}` for one call a message. */
  acknowledge: call.optional(),
  /** Placeholders: `{to}`, `{text}`, `{reply_to_id}`, `{key}`. Without it, nothing can be sent. */
  send: z.strictObject({ ...call.shape, id: path.optional() }).optional(),
  /** Used instead of `send` where the message that is answered is known. */
  reply: z.strictObject({ ...call.shape, id: path.optional() }).optional(),
  /** A call that changes nothing, for the check at the start; by default the look itself when its mode is `peek`. */
  probe: call.optional(),
  max_chars: z.number().int().min(2).default(10_000),
});

export type CustomProfile = z.infer<typeof CUSTOM_PROFILE>;
export type CustomCall = z.infer<typeof call>;
export type Path = z.infer<typeof path>;

/**
 * Checks a description read from JSON.
 * @param where its file or setting, for the sentence
 * @throws WorkerError `setting-invalid`, naming the first place that is wrong
 */
export function parseCustomProfile(value: unknown, where: string): CustomProfile {
  const parsed = CUSTOM_PROFILE.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const at = issue && issue.path.length > 0 ? ` at ${issue.path.join('.')}` : '';
  throw new WorkerError(
    'setting-invalid',
    `The inbox profile in ${where} is wrong${at}: ${issue?.message ?? 'unknown shape'}`,
    {
      hint: 'Compare it with the descriptions in config/inboxes/.',
    },
  );
}
