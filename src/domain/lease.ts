// The single-writer right to one inbox: who may take it, and when.

export interface LeaseRow {
  /** A uuid drawn per run. */
  readonly owner: string;
  /** Grows by one at each change of hands; late writes of a former owner are refused by it. */
  readonly generation: number;
  readonly heartbeatAt: number;
  readonly acquiredAt: number;
  readonly holder: LeaseHolder;
}

/** Where the owner runs: enough to prove it dead on this host. */
export interface LeaseHolder {
  readonly host: string;
  readonly bootId: string;
  readonly pidNamespace: string;
  readonly pid: number;
  readonly processStart: string;
  /** The agent's folder, for the sentence that names the rival. */
  readonly folder: string;
}

export type LeaseVerdict = 'free' | 'ours' | 'dead-owner' | 'stale' | 'held';

/**
 * May `me` take the lease? Taken at once when its owner is provably dead here, else only when stale.
 * @param startOf the start time of a pid on this host, undefined when no such process lives
 */
export function judgeLease(
  row: LeaseRow | undefined,
  me: LeaseHolder & { owner: string },
  now: number,
  staleMs: number,
  startOf: (pid: number) => string | undefined,
): LeaseVerdict {
  if (!row) return 'free';
  if (row.owner === me.owner) return 'ours';
  const { holder } = row;
  const samePlace =
    holder.host === me.host && holder.bootId === me.bootId && holder.pidNamespace === me.pidNamespace;
  if (samePlace && startOf(holder.pid) !== holder.processStart) return 'dead-owner';
  return now - row.heartbeatAt > staleMs ? 'stale' : 'held';
}
