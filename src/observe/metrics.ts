// Metrics in registries of their own: one for each agent, fed by its events and its status, and one for the process.
import { Registry } from 'prom-client';
import type { Status } from '../domain/status.js';
import type { Observer } from '../ports/observer.js';
import { Instruments } from './instruments.js';
import { EventCounts } from './metric-events.js';
import { EVENT_METRICS, FLEET_METRICS, PROCESS_METRICS, STATUS_METRICS } from './metric-list.js';
import { setProcess } from './metric-process.js';
import { type RunFacts, setStatus } from './metric-status.js';

export interface AgentMetrics extends Observer {
  /** In the format 0.0.4. @param status as it is now; undefined when it could not be read */
  text(status: Status | undefined): Promise<string>;
}

export function agentMetrics(run: RunFacts, clock: { now(): number }): AgentMetrics {
  const registry = new Registry();
  // Of several agents in one process each sample says whose it is.
  if (run.agent !== undefined) registry.setDefaultLabels({ agent: run.agent });
  const status = new Instruments(STATUS_METRICS, registry);
  const events = new EventCounts(new Instruments(EVENT_METRICS, registry), clock);
  return {
    on: (event) => events.on(event),
    text(now) {
      setStatus(status, now, run, clock.now());
      events.settle();
      return registry.metrics();
    },
  };
}

export function processMetrics(): { text(): Promise<string> } {
  const registry = new Registry();
  const own = new Instruments(PROCESS_METRICS, registry);
  return {
    text() {
      setProcess(own);
      return registry.metrics();
    },
  };
}

export type AgentState = 'starting' | 'waiting' | 'running' | 'ended';

/** Of a process with many agents. */
export function fleetMetrics(): { text(states: readonly AgentState[]): Promise<string> } {
  const registry = new Registry();
  const fleet = new Instruments(FLEET_METRICS, registry);
  return {
    text(states) {
      for (const state of FLEET_METRICS.inbox_worker_agents.labels.state) {
        fleet.set('inbox_worker_agents', { state }, states.filter((one) => one === state).length);
      }
      return registry.metrics();
    },
  };
}
