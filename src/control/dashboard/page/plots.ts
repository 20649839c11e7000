// The four plots: how long people wait, turns, what they cost, and the day's spending against its budget.
import type { Status } from '../../../domain/status.js';
import { counted, humanDollars, humanDuration } from '../../../lib/human.js';
import { oneLine } from '../../../lib/one-line.js';
import type { Bucket, Span } from '../../../ports/reports.js';
import type { LatencyList } from '../../wire.js';
import { make, must } from './dom.js';
import { dayOf, fill, RANGES, type Range, spentOfDay, sum, usual } from './figures.js';
import { plot } from './plot.js';
import { clock, whole } from './words.js';

export interface Figures {
  readonly buckets: readonly Bucket[];
  readonly latencies: LatencyList;
}

export interface Plots {
  /** What is to be asked for now. `series` reaches back to midnight, for the spending of the first day. */
  spans(now: number): { readonly series: Span & { readonly bucketMs: number }; readonly latencies: Span };
  show(figures: Figures, status: Status, now: number): void;
}

const SECOND = 1_000;
const LATENCY_MARKS = [0.1, 1, 10, 60, 600, 3_600, 36_000, 360_000].map((seconds) => seconds * SECOND);

const latency = plot({
  title: 'From message to reply',
  lines: [
    { kind: 'dots', colour: '--accent-dot' },
    { kind: 'dashed', colour: '--second' },
  ],
  head: ['Replied', 'With', 'After'],
  value: humanDuration,
  marks: LATENCY_MARKS,
});
const turns = plot({
  title: 'Turns',
  lines: [{ kind: 'bars', colour: '--accent' }],
  head: ['From', 'Turns', 'Model calls'],
  value: (count) => (Number.isInteger(count) ? String(count) : ''),
});
const cost = plot({
  title: 'Cost',
  lines: [{ kind: 'bars', colour: '--accent' }],
  head: ['From', 'Cost'],
  value: humanDollars,
});
const budget = plot({
  title: 'Spent of the day',
  lines: [
    { kind: 'area', colour: '--accent' },
    { kind: 'dashed', colour: '--second' },
  ],
  head: ['Until', 'Spent that day'],
  value: humanDollars,
});

export function plots(wanted: () => void): Plots {
  let range: Range = RANGES[2] ?? { name: '24 h', ms: 86_400_000, bucketMs: 900_000 };
  must('range').append(
    ...RANGES.map((one) => {
      const input = make('input', { type: 'radio', name: 'range', value: one.name });
      input.checked = one === range;
      input.addEventListener('change', () => {
        range = one;
        wanted();
      });
      return make('label', {}, input, make('span', {}, one.name));
    }),
  );
  must('plots').replaceChildren(latency.element, turns.element, cost.element, budget.element);

  /** Up to the end of the bucket that is under way. */
  const spanAt = (now: number): Span => {
    const to = now - (now % range.bucketMs) + range.bucketMs;
    return { from: to - range.ms, to };
  };
  return {
    spans(now) {
      const { from, to } = spanAt(now);
      return { series: { from: dayOf(from), to, bucketMs: range.bucketMs }, latencies: { from, to } };
    },
    show({ buckets, latencies }, status, now) {
      const span = spanAt(now);
      drawLatency(latencies, span, now);
      drawBuckets(buckets, span, range.bucketMs, now);
      drawBudget(buckets, span, range.bucketMs, status, now);
    },
  };
}

function drawLatency({ latencies, more }: LatencyList, span: Span, now: number): void {
  // The newest first on the wire. What a clock that was set back made negative has no place on the axis.
  const shown = latencies.filter(({ ms }) => ms >= 0).toReversed();
  const typical = usual(shown);
  const all = `${more ? 'the last ' : ''}${counted(shown.length, 'reply', 'replies')}`;
  latency.draw({
    span,
    x: shown.map(({ at }) => at),
    lines: [
      shown.map(({ ms }) => Math.max(ms, LATENCY_MARKS[0] ?? 1)),
      shown.map(() => typical?.median ?? null),
    ],
    summary: typical
      ? `median ${humanDuration(typical.median)}, 95 % within ${humanDuration(typical.most)}`
      : 'no reply in this time',
    of: all,
    nothing: shown.length === 0 ? 'No reply in this time.' : undefined,
    readout: (index) => {
      const one = shown[index];
      return one ? `${clock(one.at, now)}  ${humanDuration(one.ms)}, ${oneLine(one.conversation, 40)}` : '';
    },
    rows: latencies.map(({ at, conversation, ms }) => [
      whole(at),
      oneLine(conversation, 80),
      ms < 0 ? 'unknown: the clock was set back' : humanDuration(ms),
    ]),
  });
}

function drawBuckets(buckets: readonly Bucket[], span: Span, bucketMs: number, now: number): void {
  const filled = fill(buckets, span, bucketMs);
  const inSpan = buckets.filter(({ at }) => at + bucketMs > span.from).toReversed();
  const [allTurns, calls, usd] = [sum(filled.turns), sum(filled.modelCalls), sum(filled.costUsd)];
  const nothing = allTurns === 0 ? 'No turn in this time.' : undefined;
  const every = `bars of ${humanDuration(bucketMs)}`;
  turns.draw({
    span,
    x: filled.at,
    lines: [filled.turns],
    summary: `${counted(allTurns, 'turn')}, ${counted(calls, 'model call')}; ${every}`,
    nothing,
    readout: (n) =>
      `${clock(filled.at[n] ?? 0, now)}  ${counted(filled.turns[n] ?? 0, 'turn')}, ${counted(filled.modelCalls[n] ?? 0, 'model call')}`,
    rows: inSpan.map((bucket) => [whole(bucket.at), String(bucket.turns), String(bucket.modelCalls)]),
  });
  cost.draw({
    span,
    x: filled.at,
    lines: [filled.costUsd],
    summary: `${humanDollars(usd)}${allTurns > 0 ? `, ${humanDollars(usd / allTurns)} a turn` : ''}; ${every}`,
    nothing,
    readout: (n) => `${clock(filled.at[n] ?? 0, now)}  ${humanDollars(filled.costUsd[n] ?? 0)}`,
    rows: inSpan.map((bucket) => [whole(bucket.at), humanDollars(bucket.costUsd)]),
  });
}

/** Beyond this many times what was spent, the line of the budget would press all else to the ground. */
const FAR = 5;

function drawBudget(
  buckets: readonly Bucket[],
  span: Span,
  bucketMs: number,
  { budgets }: Status,
  now: number,
): void {
  const { at } = fill(buckets, span, bucketMs);
  const spent = spentOfDay(buckets, span, bucketMs);
  const cap = budgets.find(({ window }) => window === 'day')?.cap.usd;
  const most = Math.max(0, ...spent);
  const limit = typeof cap === 'number' && cap <= most * FAR ? cap : null;
  const today = spent.at(-1) ?? 0;
  const of = typeof cap === 'number' ? ` of ${humanDollars(cap)}` : '';
  budget.draw({
    span,
    x: at,
    lines: [spent, at.map(() => limit)],
    summary: `${humanDollars(today)}${of} since midnight UTC`,
    nothing: most === 0 ? 'Nothing was spent in this time.' : undefined,
    readout: (n) => `${clock((at[n] ?? 0) + bucketMs, now)}  ${humanDollars(spent[n] ?? 0)}${of}`,
    rows: at
      .map((from, n) => [whole(from + bucketMs), humanDollars(spent[n] ?? 0)])
      .filter((_row, n) => (n === 0 ? spent[n] !== 0 : spent[n] !== spent[n - 1]))
      .toReversed(),
  });
}
