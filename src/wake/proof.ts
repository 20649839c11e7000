// What a post must show to be believed: it is fed the raw body piece by piece, and says at the end whether it holds.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { type Secret, sha256 } from './secret.js';

/** A proof that may hold. The body is hashed as it arrives and kept nowhere. */
export interface Proof {
  /** The sender's own name for this delivery, where it gave one. */
  readonly deliveryId: string | undefined;
  update(chunk: Buffer): void;
  /** Called once, after the last piece. Takes the same time for every wrong answer of one length. */
  holds(): boolean;
}

/** Header values by lower-case name, as Node gives them (latin1: one character a byte). */
export type Headers = Readonly<Record<string, string | string[] | undefined>>;

export type Claimed = Proof | 'absent' | 'malformed' | 'stale';

export function header(headers: Headers, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

const MAX_ID = 256;

/**
 * Standard Webhooks, under its own header names or Svix's: HMAC-SHA256 over `id.timestamp.body`, base64, `v1,…`,
 * several separated by spaces. Written out here because the library's own check re-encodes the body as text, reads
 * the system's clock, has a fixed tolerance, and reads `12abc` as a timestamp.
 */
export function standardProof(
  prefix: 'webhook' | 'svix',
  headers: Headers,
  secrets: readonly Secret[],
  time: { readonly nowMs: number; readonly toleranceS: number },
): Claimed {
  const id = header(headers, `${prefix}-id`);
  const timestamp = header(headers, `${prefix}-timestamp`);
  const signature = header(headers, `${prefix}-signature`);
  // An id or a timestamp alone proves nothing and claims nothing: only a signature does.
  if (signature === undefined) return 'absent';
  if (id === undefined || id.length > MAX_ID || timestamp === undefined) return 'malformed';
  if (!/^\d{1,12}$/.test(timestamp)) return 'malformed';
  const given = signature
    .split(/[\s]+/)
    .flatMap((part) => /^v1,([A-Za-z0-9+/]{43}=),?$/.exec(part)?.[1] ?? []);
  if (given.length === 0) return 'malformed';
  if (Math.abs(time.nowMs / 1000 - Number(timestamp)) > time.toleranceS) return 'stale';
  return hmacProof({
    deliveryId: id,
    keys: secrets.flatMap((secret) => secret.standardKeys),
    prefix: Buffer.from(`${id}.${timestamp}.`, 'latin1'),
    given: given.map((base64) => Buffer.from(base64, 'base64')),
  });
}

/** `X-Hub-Signature-256: sha256=HEX` over the body alone, as GitHub signs. It carries no time. */
export function hubProof(headers: Headers, secrets: readonly Secret[]): Claimed {
  const signature = header(headers, 'x-hub-signature-256');
  if (signature === undefined) return 'absent';
  const hex = /^sha256=([0-9a-f]{64})$/i.exec(signature.trim())?.[1];
  if (hex === undefined) return 'malformed';
  return hmacProof({
    deliveryId: looseId(headers),
    keys: secrets.map((secret) => secret.textKey),
    prefix: Buffer.alloc(0),
    given: [Buffer.from(hex, 'hex')],
  });
}

/** `Authorization: Bearer SECRET`. Another scheme is somebody else's business and claims nothing. */
export function bearerProof(headers: Headers, secrets: readonly Secret[]): Claimed {
  const token = /^Bearer +(\S+) *$/i.exec(header(headers, 'authorization') ?? '')?.[1];
  if (token === undefined) return 'absent';
  const digest = sha256(Buffer.from(token, 'latin1'));
  return {
    deliveryId: looseId(headers),
    update: () => {},
    holds: () =>
      anyEqual(
        secrets.map((secret) => secret.tokenDigest),
        [digest],
      ),
  };
}

/** Without a secret every post is believed; it can come from this machine only. */
export function noProof(headers: Headers): Proof {
  return { deliveryId: looseId(headers), update: () => {}, holds: () => true };
}

/** A delivery id that no signature covers: good enough to drop a repetition. */
function looseId(headers: Headers): string | undefined {
  const names = ['webhook-id', 'svix-id', 'x-github-delivery', 'idempotency-key'];
  const id = names.map((name) => header(headers, name)).find((value) => value !== undefined);
  return id === undefined || id.length > MAX_ID ? undefined : id;
}

function hmacProof(options: {
  deliveryId: string | undefined;
  keys: readonly Buffer[];
  prefix: Buffer;
  given: readonly Buffer[];
}): Proof {
  const hmacs = options.keys.map((key) => createHmac('sha256', key).update(options.prefix));
  return {
    deliveryId: options.deliveryId,
    update: (chunk) => {
      for (const hmac of hmacs) hmac.update(chunk);
    },
    holds: () =>
      anyEqual(
        hmacs.map((hmac) => hmac.digest()),
        options.given,
      ),
  };
}

/** All pairs are compared, so that the time does not tell which one matched. `timingSafeEqual` throws on unequal lengths. */
function anyEqual(expected: readonly Buffer[], given: readonly Buffer[]): boolean {
  let found = false;
  for (const one of expected) {
    for (const other of given) {
      if (one.length === other.length && timingSafeEqual(one, other)) found = true;
    }
  }
  return found;
}
