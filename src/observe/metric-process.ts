// The program's own figures. Not prom-client's: those watch garbage collection for ever, once for each registry.
import { readdirSync } from 'node:fs';
import type { Instruments } from './instruments.js';
import type { PROCESS_METRICS } from './metric-list.js';

export function setProcess(metrics: Instruments<typeof PROCESS_METRICS>): void {
  const { user, system } = process.cpuUsage();
  metrics.count('process_cpu_user_seconds_total', {}, user / 1e6);
  metrics.count('process_cpu_system_seconds_total', {}, system / 1e6);
  metrics.count('process_cpu_seconds_total', {}, (user + system) / 1e6);
  const { rss, heapUsed } = process.memoryUsage();
  metrics.set('process_resident_memory_bytes', {}, rss);
  metrics.set('nodejs_heap_size_used_bytes', {}, heapUsed);
  // Of the two clocks only this one stands still: the start would move whenever somebody sets the time.
  metrics.set('process_start_time_seconds', {}, Math.round(performance.timeOrigin) / 1000);
  metrics.set('process_open_fds', {}, openFiles());
  metrics.set('nodejs_version_info', { version: process.version }, 1);
}

function openFiles(): number | undefined {
  try {
    // The folder itself is open while it is read.
    return readdirSync('/proc/self/fd').length - 1;
  } catch {
    return undefined;
  }
}
