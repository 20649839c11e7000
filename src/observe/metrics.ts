// The metrics of one agent: a registry of its own, fed by its events and, at each scrape, by its status.
import { Registry } from 'prom-client';
import type { Status } from '../domain/status.js';
import type { Observer } from '../ports/observer.js';
import { type Exposition, exposition } from './exposition.js';
import { Instruments } from './instruments.js';
import { EventCounts } from './metric-events.js';
import { EVENT_METRICS, PROCESS_METRICS, STATUS_METRICS } from './metric-list.js';
import { setProcess } from './metric-process.js';
import { type RunFacts, setStatus } from './metric-status.js';

export interface Metrics extends Observer {
  /**
   * @param status as it is now; undefined when it could not be read
   * @param accept the scraper's Accept header
   */
  expose(status: Status | undefined, accept?: string): Promise<Exposition>;
}

export function agentMetrics(run: RunFacts, clock: { now(): number }): Metrics {
  const registry = new Registry();
  const status = new Instruments(STATUS_METRICS, registry);
  const events = new EventCounts(new Instruments(EVENT_METRICS, registry), clock);
  const own = new Instruments(PROCESS_METRICS, registry);
  return {
    on: (event) => events.on(event),
    async expose(now, accept) {
      setStatus(status, now, run, clock.now());
      setProcess(own);
      events.settle();
      return exposition(await registry.metrics(), accept);
    },
  };
}
