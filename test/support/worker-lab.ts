// A worker over ports in memory and virtual time: what its rules do, without a process or a disk.

import { NO_CAP } from '../../src/domain/budget.js';
import type { EventFlag, Flags } from '../../src/ports/flags.js';
import type { WorkerEvent } from '../../src/ports/observer.js';
import type { WakeSource } from '../../src/ports/wake-source.js';
import { Desk } from '../../src/worker/desk.js';
import type { WorkerOptions } from '../../src/worker/options.js';
import type { RunEnd } from '../../src/worker/run-end.js';
import { Worker } from '../../src/worker/worker.js';
import { FakeAgent } from './fake-agent.js';
import { FakeUpstream } from './fake-upstream.js';
import { MemoryDisk, openMemoryStore } from './memory-store.js';
import { VirtualClock } from './virtual-clock.js';

export class FakeFlags implements Flags {
  readonly events = new Set<EventFlag>();
  pausedNow = false;

  async take(flag: EventFlag): Promise<boolean> {
    return this.events.delete(flag);
  }

  async paused(): Promise<boolean> {
    return this.pausedNow;
  }
}

export class FakeWakeSource implements WakeSource {
  readonly name = 'fake';
  isConnected = false;
  async start(): Promise<void> {}
  async stop(): Promise<void> {}
  announces(): boolean {
    return true;
  }
  connected(): boolean {
    return this.isConnected;
  }
}

export const WORKER_OPTIONS: WorkerOptions = {
  inbox: 'agentdm',
  folder: '/agents/a',
  version: '0.0.0',
  slot: 0,
  delivery: 'inline',
  tickPrompt: 'Call list_dms.',
  pullScope: 'conversation',
  memory: { exchanges: 10, chars: 8_000 },
  maxInlineChars: 20_000,
  backoff: { minMs: 60_000, stepMs: 60_000, maxMs: 3_600_000, unprovenMaxMs: 60_000 },
  retry: { baseMs: 10_000, maxMs: 600_000 },
  maxAttempts: 5,
  silenceMs: 600_000,
  toolMs: 1_800_000,
  mcpToolMs: 600_000,
  turnLimitMs: 7_200_000,
  session: 'conversation',
  sessionLimits: { turns: 'unlimited', ageMs: 'unlimited', contextTokens: 'unlimited' },
  maxTurns: 'unlimited',
  budgets: { message: NO_CAP, conversation: NO_CAP, sender: NO_CAP, hour: NO_CAP, day: NO_CAP, run: NO_CAP },
  loop: { turns: 'unlimited', windowMs: 3_600_000 },
  onUnsure: 'hold',
  deadNotice: 'I could not answer.',
  sendTo: [],
  admission: { allow: 'anyone', deny: [] },
  channels: 'mention',
  drainMs: 30_000,
};

export class WorkerLab {
  readonly clock: VirtualClock;
  readonly disk: MemoryDisk;
  readonly upstream: FakeUpstream;
  readonly agent = new FakeAgent();
  readonly flags = new FakeFlags();
  readonly source = new FakeWakeSource();
  readonly events: WorkerEvent[] = [];
  readonly orphans: number[] = [];
  readonly store;
  readonly worker: Worker;
  readonly desk: Desk;
  readonly token: string;
  #ids = 0;

  /** `earlier`: the same disk, inbox and time, with a new process: a restart. */
  constructor(options: Partial<WorkerOptions> = {}, earlier?: WorkerLab) {
    this.clock = earlier?.clock ?? new VirtualClock();
    this.disk = earlier?.disk ?? new MemoryDisk();
    this.upstream = earlier?.upstream ?? new FakeUpstream();
    this.#ids = earlier ? earlier.#ids + 1_000 : 0;
    const pid = earlier ? 2 : 1;
    const holder = { host: 'h', bootId: 'b', pidNamespace: 'n', pid, processStart: '1', folder: '/agents/a' };
    this.store = openMemoryStore({
      disk: this.disk,
      clock: this.clock,
      owner: { ...holder, owner: `owner-${pid}` },
    });
    const ids = {
      uuid: () => `id-${this.#ids++}`,
      word: () => `word${this.#ids++}`,
    };
    this.desk = new Desk(ids);
    this.token = this.desk.issueToken(0);
    this.worker = new Worker(
      {
        ...this.store,
        clock: this.clock,
        ids,
        random: { next: () => 0.999 },
        upstream: this.upstream,
        agent: this.agent,
        flags: this.flags,
        wakeSources: [this.source],
        observer: { on: (event) => void this.events.push(event) },
        endOrphan: async (orphan) => {
          this.orphans.push(orphan);
          return true;
        },
      },
      { ...WORKER_OPTIONS, ...options },
      this.desk,
    );
  }

  /** Takes the lease and starts; answers the promise of the run's end. */
  async start(): Promise<{ end: Promise<RunEnd> }> {
    await this.store.lease.acquire();
    const end = this.worker.run();
    await this.clock.settle();
    return { end };
  }

  async once(): Promise<RunEnd> {
    await this.store.lease.acquire();
    return this.worker.runOnce();
  }

  of<K extends WorkerEvent['type']>(type: K): Extract<WorkerEvent, { type: K }>[] {
    return this.events.filter((event): event is Extract<WorkerEvent, { type: K }> => event.type === type);
  }

  verdicts(): string[] {
    return this.of('turn-ended').map((event) => event.verdict);
  }

  sentTexts(): string[] {
    return this.upstream.sent.map((message) => message.text);
  }

  async drain(end: Promise<RunEnd>): Promise<RunEnd> {
    this.worker.stop('drain', 'test');
    await this.clock.settle();
    let result: RunEnd | undefined;
    void end.then((value) => {
      result = value;
    });
    await this.clock.until(() => result !== undefined, 'the end of the run');
    await this.store.lease.release();
    return end;
  }
}
