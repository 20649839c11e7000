// The script of a turn: what it does by chance, or by the plan's ill will.
import type { TurnFailure } from '../../src/domain/turn.js';
import type { OpenTurn } from '../../src/ports/turns.js';
import { markOf } from './inbox-server.js';
import type { Fault } from './plan.js';
import type { PlayedTurn } from './play-turn.js';
import type { AgentWorld } from './sim-agent.js';

type ToolCall = (open: OpenTurn) => Promise<string>;

export type Step =
  | { readonly do: 'think'; readonly ms: number }
  | { readonly do: 'tool'; readonly what: string; readonly call: ToolCall; readonly unheard?: boolean }
  /** Our disk refuses the next commit. */
  | { readonly do: 'spoil' }
  /** Made after the turn is over, with what it held while it ran. */
  | { readonly do: 'late'; readonly call: ToolCall }
  | { readonly do: 'text'; readonly text: string }
  | { readonly do: 'fail'; readonly failure: TurnFailure; readonly until: number | undefined }
  | { readonly do: 'hang' | 'dawdle' | 'die' };

/** Whom the agent may write to beside the one it answers. */
export const FRIENDS = ['@dave', '@carol'];

export function scriptOf(turn: PlayedTurn, world: AgentWorld): Step[] {
  const fault = world.troubles.turn(turn.nth);
  const kit = new Kit(turn, world);
  const pull = world.setting.delivery === 'pull';
  if (fault) return troubled(fault, kit, pull);
  if (!world.setting.lively || world.troubles.healed) {
    return pull ? [kit.think(), ...kit.sendAll('only'), kit.text('sent')] : [kit.think(), kit.text('all')];
  }
  const scripts: (() => Step[])[] = [
    () => [kit.send('one'), kit.text('done')],
    () => [kit.send('one'), kit.think(), kit.send('two'), kit.text('done')],
    () => [kit.send('unheard', true), kit.text('done')],
    () => [kit.interim(), kit.think(), kit.send('one'), kit.text('done')],
    () => [kit.silence()],
    () => [kit.silence(), kit.late(), kit.text('nothing to say')],
    () => [kit.look(), kit.send('one'), kit.late(), kit.text('done')],
    () => [kit.taskDone(), kit.send('one'), kit.text('done')],
    () => [kit.other(), kit.send('one'), kit.text('done')],
  ];
  if (!pull) {
    const text = (what: string) => [kit.text(what)];
    scripts.push(
      () => text('all'),
      () => text('all'),
      () => text('long '.repeat(60)),
      () => [kit.late(), kit.text('all')],
      () => [kit.interim(), kit.think(), kit.text('all')],
      () => [kit.other(), kit.other('@stranger'), kit.text('all')],
      () => [kit.taskDone(), kit.text('all')],
      () => [kit.noReplyText()],
      () => [kit.interim(true), kit.text('all')],
    );
  }
  const script = scripts[Math.floor(kit.draw('script') * scripts.length)];
  const steps = script?.() ?? [];
  const last = steps.find((step) => step.do === 'text') ?? kit.text('nothing more');
  return [kit.think(), ...steps.filter((step) => step !== last), ...kit.sendOthers(), last];
}

function troubled({ trouble, first }: Extract<Fault, { kind: 'turn' }>, kit: Kit, pull: boolean): Step[] {
  const spoil: Step[] = kit.draw('spoil') < 0.3 ? [{ do: 'spoil' }] : [];
  const before: Record<typeof first, Step[]> = {
    nothing: [],
    interim: [kit.think(), ...spoil, kit.interim()],
    reply: [kit.think(), ...spoil, kit.send('before the fault')],
    other: [kit.think(), ...spoil, kit.other(), kit.other()],
  };
  const steps = before[first];
  switch (trouble.how) {
    case 'fails': {
      const { failure, untilMs } = trouble;
      const until = untilMs === undefined ? undefined : kit.now + untilMs;
      return [...steps, { do: 'fail', failure, until }];
    }
    case 'dies':
      return [...steps, ...(kit.draw('die') < 0.5 ? [kit.think()] : []), { do: 'die' }];
    case 'silent':
      return [...steps, kit.think(), { do: 'hang' }];
    case 'endless':
      return [...steps, kit.think(), { do: 'dawdle' }];
    case 'empty':
      return [...steps, kit.think(), { do: 'text', text: ' ' }];
    case 'slow': {
      const slow: Step = { do: 'think', ms: 60_000 + kit.draw('slow') * 500_000 };
      return [...steps, slow, slow, slow, ...(pull ? [kit.send('late')] : []), kit.text('late')];
    }
  }
}

class Kit {
  readonly #turn: PlayedTurn;
  readonly #world: AgentWorld;

  constructor(turn: PlayedTurn, world: AgentWorld) {
    this.#turn = turn;
    this.#world = world;
  }

  get now(): number {
    return this.#world.agenda.now;
  }

  draw(what: string): number {
    return this.#world.troubles.draw(`turn ${this.#turn.nth} ${what}`);
  }

  think(): Step {
    return { do: 'think', ms: Math.round(200 * 100 ** this.draw('think')) };
  }

  text(what: string): Step {
    return { do: 'text', text: this.#say('final', what) };
  }

  noReplyText(): Step {
    this.#turn.wantsSilence = true;
    return { do: 'text', text: ' NO_REPLY\n' };
  }

  silence(): Step {
    return this.#tool('no_reply', async (open) => {
      this.#turn.wantsSilence = true;
      return (await open.noReply()).kind;
    });
  }

  taskDone(): Step {
    return this.#tool('task_done', async (open) => {
      this.#turn.taskDone = true;
      return (await open.taskDone()).kind;
    });
  }

  send(what: string, unheard = false): Step {
    return this.#send(this.#turn.conversation, what, false, unheard);
  }

  sendAll(what: string): Step[] {
    return this.#turn.claims.map(({ conversation }) => this.#send(conversation, what, false, false));
  }

  /** Most of the other conversations that it sees; what it leaves out is tried again. */
  sendOthers(): Step[] {
    return this.#turn.claims
      .slice(1)
      .filter(() => this.draw('others') < 0.7)
      .map(({ conversation }) => this.#send(conversation, 'another', false, false));
  }

  interim(unheard = false): Step {
    return this.#send(this.#turn.conversation, 'interim', true, unheard);
  }

  other(to = FRIENDS.find((name) => this.#isOther(name)) ?? '@stranger'): Step {
    return this.#send(to, 'other', false, false);
  }

  look(): Step {
    return this.#tool('list_dms and read_dm', async (open) => {
      await open.list();
      return (await open.read({ with: this.#turn.conversation })).kind;
    });
  }

  late(): Step {
    const text = this.#say('too late', '');
    return {
      do: 'late',
      call: async (open) => {
        const sent = await open.send({ to: this.#turn.conversation, text, interim: false });
        const { violate } = this.#world.record;
        if (sent.kind === 'accepted') violate.call(this.#world.record, 'late-call', `${text} was accepted`);
        return sent.kind;
      },
    };
  }

  #send(to: string, what: string, interim: boolean, unheard: boolean): Step {
    const text = `${to === this.#turn.conversation ? '' : markOf(to)}${this.#say('tool', what, to)}`;
    const ours = this.#turn.claims.some(({ conversation }) => conversation === to);
    const kind = ours ? (interim ? 'interim' : 'reply') : 'other';
    const once: ToolCall = async (open) => {
      this.#world.sends(this.#turn, kind, to, 1);
      const sent = await open.send({ to, text, interim });
      if (sent.kind === 'refused') this.#world.sends(this.#turn, kind, to, -1);
      return sent.kind;
    };
    // A model that was refused often tries again.
    const call: ToolCall = async (open) =>
      (await once(open)) === 'refused' && this.draw('again') < 0.6 ? once(open) : 'sent';
    return this.#tool(`send_dm ${to} ${what}`, call, unheard);
  }

  #isOther(name: string): boolean {
    return this.#turn.claims.every(({ conversation }) => conversation !== name);
  }

  #tool(what: string, call: ToolCall, unheard = false): Step {
    return { do: 'tool', what, call, unheard };
  }

  /** Carries whose it is, which turn said it and how. */
  #say(how: string, what: string, to = this.#turn.conversation): string {
    const mark = to === this.#turn.conversation ? markOf(to) : '';
    return `${mark} t${this.#turn.nth} ${how} ${what}`.trim();
  }
}
