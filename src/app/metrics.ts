// The metrics of a run: of an agent, of its process, of all agents of one; and what a scrape is told.
import type { Settings } from '../config/index.js';
import type { Status } from '../domain/status.js';
import type { AgentMetrics, AgentState } from '../observe/index.js';
import type { Clock } from '../ports/clock.js';

export interface RunMetrics extends AgentMetrics {
  /** Of the process. */
  process(): Promise<string>;
}

/** Undefined where nobody could scrape them: a single look is over too soon. Loaded late, for it takes a moment. */
export async function makeMetrics(
  settings: Pick<Settings, 'once' | 'name'>,
  run: { readonly version: string; readonly inbox: string },
  clock: Clock,
): Promise<RunMetrics | undefined> {
  if (settings.once) return undefined;
  const { agentMetrics, processMetrics } = await import('../observe/metrics.js');
  const own = processMetrics();
  return { ...agentMetrics({ ...run, agent: settings.name }, clock), process: () => own.text() };
}

/** A store in trouble must not take the counters away just when they matter. */
export async function agentText(metrics: AgentMetrics, status: () => Promise<Status>): Promise<string> {
  return metrics.text(await status().catch(() => undefined));
}

/** One of several, as the page of all of them sees it. */
export interface Scraped {
  readonly state: AgentState;
  /** Undefined while it does not run. */
  metrics(): Promise<string | undefined>;
}

/** What is told of all agents of a process. */
export async function fleetTexts(agents: readonly Scraped[]): Promise<() => Promise<string[]>> {
  const { fleetMetrics, processMetrics } = await import('../observe/metrics.js');
  const [fleet, own] = [fleetMetrics(), processMetrics()];
  return async () => {
    const texts = await Promise.all(agents.map((agent) => agent.metrics()));
    const states = agents.map(({ state }) => state);
    return [await fleet.text(states), ...texts.filter((text) => text !== undefined), await own.text()];
  };
}
