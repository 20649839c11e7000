// Begins a new conversation in the same process with /clear, believed only by its effect.
import { withDeadline } from '../lib/deadline.js';
import type { Running } from './running.js';
import { announcesReset, supportOf } from './version.js';

/**
 * True when the process now holds a new, empty conversation. False when it does not, or when nobody can tell: it is
 * to be replaced then. Never rejects. Costs no model call.
 * @param id a uuid v4 for the message
 */
export async function clearConversation(running: Running, id: string, limitMs: number): Promise<boolean> {
  if (supportOf(running.version) !== 'full') return false;
  const before = { sessionId: running.sessionId, resets: running.resets };
  const said = running.protocol.say(id, '/clear');
  said.acceptUnnamed();
  try {
    running.meter.take(await withDeadline(said.result, limitMs, '/clear'));
  } catch {
    return false;
  }
  const renewed = running.sessionId !== before.sessionId;
  // 2.1.126 announced a new session and kept the history: where a proof is to be had, it is asked for.
  const announced = running.resets > before.resets || !announcesReset(running.version);
  if (renewed && announced) running.dirty = false;
  return renewed && announced;
}
