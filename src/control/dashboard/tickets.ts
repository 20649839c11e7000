// Tickets: each opens the dashboard once, soon. A browser is started with one in its arguments, which others can read.
import type { Clock } from '../../ports/clock.js';
import type { Ids } from '../../ports/ids.js';

const LASTS_MS = 60_000;
/** Nobody opens more at once; beyond that the oldest goes. */
const MOST = 20;

export interface Tickets {
  issue(): string;
  /** True once, within a minute of its issue. */
  redeem(ticket: string): boolean;
}

export function tickets(clock: Pick<Clock, 'now'>, ids: Pick<Ids, 'word'>): Tickets {
  /** By ticket, the instant until which it counts; in the order of issue. */
  const open = new Map<string, number>();
  return {
    issue() {
      const ticket = ids.word() + ids.word();
      open.set(ticket, clock.now() + LASTS_MS);
      for (const oldest of open.keys()) if (open.size > MOST) open.delete(oldest);
      return ticket;
    },
    redeem(ticket) {
      const until = open.get(ticket);
      open.delete(ticket);
      return until !== undefined && clock.now() < until;
    },
  };
}
