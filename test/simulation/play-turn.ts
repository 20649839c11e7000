// What a turn does: a script of tool calls, pauses and an end, cut short by an abort, a limit or a death.
import { NO_USAGE, type TurnOutcome } from '../../src/domain/turn.js';
import type { TurnRequest } from '../../src/ports/agent.js';
import type { OpenTurn } from '../../src/ports/turns.js';
import type { Desk } from '../../src/worker/desk.js';
import { markOf } from './inbox-server.js';
import type { Life } from './life.js';
import { TURN_USD } from './limits.js';
import type { Setting } from './plan.js';
import type { AgentWorld, Child } from './sim-agent.js';
import { type Step, scriptOf } from './turn-script.js';

/** A turn as the simulation knows it. */
export interface PlayedTurn {
  readonly nth: number;
  /** One, or several where a turn sees all that waits. */
  readonly claims: readonly { readonly id: string; readonly conversation: string }[];
  /** That of the first. */
  readonly conversation: string;
  /** It asked for silence, by word or by tool. */
  wantsSilence: boolean;
  /** It said that the task is done: its session ends. */
  taskDone: boolean;
}

export interface Stage {
  readonly world: AgentWorld;
  readonly life: Life;
  readonly desk: Desk;
  readonly child: Child;
  readonly request: TurnRequest;
  readonly signal: AbortSignal;
  readonly turn: PlayedTurn;
}

type Cut = 'aborted' | 'silence' | 'turn' | 'died';

export async function playTurn(stage: Stage): Promise<TurnOutcome> {
  const { world, life, child, signal, turn } = stage;
  const script = scriptOf(turn, world);
  world.record.tell(life.name, `turn ${turn.nth} (${namesOf(turn)}): ${script.map(nameOf).join(', ')}`);
  const cutter = new AbortController();
  let cut: Cut | undefined;
  const cutAs = (why: Cut): void => {
    cut ??= why;
    cutter.abort();
  };
  const onAbort = (): void => cutAs('aborted');
  signal.addEventListener('abort', onAbort, { once: true });
  child.onDeath = () => cutAs('died');
  let kept = false;
  const sessionId = child.session.id;
  // Written, though not yet on disk: the process itself knows it from now on.
  const keep = (): void => {
    if (kept) return;
    kept = true;
    for (const { id, conversation } of turn.claims) {
      child.session.conversations.add(conversation);
      child.session.claims.add(id);
    }
  };
  try {
    for (const step of script) {
      const late = await play(step, stage, cutter.signal, keep);
      if (late) cutAs(late);
      if (cut) break;
      if (step.do === 'text')
        return { kind: 'completed', text: step.text, denials: 0, ...end(sessionId, true) };
      if (step.do === 'fail') {
        keep();
        const { failure, until } = step;
        const message = `API error: ${failure}`;
        return { kind: 'failed', failure, message, until, ...end(sessionId, true) };
      }
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
    child.onDeath = undefined;
  }
  return ended(cut ?? 'died', stage, end(sessionId, kept), keep);
}

async function ended(
  cut: Cut,
  stage: Stage,
  rest: ReturnType<typeof end>,
  keep: () => void,
): Promise<TurnOutcome> {
  const { world, life, child, request } = stage;
  if (cut === 'died') {
    child.alive = false;
    return { kind: 'died', message: 'signal SIGKILL', ...rest };
  }
  // Interrupted; with luck it was just coming to its end.
  await life.pause(world.troubles.drawMs('interrupt', 5, 5_000));
  const luck = world.troubles.draw('interrupted');
  if (luck < 0.15 && child.alive) {
    keep();
    const text = `${markOf(stage.turn.conversation)} t${stage.turn.nth} final just in time`;
    return { kind: 'completed', text, denials: 0, ...rest, promptKept: true };
  }
  if (luck > 0.6) child.alive = false;
  if (cut === 'aborted') return { kind: 'interrupted', reason: 'called off', ...rest };
  const limitMs = cut === 'silence' ? request.silenceMs : request.limitMs;
  return { kind: 'timed-out', limit: cut, limitMs, ...rest };
}

async function play(
  step: Step,
  stage: Stage,
  cut: AbortSignal,
  keep: () => void,
): Promise<'silence' | 'turn' | 'died' | undefined> {
  const { world, life, request, child } = stage;
  switch (step.do) {
    case 'think':
      await life.pause(step.ms, cut);
      if (cut.aborted) return undefined;
      keep();
      request.onProgress?.({
        sessionId: tells(world.setting) ? child.session.id : undefined,
        tool: undefined,
        outputTokens: 1,
      });
      return undefined;
    case 'hang':
      await life.pause(request.silenceMs, cut);
      return cut.aborted ? undefined : 'silence';
    case 'dawdle':
      for (let passed = 0; passed < request.limitMs && !cut.aborted; passed += 300_000) {
        await life.pause(300_000, cut);
        request.onProgress?.({ sessionId: undefined, tool: 'Bash', outputTokens: 1 });
      }
      return cut.aborted ? undefined : 'turn';
    case 'die':
      return 'died';
    case 'tool': {
      await life.point('agent.tool:before');
      const open = stage.desk.of(child.token);
      if (typeof open === 'string') {
        world.record.violate('tools', `in turn ${stage.turn.nth} the desk is ${open}`);
        return undefined;
      }
      const call = step.call(open);
      if (step.unheard) void call;
      else await call;
      await life.point('agent.tool:after');
      return undefined;
    }
    case 'spoil':
      world.troubles.spoil('outbox.commit');
      return undefined;
    case 'late':
      lateCall(stage, step.call);
      return undefined;
    default:
      return undefined;
  }
}

/** A call that was under way when the turn ended, with what it held then: it must change nothing. */
function lateCall(
  { world, life, desk, child, turn }: Stage,
  call: (open: OpenTurn) => Promise<string>,
): void {
  const open = desk.of(child.token);
  if (typeof open === 'string') return;
  void life.pause(world.troubles.drawMs('late call', 10_000, 100_000)).then(async () => {
    if (desk.of(child.token) === open)
      world.record.violate('tools', `turn ${turn.nth} is over and still open`);
    const answer = await call(open);
    world.record.tell(life.name, `late call of turn ${turn.nth}: ${answer}`);
  });
}

const namesOf = (turn: PlayedTurn): string => turn.claims.map(({ conversation }) => conversation).join(', ');
const tells = (setting: Setting): boolean => setting.tellsSession;
const nameOf = (step: Step): string => ('what' in step ? `${step.do} ${step.what}` : step.do);

function end(sessionId: string, promptKept: boolean) {
  return { sessionId, usage: { ...NO_USAGE, modelCalls: 1, costUsd: TURN_USD }, promptKept };
}
