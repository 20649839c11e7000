// What the worker says of itself: gathered from its pieces and the store.
import type { Hold } from '../domain/hold.js';
import type { Health, Status } from '../domain/status.js';
import type { HoldBoard } from './hold-board.js';
import type { LookFacts } from './looker.js';
import type { WorkerParts } from './parts.js';
import type { Ticker } from './ticker.js';
import type { OpenTurnFacts } from './turn-runner.js';

/** No look succeeded for this long: we may be deaf, whatever the process thinks. */
const DEAF_MS = 10 * 60_000;

interface RunFacts {
  readonly startedAt: number;
  readonly stopping: boolean;
  readonly silenceMs: number;
}

export async function describeStatus(
  parts: WorkerParts,
  holds: HoldBoard,
  look: LookFacts,
  ticker: Ticker,
  run: RunFacts,
): Promise<Status> {
  const now = parts.clock.now();
  const [mail, outbox, today, budgets] = await Promise.all([
    parts.mailbox.counts(),
    parts.outbox.counts(),
    parts.ledger.totals(startOfDay(now)),
    ticker.guard.spending(),
  ]);
  const turn = ticker.runner.current;
  const { health, why } = judgeHealth(now, holds.blocking(), [...holds.current.values()], look, turn, run);
  const { version, pid, sessionId } = parts.agent.facts;
  const { turns: sessionTurns, contextTokens } = ticker.session.wear;
  return {
    health,
    why,
    holds: [...holds.current.values()],
    resting: [...ticker.guard.resting].map(([conversation, rest]) => ({ conversation, ...rest })),
    stopping: run.stopping,
    startedAt: run.startedAt,
    turn,
    look: { ...look },
    messages: mail.messages,
    oldestWaitingAt: mail.oldestWaitingAt,
    outbox,
    budgets,
    today: { turns: today.turns, costUsd: today.costUsd, modelCalls: today.modelCalls },
    agent: { version, pid, sessionId, sessionTurns, contextTokens },
  };
}

function judgeHealth(
  now: number,
  blocking: Hold | undefined,
  holds: readonly Hold[],
  look: LookFacts,
  turn: OpenTurnFacts | undefined,
  run: RunFacts,
): { health: Health; why: string } {
  if (turn) {
    const silentMs = now - turn.lastFrameAt;
    // Twice the limit: the watchdog acts at the limit itself, so only a failing watchdog gets here.
    return silentMs > run.silenceMs * 2
      ? { health: 'stuck', why: `No sign of life from Claude for ${Math.round(silentMs / 1000)} s.` }
      : { health: 'working', why: `Answering ${turn.conversation}.` };
  }
  if (blocking) return { health: blocking.reason, why: blocking.why };
  const other = holds[0];
  if (other) return { health: other.reason, why: other.why };
  if (
    now - (look.lastSuccessAt ?? run.startedAt) >
    DEAF_MS + (look.nextAt === undefined ? 0 : Math.max(0, look.nextAt - (look.lastAt ?? now)))
  ) {
    return { health: 'deaf', why: 'No look at the inbox has succeeded for a long time.' };
  }
  return { health: 'idle', why: 'Waiting for a message.' };
}

/** Midnight UTC: a day that does not move with the machine's time zone. */
function startOfDay(now: number): number {
  return now - (now % 86_400_000);
}
