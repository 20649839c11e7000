// The lease between its row and its shape, and the sentence that names a rival.
import type { Selectable } from 'kysely';
import type { LeaseHolder, LeaseRow } from '../domain/lease.js';
import type { LeaseTable } from './tables.js';

export interface LeaseState {
  readonly lease: LeaseRow;
  /** Given back: the row only remembers the generation. */
  readonly released: boolean;
  readonly releasedAt: number | undefined;
}

export function fromLeaseRow(row: Selectable<LeaseTable>): LeaseState {
  return {
    lease: {
      owner: row.owner,
      generation: row.generation,
      heartbeatAt: row.heartbeat_at,
      acquiredAt: row.acquired_at,
      holder: {
        host: row.host,
        bootId: row.boot_id,
        pidNamespace: row.pid_namespace,
        pid: row.pid,
        processStart: row.process_start,
        folder: row.folder,
      },
    },
    released: row.released_at !== null,
    releasedAt: row.released_at ?? undefined,
  };
}

export function toLeaseRow(
  owner: LeaseHolder & { readonly owner: string },
  generation: number,
  acquiredAt: number,
  heartbeatAt: number,
): LeaseTable {
  return {
    id: 1,
    owner: owner.owner,
    generation,
    heartbeat_at: heartbeatAt,
    acquired_at: acquiredAt,
    released_at: null,
    last_write: null,
    host: owner.host,
    boot_id: owner.bootId,
    pid_namespace: owner.pidNamespace,
    pid: owner.pid,
    process_start: owner.processStart,
    folder: owner.folder,
  };
}

export function leaseSentence(rival: LeaseRow | undefined): string {
  if (!rival) return 'This worker does not hold the lease of the inbox; nothing was written.';
  const { folder, pid, host } = rival.holder;
  return `Another worker took this inbox over (folder ${folder}, process ${pid} on ${host}); nothing was written.`;
}
