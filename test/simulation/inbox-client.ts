// The port Upstream over the simulated inbox: requests that arrive or not, answers that are heard or not.
import type { IncomingMessage } from '../../src/domain/message.js';
import type { LookOutcome, OutgoingMessage, SendOutcome, Upstream } from '../../src/ports/upstream.js';
import { AGENT, type InboxServer } from './inbox-server.js';
import type { Life, LifeWorld } from './life.js';
import type { CallTrouble, Setting } from './plan.js';

const CALL_TIMEOUT_MS = 60_000;
const BATCH = 3;

type Answer<T> =
  | { readonly kind: 'answer'; readonly value: T }
  | { readonly kind: 'trouble'; readonly how: CallTrouble | 'aborted'; readonly mayHaveArrived: boolean };

export class InboxClient implements Upstream {
  readonly maxChars: number;
  readonly ownName = AGENT;
  readonly #world: LifeWorld;
  readonly #life: Life;
  readonly #server: InboxServer;
  readonly #setting: Setting;
  /** It asked us to wait until then; how many wakes there had been at that time. */
  #asked: { readonly until: number; readonly wakes: number } | undefined;
  /** How many wakes there had been when the look began that runs now. */
  #wakes = 0;
  /** What the inbox can do is known only once it has answered. */
  #met = false;

  constructor(world: LifeWorld, life: Life, server: InboxServer, setting: Setting) {
    this.#world = world;
    this.#life = life;
    this.#server = server;
    this.#setting = setting;
    this.maxChars = setting.maxChars;
  }

  get idempotent(): boolean {
    return this.#met && this.#setting.idempotent;
  }

  async check(signal: AbortSignal): Promise<LookOutcome> {
    const answer = await this.#ask('upstream.check', signal, () => undefined);
    return answer.kind === 'answer' ? { kind: 'looked' } : this.#lookTrouble(answer.how);
  }

  async look(
    spool: (batch: readonly IncomingMessage[]) => Promise<void>,
    signal: AbortSignal,
  ): Promise<LookOutcome> {
    this.#mayLook();
    this.#life.looks += 1;
    this.#wakes = this.#life.wakes;
    for (;;) {
      const answer = await this.#read(signal);
      if (answer.kind === 'trouble') return this.#lookTrouble(answer.how);
      const batch = answer.value;
      if (batch.length === 0) return { kind: 'looked' };
      await spool(batch);
      if (this.#setting.upstream === 'drain') continue;
      const ids = batch.map((message) => message.id);
      const acknowledged = await this.#ask('upstream.ack', signal, () => this.#server.acknowledge(ids));
      if (acknowledged.kind === 'trouble') return this.#lookTrouble(acknowledged.how);
    }
  }

  async send(message: OutgoingMessage, signal: AbortSignal): Promise<SendOutcome> {
    const answer = await this.#ask('upstream.send', signal, () =>
      this.#server.accept(message, this.#life.name),
    );
    if (answer.kind === 'answer') return { kind: 'sent', upstreamId: answer.value };
    const { how, mayHaveArrived } = answer;
    if (mayHaveArrived) return { kind: 'unsure', message: `no answer: ${how}` };
    if (how === 'unauthorised') return { kind: 'unauthorised', message: '401' };
    if (how === 'refused') {
      this.#server.refused.add(message.idempotencyKey);
      return { kind: 'refused', message: 'filtered' };
    }
    return { kind: 'later', message: how, until: how === 'rate-limited' ? this.#until() : undefined };
  }

  async close(): Promise<void> {
    await this.#life.pause(5);
  }

  /** An inbox without a peek forgets what it hands over, heard or not. */
  async #read(signal: AbortSignal): Promise<Answer<IncomingMessage[]>> {
    const server = this.#server;
    if (this.#setting.upstream === 'peek') {
      return this.#ask('upstream.look', signal, () => server.peek(BATCH));
    }
    let taken: IncomingMessage[] = [];
    let over = false;
    const answer = await this.#ask('upstream.look', signal, () => {
      taken = server.take(BATCH, this.#life.name);
      if (over) server.lose(taken);
      return taken;
    });
    over = true;
    if (answer.kind === 'trouble') server.lose(taken);
    return answer;
  }

  async #ask<T>(call: string, signal: AbortSignal, effect: () => T): Promise<Answer<T>> {
    const { agenda, record, troubles } = this.#world;
    const life = this.#life;
    life.calls += 1;
    await life.point(`${call}:before`);
    const how = troubles.call(call);
    if (how) record.tell(life.name, `${call}: ${how}`);
    if (how) {
      life.lastRefusedAt = agenda.elapsed;
      this.#world.refused(call, how);
    }
    if (signal.aborted) return { kind: 'trouble', how: 'aborted', mayHaveArrived: false };
    const there = troubles.drawMs(`${call} there`, 5, 1_500);
    const back = troubles.drawMs(`${call} back`, 5, 1_500);
    const certain = !this.#met || (how && !['hangs', 'lost', 'unheard'].includes(how));
    if (how && certain) {
      // The first request of a process only asks what the inbox can do: with it nothing has been sent yet.
      await life.pause(how === 'hangs' ? CALL_TIMEOUT_MS : there, signal);
      return { kind: 'trouble', how, mayHaveArrived: false };
    }
    this.#met = true;
    // The request is out: it arrives whatever becomes of us, unless the net loses it.
    let value: { got: T } | undefined;
    const arrives = how === undefined || how === 'unheard' || (how === 'hangs' && troubles.draw(call) < 0.5);
    if (arrives) {
      agenda.after(there, () => {
        value = { got: effect() };
      });
    }
    if (how === 'hangs') await life.pause(CALL_TIMEOUT_MS, signal);
    else await life.pause(there + 1, call === 'upstream.look' ? undefined : signal);
    if (value && life.dies(`${call}:after`)) await life.point('dead');
    // An answer that exists only once is waited for; others are cut by an abort.
    if (how === undefined) await life.pause(back, call === 'upstream.look' ? undefined : signal);
    if (how || !value || (signal.aborted && call !== 'upstream.look')) {
      return { kind: 'trouble', how: how ?? 'aborted', mayHaveArrived: true };
    }
    return { kind: 'answer', value: value.got };
  }

  /** Nothing but a wake may bring us back before the time the inbox asked us to wait for. */
  #mayLook(): void {
    const { now } = this.#world.agenda;
    if (this.#asked && now < this.#asked.until && this.#life.wakes === this.#asked.wakes) {
      this.#world.record.violate('rate-limit', `looked ${this.#asked.until - now} ms before it was asked to`);
    }
  }

  #lookTrouble(how: CallTrouble | 'aborted'): LookOutcome {
    switch (how) {
      case 'unauthorised':
        return { kind: 'unauthorised', message: '401' };
      case 'rate-limited': {
        const until = this.#until();
        if (until !== undefined) this.#asked = { until, wakes: this.#wakes };
        return { kind: 'rate-limited', message: '429', until };
      }
      case 'unrecognised':
        return { kind: 'unrecognised', message: 'no field "dms"' };
      default:
        return { kind: 'down', message: how };
    }
  }

  /** Not told, this very moment, or later: each time of trouble has its own way. */
  #until(): number | undefined {
    const luck = this.#world.troubles.temper;
    if (luck < 0.3) return undefined;
    return this.#life.clock.now() + (luck < 0.5 ? 0 : Math.round(luck * 600_000));
  }
}
