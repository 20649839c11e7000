// A worker in one process: composed as the program composes it, from the lease to its giving back.
import type { Clock } from '../../src/ports/clock.js';
import type { WorkerEvent } from '../../src/ports/observer.js';
import { Desk } from '../../src/worker/desk.js';
import type { WorkerOptions } from '../../src/worker/options.js';
import type { WorkerParts } from '../../src/worker/parts.js';
import type { RunEnd } from '../../src/worker/run-end.js';
import { Worker } from '../../src/worker/worker.js';
import type { MemoryDisk } from '../support/memory-disk.js';
import { openMemoryStore } from '../support/memory-store.js';
import { InboxClient } from './inbox-client.js';
import { DENIED, type InboxServer } from './inbox-server.js';
import type { Life } from './life.js';
import { budgetsOf, LOOP_WINDOW_MS, WAIT_NOTICE_MS } from './limits.js';
import type { OrphanWatch } from './orphan-watch.js';
import type { Plan, Setting } from './plan.js';
import { type AgentWorld, SimAgent } from './sim-agent.js';
import { mortalStore } from './store-ports.js';
import { tellEvent } from './tell-event.js';
import type { Troubles } from './troubles.js';
import { FRIENDS } from './turn-script.js';
import type { Spoken } from './turn-watch.js';

const STANDBY_MS = 5_000;
const STALE_MS = 300_000;
const BY_HAND = ['manual', 'signal', 'file'];
/** A look that hangs may be under way. */
const WAKE_TO_LOOK_MS = 150_000;
/** An inbox may ask for ten minutes of quiet. */
const CALM_MS = 20 * 60_000;
const HEARTBEAT_MS = 60_000;
export const DRAIN_MS = 30_000;

/** Breaks a part on purpose, to see that it is caught. */
export type Sabotage = (parts: WorkerParts, life: Life) => WorkerParts;

export interface WorkerWorld extends AgentWorld {
  readonly plan: Plan;
  readonly disk: MemoryDisk;
  readonly server: InboxServer;
  readonly sabotage: Sabotage | undefined;
  readonly orphans: OrphanWatch;
  startOf(host: string, pid: number): string | undefined;
  nextId(): number;
  /** It has the lease. */
  owns(life: Life): void;
  /** It says that it stops, for whatever reason. */
  stopping(life: Life, how: 'drain' | 'force'): void;
  /** It ended by itself, with the lease still its own. */
  left(life: Life): void;
}

export class WorkerLife {
  readonly life: Life;
  readonly agent: SimAgent;
  readonly spoken: Spoken;
  readonly flags = new Set<string>();
  readonly #world: WorkerWorld;
  readonly #worker: Worker;
  readonly #lease: WorkerParts['lease'];
  readonly #givenUp = new AbortController();
  #running = false;

  constructor(world: WorkerWorld, life: Life) {
    this.#world = world;
    this.life = life;
    this.spoken = {
      holds: new Map(),
      stopping: false,
      turns: 0,
      startedAt: life.clock.now(),
      notBefore: undefined,
    };
    const { disk, plan, troubles } = world;
    const { host, pid, name } = life;
    const store = mortalStore(
      openMemoryStore({
        disk,
        clock: heartClock(life, troubles),
        owner: {
          host,
          bootId: host,
          pidNamespace: 'n',
          pid,
          processStart: '1',
          folder: `/${host}`,
          owner: name,
        },
        staleMs: STALE_MS,
        heartbeatMs: HEARTBEAT_MS,
        startOf: (other) => world.startOf(host, other),
      }),
      life,
    );
    this.#lease = store.lease;
    const ids = { uuid: () => `id${world.nextId()}`, word: () => `word${world.nextId()}` };
    const desk = new Desk(ids);
    this.agent = new SimAgent(world, life, desk, async (child, processStart) => {
      const base = (await store.slots.load(0)) ?? {
        slot: 0,
        sessionId: undefined,
        conversation: undefined,
        wear: undefined,
      };
      await store.slots.save({ ...base, pid: child, processStart });
    });
    const parts: WorkerParts = {
      ...store,
      clock: life.clock,
      ids,
      random: { next: () => troubles.draw('random') },
      upstream: new InboxClient(world, life, world.server, plan.setting),
      agent: this.agent,
      flags: {
        take: (flag) => life.call('flags.take', async () => this.flags.delete(flag), { store: false }),
        paused: () =>
          life.call('flags.paused', async () => host === 'a' && troubles.paused, { store: false }),
      },
      wakeSources: [
        {
          name: 'net',
          start: async () => {},
          stop: async () => {},
          connected: () => plan.setting.live,
          announces: () => true,
        },
      ],
      observer: { on: (event) => this.#hear(event) },
      endOrphan: (orphan) =>
        life.call('endOrphan', async () => world.orphans.end(orphan, host), { store: false }),
    };
    const built = world.sabotage ? world.sabotage(parts, life) : parts;
    this.#worker = new Worker(built, workerOptions(plan.setting), desk);
  }

  /** Stands by for the lease, works, gives it back. `undefined`: it was told to leave before it had the lease. */
  async run(): Promise<RunEnd | undefined> {
    const { life } = this;
    for (;;) {
      if (this.#givenUp.signal.aborted) return undefined;
      if ((await this.#lease.acquire()).kind === 'acquired') break;
      await life.clock.sleepUntil(life.clock.now() + STANDBY_MS, this.#givenUp.signal);
    }
    this.#world.owns(life);
    this.#running = true;
    if (this.#givenUp.signal.aborted) this.#worker.stop('drain', 'told to leave');
    try {
      return this.#world.plan.setting.once ? await this.#worker.runOnce() : await this.#worker.run();
    } finally {
      await this.agent.stop(2_000);
      await this.#lease.release();
    }
  }

  stop(how: 'drain' | 'force'): void {
    this.life.after(0, () => {
      this.#givenUp.abort();
      if (this.#running) this.#worker.stop(how, 'told to stop');
    });
  }

  wake(kind: Parameters<Worker['wake']>[0]): void {
    this.life.after(0, () => {
      if (!this.#running) return;
      // Only what a person asks for goes before the time an inbox wants to be left alone.
      if (BY_HAND.includes(kind)) this.life.wakes += 1;
      this.#worker.wake(kind);
      this.#mustLookAfterWake();
    });
  }

  /** Whatever it was doing: a wake is followed by a look, unless the inbox or our own disk is in trouble. */
  #mustLookAfterWake(): void {
    const { life, spoken } = this;
    const { agenda, record, plan } = this.#world;
    const [looks, standstills, jumps] = [life.looks, life.standstills, agenda.jumps];
    life.after(WAKE_TO_LOOK_MS, () => {
      const excused =
        plan.setting.once || spoken.stopping || life.standstills !== standstills || agenda.jumps !== jumps;
      const calm = agenda.elapsed - Math.max(life.lastRefusedAt, life.lastFaultAt) > CALM_MS;
      if (!excused && calm && life.looks === looks) record.violate('wake-lost', `no look follows a wake`);
    });
  }

  #hear(event: WorkerEvent): void {
    if (!this.life.alive) return;
    if (event.type === 'hold-began') this.spoken.holds.set(event.hold.reason, event.hold);
    if (event.type === 'hold-ended') this.spoken.holds.delete(event.hold.reason);
    if (event.type === 'stopping') {
      this.spoken.stopping = true;
      this.#world.stopping(this.life, event.how);
    }
    const text = tellEvent(event);
    if (text) this.#world.record.tell(this.life.name, text);
  }
}

/** No beat of the lease's heart reaches a disk that fails. */
function heartClock({ clock }: Life, troubles: Troubles): Clock {
  return {
    now: () => clock.now(),
    async sleepUntil(at, signal) {
      await clock.sleepUntil(at, signal);
      while (troubles.storeIsDown && !signal.aborted)
        await clock.sleepUntil(clock.now() + HEARTBEAT_MS, signal);
    },
  };
}

function workerOptions(setting: Setting): WorkerOptions {
  const { delivery, session, maxAttempts, maxTurns, onUnsure, minSleepMs } = setting;
  return {
    inbox: 'sim',
    folder: '/sim',
    version: '0.0.0',
    slot: 0,
    delivery,
    tickPrompt: 'Call list_dms.',
    memory: { exchanges: 10, chars: 8_000 },
    maxInlineChars: 20_000,
    backoff: { minMs: minSleepMs, stepMs: 60_000, maxMs: 3_600_000, unprovenMaxMs: 60_000 },
    retry: { baseMs: 10_000, maxMs: 600_000 },
    maxAttempts,
    silenceMs: 600_000,
    turnLimitMs: 7_200_000,
    session,
    pullScope: setting.pullScope,
    toolMs: 1_800_000,
    mcpToolMs: 600_000,
    sessionLimits: { turns: setting.sessionTurns, ageMs: 'unlimited', contextTokens: 'unlimited' },
    maxTurns,
    budgets: budgetsOf(setting),
    loop: { turns: setting.loopTurns, windowMs: LOOP_WINDOW_MS },
    waitNotice: setting.waitNotice ? { afterMs: WAIT_NOTICE_MS, text: 'It has come in.' } : undefined,
    onUnsure,
    deadNotice: setting.deadNotice ? 'I could not answer.' : undefined,
    channels: setting.channels,
    sendTo: FRIENDS,
    admission: { allow: 'anyone', deny: [DENIED] },
    drainMs: DRAIN_MS,
  };
}
