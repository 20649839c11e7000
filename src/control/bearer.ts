// Checks the bearer token of a request without telling by its timing how much was right.
import { createHash, timingSafeEqual } from 'node:crypto';

/** @param header the Authorization header, where there is one */
export function bearerIs(header: string | undefined, token: string): boolean {
  const given = /^Bearer +(\S+)$/i.exec(header ?? '')?.[1];
  // Digests are of one length, which timingSafeEqual demands, and hide the length of the token.
  return given !== undefined && token !== '' && timingSafeEqual(digest(given), digest(token));
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
