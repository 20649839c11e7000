// What must be true when the faults have stopped and all is done.
import { isForUs } from '../../src/domain/channel.js';
import { isSettled } from '../../src/domain/message.js';
import type { MemoryDisk, RowRecord } from '../support/memory-disk.js';
import type { Chronicle } from './chronicle.js';
import type { DeliveryWatch } from './delivery-watch.js';
import { AGENT, DENIED, type InboxServer } from './inbox-server.js';
import type { Setting } from './plan.js';

export interface EndView {
  readonly disk: MemoryDisk;
  readonly server: InboxServer;
  readonly record: Chronicle;
  readonly setting: Setting;
  readonly deliveries: DeliveryWatch;
  readonly silenced: ReadonlySet<string>;
  /** By claim, kind and target: the most sends that one turn made. */
  readonly mostSends: ReadonlyMap<string, number>;
  isAlive(name: string): boolean;
}

/** A message is nowhere, and only the inbox is to blame: it hands over once, heard or not. */
export function isLostInWindow(view: EndView, id: string): boolean {
  if (view.setting.upstream === 'peek' || view.disk.messages.has(id)) return false;
  const takenBy = view.server.takenBy.get(id);
  return view.server.lost.has(id) || (takenBy !== undefined && !view.isAlive(takenBy));
}

/** What is still to come to its end; empty when all is done. */
export function unfinished(view: EndView): string[] {
  const { disk, server } = view;
  const messages = server.arrived.flatMap(({ id }) => {
    const state = disk.messages.get(id)?.state;
    if (state === undefined) return isLostInWindow(view, id) ? [] : [`${id} is not on disk`];
    return isSettled(state) ? [] : [`${id} is ${state}`];
  });
  const rows = disk.rows.flatMap((row) => {
    const waits = row.state === 'sending' || (row.state === 'queued' && !waitsForUnsure(disk, row));
    return waits ? [`row ${row.id} for ${row.to} is ${row.state}`] : [];
  });
  return [...messages, ...rows];
}

/**
 * As the outbox stands, the rest of a send in doubt holds up every later send to the same target, though a send in
 * doubt should hold nobody up. To be `false` when that rule is mended.
 */
const DOUBT_BLOCKS_TARGET = true;

/** A later part of a send in doubt stays back with it until somebody decides. */
function waitsForUnsure(disk: MemoryDisk, row: RowRecord): boolean {
  const inDoubt = (one: RowRecord): boolean =>
    disk.rows.some((other) => other.sendId === one.sendId && other.id < one.id && other.state === 'unsure');
  return (
    inDoubt(row) ||
    (DOUBT_BLOCKS_TARGET &&
      disk.rows.some((one) => one.to === row.to && one.id < row.id && one.state === 'queued' && inDoubt(one)))
  );
}

export function checkEnd(view: EndView): void {
  const { disk, record, server, setting } = view;
  for (const incoming of server.arrived) {
    const { id } = incoming;
    const message = disk.messages.get(id);
    if (!message) {
      record.tally.lostInWindow += 1;
      continue;
    }
    if (isSettled(message.state)) record.tally[message.state as 'answered' | 'silent' | 'dead'] += 1;
    const forUs =
      incoming.kind === 'agent' &&
      ![AGENT, DENIED].includes(incoming.sender) &&
      isForUs(incoming, setting.channels, AGENT);
    if (message.state === 'silent' && forUs && !view.silenced.has(message.claimId ?? '')) {
      record.violate('verdict', `${id} fell silent, and nobody asked for it`);
    }
    if (!forUs && message.state !== 'silent') {
      record.violate('verdict', `${id} is not ours to answer and ${message.state}`);
    }
  }
  for (const claim of disk.claims.values()) checkClaim(view, claim.id);
  doubledSends(
    view,
    disk.rows.filter((row) => row.part === 0),
  );
  for (const row of disk.rows) {
    if (row.state === 'unsure') record.tally.unsure += 1;
    const times = view.deliveries.times(row.idempotencyKey);
    if (row.state === 'refused' && !wasRefused(view, row)) {
      record.violate('delivery', `row ${row.id} is refused, and the inbox never refused it`);
    }
    if (row.state === 'sent' && times === 0)
      record.violate('delivery', `row ${row.id} is sent and never arrived`);
    if (row.state === 'unsure' && (setting.idempotent || setting.onUnsure === 'resend')) {
      record.violate('unsure', `row ${row.id} is unsure, and need not be`);
    }
  }
}

/** It, or an earlier part of its send. */
function wasRefused({ disk, server }: EndView, row: RowRecord): boolean {
  return disk.rows.some(
    (one) => one.sendId === row.sendId && one.id <= row.id && server.refused.has(one.idempotencyKey),
  );
}

function checkClaim({ disk, record, setting }: EndView, id: string): void {
  const claim = disk.claims.get(id);
  const [message] = [...disk.messages.values()].filter((one) => one.claimId === id);
  const rows = disk.rows.filter((row) => row.claimId === id && row.part === 0);
  const count = (kind: string): number => rows.filter((row) => row.kind === kind).length;
  const state = message?.state;
  if ((state === 'answered') !== count('reply') > 0) {
    record.violate('verdict', `claim ${id} is ${state} with ${count('reply')} replies`);
  }
  if (count('notice') !== (state === 'dead' && setting.deadNotice ? 1 : 0)) {
    record.violate('verdict', `claim ${id} is ${state} with ${count('notice')} notices`);
  }
  // The budget of one message kills it, too.
  if (state === 'dead' && claim?.attempts !== setting.maxAttempts && setting.budget !== 'message') {
    record.violate('attempts', `claim ${id} died of ${claim?.attempts} attempts`);
  }
}

/** A rescued or retried turn repeats its sends: the outbox gives the first answers and sends none again. */
function doubledSends({ record, mostSends }: EndView, rows: readonly RowRecord[]): void {
  const counts = new Map<string, number>();
  for (const { claimId, kind, to } of rows) {
    if (kind !== 'interim' && kind !== 'other') continue;
    const key = `${claimId} ${kind} ${to}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  for (const [key, count] of counts) {
    const most = mostSends.get(key) ?? 0;
    if (count > most)
      record.violate('doubled', `${key}: ${count} sends where no turn made more than ${most}`);
  }
}
