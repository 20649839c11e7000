// The ports a worker stands on, handed to each of its pieces.
import type { Agent } from '../ports/agent.js';
import type { Clock } from '../ports/clock.js';
import type { Flags } from '../ports/flags.js';
import type { Ids, Random } from '../ports/ids.js';
import type { Lease } from '../ports/lease.js';
import type { Ledger } from '../ports/ledger.js';
import type { Mailbox } from '../ports/mailbox.js';
import type { Observer, Words } from '../ports/observer.js';
import type { Outbox } from '../ports/outbox.js';
import type { Slots } from '../ports/slots.js';
import type { Upstream } from '../ports/upstream.js';
import type { WakeSource } from '../ports/wake-source.js';

export interface WorkerParts {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly random: Random;
  readonly upstream: Upstream;
  readonly agent: Agent;
  readonly mailbox: Mailbox;
  readonly outbox: Outbox;
  readonly ledger: Ledger;
  readonly slots: Slots;
  readonly lease: Lease;
  readonly flags: Flags;
  readonly wakeSources: readonly WakeSource[];
  readonly observer: Observer;
  /** Hears what the turns are about and what is sent, where the user wants that logged. */
  onWords?(words: Words): void;
  /** Ends a process of a former worker, if it is still that one. Answers whether it was. */
  endOrphan(pid: number, processStart: string): Promise<boolean>;
}
