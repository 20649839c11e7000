// Many agents in one process: what they share, their starts one after the other, their common end.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { AgentLine } from '../../control/index.js';
import { EXIT } from '../../domain/errors.js';
import type { Fitness } from '../../domain/health.js';
import type { WakeKind } from '../../domain/wake.js';
import { createLogger, type Logger, logObserver } from '../../observe/index.js';
import type { Clock } from '../../ports/clock.js';
import type { ServiceNotifier } from '../../service/index.js';
import { type Door, WebhookHub } from '../../wake/index.js';
import { compose } from '../compose.js';
import { describeInbox } from '../describe-inbox.js';
import { fleetTexts } from '../metrics.js';
import { metricsPage } from '../metrics-page.js';
import { type PrivateServer, startPrivateServer } from '../private-server.js';
import { Releases } from '../releases.js';
import { systemClock, systemIds, systemRandom } from '../system.js';
import { agreed, withWebhook } from './clashes.js';
import { farewell } from './farewell.js';
import { gravest } from './gravest.js';
import { Member } from './member.js';
import type { AgentPlan } from './plan.js';

export interface FleetOptions {
  /** At least one; checked by `loadAgents`. */
  readonly plans: readonly AgentPlan[];
  readonly env: NodeJS.ProcessEnv;
  readonly version: string;
  /** Where one listens. */
  readonly service?: ServiceNotifier | undefined;
  /** Where the logs go; default stderr. */
  readonly log?: NodeJS.WritableStream;
  /** For tests only. */
  readonly compose?: typeof compose;
  readonly clock?: Clock;
}

/** The next one starts when this one's Claude Code is up, or after this time. */
const STAGGER_MS = 2_000;

export class Fleet {
  readonly #options: FleetOptions;
  readonly #clock: Clock;
  readonly #server: PrivateServer;
  readonly #hub: WebhookHub;
  readonly #doors = new Map<string, Door>();
  readonly #members: readonly Member[];
  /** Of the process; each agent has one of its own. */
  readonly #log: Logger;
  readonly #token: string;
  /** Whose work it is that runs now: an error that nobody caught is known by it. */
  readonly #owner = new AsyncLocalStorage<Member>();
  readonly #stopping = new AbortController();
  #faults = 0;
  #left: number;

  constructor(options: FleetOptions, server: PrivateServer) {
    const { plans, clock = systemClock } = options;
    this.#options = options;
    this.#clock = clock;
    this.#token = agreed(plans, 'controlToken') ?? systemIds.word() + systemIds.word();
    this.#server = server;
    this.#log = this.#logOf(plans[0]);
    const takers = withWebhook(plans);
    this.#hub = new WebhookHub({
      host: agreed(takers, 'webhookHost'),
      port: agreed(takers, 'webhookPort'),
      clock,
      observer: logObserver(this.#log),
      health: () => fitnessOfAll(this.#members.flatMap(({ fitness }) => fitness ?? [])),
    });
    for (const { name, settings } of takers)
      this.#doors.set(name, this.#hub.door(name, settings.webhookSecret));
    this.#members = plans.map((plan) => this.#member(plan));
    this.#left = plans.length;
  }

  /** Starts all and waits for the end of all. Answers the gravest exit code. */
  async run(): Promise<number> {
    if (this.#options.plans.some(({ settings }) => settings.webhook && !settings.once))
      await this.#hub.open();
    this.#server.mount('metrics', metricsPage(this.#token, await fleetTexts(this.#members)));
    const runs: Promise<number>[] = [];
    for (const member of this.#members) {
      runs.push(this.#owner.run(member, () => this.#runOne(member)));
      await this.#stagger(member);
    }
    const codes = await Promise.all(runs);
    return gravest(this.#faults > 0 ? [...codes, EXIT.internal] : codes);
  }

  /** All at once: each has its own `drain` time, counted from now. */
  stop(how: 'drain' | 'force', text: string): void {
    this.#stopping.abort();
    for (const member of this.#members) member.stop(how, text);
  }

  /** Each for itself: one with a faulty file goes on as it was, and tells of it. */
  reload(): void {
    for (const member of this.#members) member.reload();
  }

  wake(kind: WakeKind): void {
    for (const member of this.#members) member.wake(kind);
  }

  agents = (): Promise<AgentLine[]> =>
    Promise.all(
      this.#members.map(async (member) => ({
        name: member.name,
        path: `/${member.name}/`,
        health: await member.health(),
      })),
    );

  /**
   * Something that nobody caught: ends the agent whose it is, and answers its name. Where that cannot be told, all are
   * drained; a second time, forced.
   */
  uncaught(error: unknown): string | undefined {
    const member = this.#owner.getStore();
    this.#log.error({ err: error }, `An error that nobody caught ends ${member?.name ?? 'all agents'}.`);
    if (member) {
      member.crash(error);
      return member.name;
    }
    this.#faults += 1;
    this.stop(this.#faults > 1 ? 'force' : 'drain', 'an error of the process that nobody caught');
    return undefined;
  }

  /** Of the process, in its log. */
  warn(text: string): void {
    this.#log.warn(text);
  }

  /** Frees the ports. Call it after the run. */
  async close(): Promise<void> {
    const releases = new Releases();
    releases.add(() => this.#server.close());
    releases.add(() => this.#hub.close());
    await releases.run();
  }

  async #runOne(member: Member): Promise<number> {
    const end = await member.run();
    const door = this.#doors.get(member.name);
    if (door) this.#hub.shut(door);
    this.#left -= 1;
    member.tell(end.exitCode === EXIT.done ? 'info' : 'error', farewell(end, this.#left));
    return end.exitCode;
  }

  /** Ten programs of 400 MB that start at one instant hinder one another. */
  async #stagger(member: Member): Promise<void> {
    const over = new AbortController();
    const enough = AbortSignal.any([over.signal, this.#stopping.signal]);
    const slept = this.#clock.sleepUntil(this.#clock.now() + STAGGER_MS, enough);
    await Promise.race([member.settled, slept]);
    over.abort();
  }

  #member(plan: AgentPlan): Member {
    const { env, version, log, compose: composeOne = compose } = this.#options;
    const { name, settings, inbox } = plan;
    const where = `The inbox is ${describeInbox(inbox)}, for the agent in ${settings.dir}`;
    const member: Member = new Member({
      name,
      greeting: where,
      once: settings.once,
      clock: this.#clock,
      random: systemRandom,
      observer: logObserver(this.#logOf(plan, name)),
      view: this.#options.service?.agent(name),
      compose: (signal, observer) =>
        composeOne({
          settings,
          inbox,
          load: () => plan.load(),
          env,
          version,
          signal,
          observers: [observer],
          ...(log ? { log } : {}),
          shared: {
            server: this.#within(this.#server.under(name), () => member),
            token: this.#token,
            door: this.#doors.get(name),
            identities: this.#options.plans.map(({ identity }) => identity),
            agents: this.agents,
          },
        }),
    });
    return member;
  }

  /** What is asked of an agent over the shared listener is the agent's work. */
  #within(server: PrivateServer, member: () => Member): PrivateServer {
    return {
      ...server,
      mount: (prefix, part) =>
        server.mount(prefix, (request) => this.#owner.run(member(), () => part(request))),
    };
  }

  #logOf(plan: AgentPlan | undefined, agent?: string): Logger {
    const { log } = this.#options;
    const { logLevel = 'info', logFormat = 'auto', webhookSecret = [] } = plan?.settings ?? {};
    const key = plan?.inbox.key;
    return createLogger({
      agent,
      level: logLevel,
      format: logFormat,
      secrets: key === undefined ? webhookSecret : [key, ...webhookSecret],
      ...(log ? { stream: log } : {}),
    });
  }
}

/** Well only while every agent is. */
function fitnessOfAll(all: readonly Fitness[]): Fitness {
  const bad = all.find(({ ok }) => !ok);
  if (bad) return bad;
  const [first = { ok: false, status: 'stopping' } as const] = all;
  return all.some(({ status }) => status === 'ok') ? { ok: true, status: 'ok' } : first;
}

export async function openFleet(options: FleetOptions): Promise<Fleet> {
  let other: string | undefined;
  const server = await startPrivateServer({
    port: agreed(options.plans, 'controlPort') ?? 0,
    onOtherPort: (text) => {
      other = text;
    },
  });
  try {
    const fleet = new Fleet(options, server);
    if (other !== undefined) fleet.warn(other);
    return fleet;
  } catch (error) {
    await server.close();
    throw error;
  }
}
