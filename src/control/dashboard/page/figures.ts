// The numbers behind the plots: every bucket of a span, the spending of a day, and what is usual among latencies.
import type { Bucket, Latency, Span } from '../../../ports/reports.js';

export interface Range {
  readonly name: string;
  readonly ms: number;
  readonly bucketMs: number;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

export const RANGES: readonly Range[] = [
  { name: '1 h', ms: HOUR, bucketMs: MINUTE },
  { name: '6 h', ms: 6 * HOUR, bucketMs: 5 * MINUTE },
  { name: '24 h', ms: DAY, bucketMs: 15 * MINUTE },
  { name: '7 d', ms: 7 * DAY, bucketMs: 2 * HOUR },
  { name: '30 d', ms: 30 * DAY, bucketMs: 6 * HOUR },
];

export interface Filled {
  /** The beginning of each bucket. */
  readonly at: number[];
  readonly turns: number[];
  readonly modelCalls: number[];
  readonly costUsd: number[];
}

const floor = (at: number, step: number): number => at - (at % step);

/** Midnight UTC before `at`, as budgets count days. */
export const dayOf = (at: number): number => floor(at, DAY);

/** All buckets that touch the span, also those in which nothing was done. */
export function fill(buckets: readonly Bucket[], { from, to }: Span, bucketMs: number): Filled {
  const known = new Map(buckets.map((bucket) => [bucket.at, bucket]));
  const filled: Filled = { at: [], turns: [], modelCalls: [], costUsd: [] };
  for (let at = floor(from, bucketMs); at < to; at += bucketMs) {
    const bucket = known.get(at);
    filled.at.push(at);
    filled.turns.push(bucket?.turns ?? 0);
    filled.modelCalls.push(bucket?.modelCalls ?? 0);
    filled.costUsd.push(bucket?.costUsd ?? 0);
  }
  return filled;
}

/**
 * What its day had cost by the end of each bucket of the span: a line that falls to nothing at midnight UTC.
 * `buckets` must reach back to the beginning of the first day.
 */
export function spentOfDay(buckets: readonly Bucket[], span: Span, bucketMs: number): number[] {
  const whole = fill(buckets, { from: dayOf(span.from), to: span.to }, bucketMs);
  const sums: number[] = [];
  let sum = 0;
  for (const [n, at] of whole.at.entries()) {
    sum = (at % DAY === 0 ? 0 : sum) + (whole.costUsd[n] ?? 0);
    if (at + bucketMs > span.from) sums.push(sum);
  }
  return sums;
}

/** The value that `share` of them do not exceed; undefined of none. @param sorted ascending */
export function quantile(sorted: readonly number[], share: number): number | undefined {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)];
}

export interface Usual {
  readonly median: number;
  readonly most: number;
}

/** The median, and what nineteen of twenty stay within. */
export function usual(latencies: readonly Latency[]): Usual | undefined {
  const sorted = latencies.map(({ ms }) => ms).sort((a, b) => a - b);
  const median = quantile(sorted, 0.5);
  const most = quantile(sorted, 0.95);
  return median === undefined || most === undefined ? undefined : { median, most };
}

export const sum = (values: readonly number[]): number => values.reduce((all, one) => all + one, 0);
