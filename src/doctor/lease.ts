// The lease: may a worker that starts here answer this inbox.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { type LeaseView, viewLease } from '../app/lease-desk.js';
import type { ResolvedInbox, Settings } from '../config/index.js';
import { WorkerError } from '../domain/errors.js';
import { type Finding, ok, warn } from './check.js';

/** @param database of the inbox's state folder; where there is none, nobody has ever answered */
export async function leaseState(
  settings: Settings,
  inbox: ResolvedInbox,
  database: string,
): Promise<Finding> {
  if (settings.databaseUrl === undefined && !existsSync(database)) {
    return ok('The lease is free: no worker has answered this inbox yet.');
  }
  let view: LeaseView;
  try {
    view = await viewLease(settings, inbox);
  } catch (error) {
    if (!(error instanceof WorkerError)) throw error;
    return warn(`The lease cannot be seen: ${error.message}`, error.hint);
  }
  const { row, verdict } = view;
  if (!row || verdict === 'free') return ok('The lease is free.');
  const { pid, host, folder } = row.holder;
  if (verdict !== 'held')
    return ok('The lease is left over from a worker that is gone: the next start takes it.');
  if (resolve(folder) === resolve(settings.dir))
    return ok(`The lease is held by the worker that runs here (process ${pid} on ${host}).`);
  return warn(
    `Another worker answers this inbox: process ${pid} on ${host} for ${folder}.`,
    'Stop it first, or start with --standby to wait for it.',
  );
}
