// Watches what reaches the inbox: what the outbox holds, once, in order.
import type { MemoryDisk } from '../support/memory-disk.js';
import type { Chronicle } from './chronicle.js';
import type { DiskWatch } from './disk-watch.js';
import type { Delivery } from './inbox-server.js';
import type { Setting } from './plan.js';

export class DeliveryWatch {
  readonly #disk: MemoryDisk;
  readonly #diskWatch: DiskWatch;
  readonly #record: Chronicle;
  readonly #setting: Setting;
  readonly #counts = new Map<string, number>();
  /** The last row that reached each target. */
  readonly #last = new Map<string, number>();

  constructor(disk: MemoryDisk, diskWatch: DiskWatch, record: Chronicle, setting: Setting) {
    this.#disk = disk;
    this.#diskWatch = diskWatch;
    this.#record = record;
    this.#setting = setting;
  }

  /** How often the text of this key was delivered. */
  times(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  delivered(delivery: Delivery): void {
    const { key, by } = delivery;
    this.#record.tally.delivered += 1;
    this.#record.tell('inbox', `gets ${key}: ${delivery.text.slice(0, 60)}`);
    const row = this.#disk.rows.find((one) => one.idempotencyKey === key);
    if (!row) {
      this.#record.violate('delivery', `${key} was never in the outbox`);
      return;
    }
    if (row.text !== delivery.text || row.to !== delivery.to) {
      this.#record.violate('delivery', `${key} is another text than the outbox holds`);
    }
    const holder = this.#diskWatch.holdsLease(by);
    // A request that was cut may arrive after its row was put back.
    if (holder && row.state !== 'sending' && row.attempts === 0)
      this.#record.violate('delivery', `${key} was sent while ${row.state}`);
    const times = this.times(key) + 1;
    this.#counts.set(key, times);
    if (times > 1) {
      this.#again(key);
      return;
    }
    const last = this.#last.get(row.to) ?? 0;
    // What a former owner had let out before it lost the inbox may arrive whenever the net likes.
    if (row.id < last && holder) {
      this.#record.violate('order', `row ${row.id} for ${row.to} came after row ${last}`);
    }
    this.#last.set(row.to, Math.max(last, row.id));
  }

  #again(key: string): void {
    // Nobody can tell there whether it arrived, and the user has chosen: rather twice than never.
    if (!this.#setting.idempotent && this.#setting.onUnsure === 'resend') {
      this.#record.tally.doubledInWindow += 1;
      return;
    }
    this.#record.violate('doubled', `${key} was delivered ${this.times(key)} times`);
  }
}
