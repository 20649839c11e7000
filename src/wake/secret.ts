// A webhook secret in the forms that the ways of signing use.
import { createHash } from 'node:crypto';
import { WorkerError } from '../domain/errors.js';

export interface Secret {
  /** Keys of a Standard Webhooks signature: any of them may have been used. */
  readonly standardKeys: readonly Buffer[];
  /** The text as it stands: the key of GitHub's kind of signature. */
  readonly textKey: Buffer;
  /** SHA-256 of the text: bearer tokens are compared by their digests, which have one length. */
  readonly tokenDigest: Buffer;
}

export const sha256 = (bytes: Buffer): Buffer => createHash('sha256').update(bytes).digest();

/**
 * `whsec_BASE64` or plain text. Of a plain one that reads as base64 both the text and what it decodes to are keys:
 * Standard Webhooks libraries decode a secret whose prefix was left out.
 * Throws WorkerError `setting-invalid` for an empty secret or a damaged `whsec_` one; the secret is not in the message.
 */
export function parseSecret(raw: string): Secret {
  // A line break at the end comes from reading a file, never from the sender.
  const text = raw.trim();
  if (text === '') throw invalid('A webhook secret is empty.');
  const textKey = Buffer.from(text, 'utf8');
  const prefixed = text.startsWith('whsec_');
  const decoded = fromBase64(prefixed ? text.slice('whsec_'.length) : text);
  if (prefixed && decoded === undefined)
    throw invalid('A webhook secret begins with whsec_ but is not base64.');
  const standardKeys = prefixed ? [] : [textKey];
  return {
    standardKeys: decoded === undefined ? standardKeys : [...standardKeys, decoded],
    textKey,
    tokenDigest: sha256(textKey),
  };
}

/** Node's decoder skips what it does not know; here only whole base64, with or without its padding, counts. */
function fromBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64');
  const bare = (base64: string): string => base64.replace(/=+$/, '');
  return bytes.length > 0 && bare(bytes.toString('base64')) === bare(text) ? bytes : undefined;
}

function invalid(message: string): WorkerError {
  return new WorkerError('setting-invalid', message, {
    hint: 'Set WEBHOOK_SECRET to a whsec_… secret as the sender shows it, or to any long random text.',
  });
}
