// Operations that note what was asked of them, for the tests of this room.
import type { ControlOptions } from '../../src/control/routes.js';
import { preview, RELOADED, status } from './status.js';

export const NOTHING_DEAD = { messages: [], sends: [], total: { messages: 0, sends: 0 } };

/** `did` is told in order what was asked or done. */
export function noting(did: string[]): Omit<ControlOptions, 'token' | 'isAllowedHost'> {
  const note = <T>(text: string, answer: T): T => {
    did.push(text);
    return answer;
  };
  return {
    status: async () => status(),
    next: async () => preview(),
    reload: async () => RELOADED,
    wake: (kind) => did.push(`wake ${kind}`),
    wakeTest: () => ({ id: 'test', webhook: { host: '127.0.0.1', port: 8787, path: '/webhook' } }),
    stop: (how) => did.push(`stop ${how}`),
    pause: async (paused) => note(paused ? 'pause' : 'resume', true),
    agents: async () => [{ name: 'scout', path: '/', health: 'idle' }],
    ticket: () => 'a-ticket',
    changed: () => did.push('changed'),
    show: async () => undefined,
    turns: async (limit) => note(`turns ${limit}`, []),
    conversations: async () => note('conversations', { conversations: [], total: 3 }),
    messages: async (query) => note(`messages ${JSON.stringify(query)}`, { messages: [], more: true }),
    idsLike: async (prefix) => note(`ids ${prefix}`, [`${prefix}-1`]),
    series: async (query) => note(`series ${JSON.stringify(query)}`, []),
    latencies: async (span) => note(`latencies ${JSON.stringify(span)}`, { latencies: [], more: false }),
    dead: async () => NOTHING_DEAD,
    retry: async (id) => note(`retry ${id}`, { claimId: 'c1', messages: 2, waits: false }),
    drop: async (id) => note(`drop ${id}`, { messages: 1 }),
    settleUnsure: async (row, how) => note(`${how} ${row}`, undefined),
  };
}
