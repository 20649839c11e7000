// One turn: the prompt goes in, limits and abort are watched, and one outcome comes out.
import { setTimeout as sleep } from 'node:timers/promises';
import { NO_USAGE, type TurnOutcome } from '../domain/turn.js';
import type { TurnRequest } from '../ports/agent.js';
import type { Clock } from '../ports/clock.js';
import { SignCollector } from './classify.js';
import type { Frame, ResultFrame } from './frames.js';
import type { AgentTimings } from './options.js';
import { ProgressTeller } from './progress.js';
import type { SaidTurn } from './protocol.js';
import type { Running } from './running.js';
import { sessionComesToHold } from './transcript.js';
import { type Cause, interruptedOutcome, outcomeOf } from './turn-outcome.js';
import { CallCounter } from './usage.js';
import { keepsInterruptedPrompt } from './version.js';
import { Watchdog } from './watchdog.js';

export interface TurnTools {
  readonly clock: Clock;
  readonly timings: AgentTimings;
  /** Claude's own: it says where the transcripts are. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Never rejects. When the process is not fit for another turn, it has been ended when this resolves. */
export async function runTurn(
  running: Running,
  request: TurnRequest,
  signal: AbortSignal,
  tools: TurnTools,
): Promise<TurnOutcome> {
  if (signal.aborted) {
    return interruptedOutcome(signal, { sessionId: running.sessionId, usage: NO_USAGE, promptKept: false });
  }
  const counter = new CallCounter();
  const signs = new SignCollector();
  const watchdog = new Watchdog(tools.clock, request);
  const progress = new ProgressTeller(request, counter);
  const { promise: over, tell } = firstCause();
  const stop = new AbortController();

  const onFrame = (frame: Frame): void => {
    counter.take(frame);
    signs.take(frame);
    if (frame.kind === 'init' && lacksGateway(running)) tell({ kind: 'no-gateway' });
    progress.take(frame);
    if (frame.kind !== 'keep-alive' && frame.kind !== 'noise') watchdog.feed(progress.tool);
  };

  running.dirty = true;
  const said = running.protocol.say(request.id, request.prompt, onFrame);
  said.result.then(
    (result) => tell({ kind: 'result', result }),
    (error: unknown) => tell({ kind: 'died', error }),
  );
  watchdog
    .expired(stop.signal)
    .then((limit) => limit && tell({ kind: 'late', limit, silenceMs: watchdog.silenceMs }));
  const onAbort = (): void => tell({ kind: 'aborted' });
  signal.addEventListener('abort', onAbort, { once: true });
  tellWhenKept(running, request, progress, tools, stop.signal);

  const cause = await over;
  stop.abort();
  signal.removeEventListener('abort', onAbort);
  const result = await resultOf(cause, running, said, tools.timings);
  const usage = counter.usage(result && running.meter.take(result));
  if (!result) await putDown(running, cause);
  // Better no turn than one without tools; the next process is looked at anew.
  if (cause.kind === 'no-gateway') await running.retire(0);
  const outcome = await outcomeOf({
    running,
    request,
    signal,
    cause,
    result,
    signs: signs.signs,
    usage,
    contextTokens: counter.contextTokens,
    model: counter.model,
    ...tools,
  });
  // Its own budget counts over its whole life: every further turn of this process would end the same way.
  if (outcome.kind === 'failed' && outcome.failure === 'over-budget') await running.retire(0);
  return outcome;
}

/** Only when the record on disk holds the prompt is it true that a resumed session would remember it. */
function tellWhenKept(
  running: Running,
  request: TurnRequest,
  progress: ProgressTeller,
  { environment }: TurnTools,
  stop: AbortSignal,
): void {
  if (!keepsInterruptedPrompt(running.version)) return;
  sessionComesToHold(environment, running.sessionId, request.id, stop).then(
    (holds) => holds && progress.holds(running.sessionId),
  );
}

function firstCause(): { promise: Promise<Cause>; tell(cause: Cause): void } {
  let tell: (cause: Cause) => void = () => {};
  const promise = new Promise<Cause>((resolve) => {
    tell = resolve;
  });
  return { promise, tell: (cause) => tell(cause) };
}

/** Where the gate could not see the gateway, the first init of a turn has to. */
function lacksGateway(running: Running): boolean {
  if (running.proven) return false;
  running.proven = running.gatewayStatus === 'connected';
  return !running.proven;
}

/** The turn's result, after an interrupt if it needs one; undefined when none comes in time. */
async function resultOf(
  cause: Cause,
  running: Running,
  said: SaidTurn,
  { interruptMs }: AgentTimings,
): Promise<ResultFrame | undefined> {
  if (cause.kind === 'result') return cause.result;
  if (cause.kind === 'died') return undefined;
  said.acceptUnnamed();
  running.protocol.control({ subtype: 'interrupt', cancel_queued: true }, interruptMs).catch(() => undefined);
  const enough = new AbortController();
  const result = await Promise.race([
    said.result.catch(() => undefined),
    sleep(interruptMs, undefined, { signal: enough.signal }).catch(() => undefined),
  ]);
  enough.abort();
  return result;
}

/** Without a result its state is unknown, and a late one would be taken for the next turn's. */
async function putDown(running: Running, cause: Cause): Promise<void> {
  // A failed write can be known before the end that caused it, and the end tells more.
  if (cause.kind === 'died')
    await Promise.race([running.child.exited, sleep(500, undefined, { ref: false })]);
  await running.retire(0);
}
