// What a fault of the store means to the worker: a hold, the end, or a real bug.
import { WorkerError } from '../domain/errors.js';
import type { HoldBoard } from './hold-board.js';

const STORE_PROBE_MS = 30_000;
/** A server that restarts is back within seconds. */
const FIRST_SERVER_PROBE_MS = 1_000;

/**
 * Turns what can happen to our own disk or lease into a hold and answers true.
 * Anything else is a bug: answers false, and the caller lets it through.
 */
export function holdFor(error: unknown, holds: HoldBoard): boolean {
  if (!(error instanceof WorkerError)) return false;
  if (error.code === 'lease-lost') {
    holds.place('lease-lost', error.message);
    return true;
  }
  if (error.code === 'store-unusable') {
    holds.placeGrowing('disk-full', error.message, STORE_PROBE_MS, STORE_PROBE_MS);
    return true;
  }
  if (error.code === 'store-unreachable') {
    holds.placeGrowing('store-down', error.message, FIRST_SERVER_PROBE_MS, STORE_PROBE_MS);
    return true;
  }
  return false;
}

/** The store took a write. */
export function storeIsWell(holds: HoldBoard): void {
  holds.clear('disk-full');
  holds.clear('store-down');
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
