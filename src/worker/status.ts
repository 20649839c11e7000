// What the worker says of itself: gathered from its pieces and the store.
import { type HealthFacts, judgeHealth } from '../domain/health.js';
import type { Status } from '../domain/status.js';
import type { LookFacts } from './looker.js';
import type { WorkerOptions } from './options.js';
import type { WorkerParts } from './parts.js';
import { storeReport } from './store-report.js';
import type { Ticker } from './ticker.js';
import type { WakeDesk } from './wake-desk.js';

export interface StatusSources {
  readonly parts: WorkerParts;
  readonly options: WorkerOptions;
  /** Of this very moment. */
  readonly facts: HealthFacts;
  readonly look: LookFacts;
  readonly ticker: Ticker;
  readonly wakes: WakeDesk;
}

export async function describeStatus(sources: StatusSources): Promise<Status> {
  const { parts, options, facts, look, ticker, wakes } = sources;
  const { now, startedAt, stopping, holds } = facts;
  const { version, pid, sessionId } = parts.agent.facts;
  return {
    ...judgeHealth(facts),
    version: options.version,
    holds: [...holds.values()].filter(({ until }) => (until ?? Infinity) > now),
    resting: [...ticker.guard.resting].map(([conversation, rest]) => ({ conversation, ...rest })),
    stopping,
    startedAt,
    turn: ticker.runner.current,
    look: { ...look },
    ...(await storeReport(parts, now)),
    budgets: await ticker.guard.spending(),
    wakes: wakes.reports,
    session: ticker.session.report,
    agent: { version, pid, sessionId },
  };
}
