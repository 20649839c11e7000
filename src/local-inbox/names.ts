// Aliases and channels: how they are written and which names are allowed.

/** `@alias` or `#channel`, always in its written form: the whole room stores and compares that one form. */
export type Address = { kind: 'alias' | 'channel'; written: string };

/** The sender of notices that no agent wrote; its messages have the type `system`. */
export const SYSTEM_ALIAS = '@system';

// The alias rule is AgentDM's own. Its documentation gives none for channels; this one admits every documented example.
const ALIAS = /^@[a-z0-9][a-z0-9-]{1,30}[a-z0-9]$/;
const CHANNEL = /^#[a-z0-9][a-z0-9-]{0,63}$/;
// `admin` and `channel` are reserved by AgentDM, `system` by us.
const RESERVED = new Set(['@admin', '@channel', SYSTEM_ALIAS]);

/** `@alias` or `#channel`, or nothing when the text is neither. */
export function parseAddress(text: string): Address | undefined {
  if (ALIAS.test(text)) return { kind: 'alias', written: text };
  if (CHANNEL.test(text)) return { kind: 'channel', written: text };
  return undefined;
}

/**
 * The same, and a bare `alice` counts as `@alice`: a model that calls our own `dms` tools often drops the sign.
 * The documented `agentdm` tools stay strict.
 */
export function parseLooseAddress(text: string): Address | undefined {
  const trimmed = text.trim();
  return parseAddress(/^[@#]/.test(trimmed) ? trimmed : `@${trimmed}`);
}

/**
 * The written form of an alias that is to be created or looked up, given with or without `@`.
 * Throws a plain Error with a sentence when it is not an alias, or is reserved.
 */
export function aliasOf(text: string): string {
  const address = parseLooseAddress(text);
  if (address?.kind !== 'alias') {
    throw new Error(
      `"${text}" is not an alias: write 3 to 32 lower-case letters, digits or hyphens, beginning and ending with a letter or digit.`,
    );
  }
  if (RESERVED.has(address.written))
    throw new Error(`The alias ${address.written} is reserved: choose another.`);
  return address.written;
}

/** The written form of a channel, given with or without `#`. Throws a plain Error with a sentence otherwise. */
export function channelOf(text: string): string {
  const address = parseAddress(text.startsWith('#') ? text : `#${text}`);
  if (address?.kind !== 'channel') {
    throw new Error(
      `"${text}" is not a channel name: write # and lower-case letters, digits or hyphens, as in #general.`,
    );
  }
  return address.written;
}
