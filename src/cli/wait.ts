// How long `--wait` waits.
import { WorkerError } from '../domain/errors.js';

const DEFAULT_MS = 60_000;
const UNITS: Record<string, number> = { ms: 1, '': 1_000, s: 1_000, m: 60_000, h: 3_600_000 };

/** `true` (no value) is 60 s; `90`, `90s`, `5m`, `500ms` as everywhere else. @throws WorkerError `usage` */
export function waitMs(value: string | boolean): number {
  if (typeof value === 'boolean') return DEFAULT_MS;
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(value.trim());
  const unit = UNITS[match?.[2] ?? ''];
  if (!match || unit === undefined) {
    throw new WorkerError('usage', `--wait has the value "${value}"; write a duration such as 30s or 5m.`);
  }
  return Number(match[1]) * unit;
}
