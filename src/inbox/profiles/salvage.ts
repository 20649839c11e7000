// A made-up id for a consumed message that came without one: losing it would be worse.
import { createHash } from 'node:crypto';

const PREFIX = 'unnamed-';

/**
 * The server has moved its cursor past this message and will not give it again, so an id of ours dedupes nothing
 * but also loses nothing. Time and place are in it: two equal texts are two messages.
 */
export function salvagedId(parts: { sender: string; text: string; at: number; index: number }): string {
  const digest = createHash('sha256').update(JSON.stringify(parts)).digest('hex');
  return `${PREFIX}${digest.slice(0, 24)}`;
}

/** Such an id means nothing to the server. */
export const isSalvagedId = (id: string): boolean => id.startsWith(PREFIX);
