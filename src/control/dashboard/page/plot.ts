// One plot: a drawing for the eye, a sentence for the ear, and the same numbers as a table.
import type UPlot from 'uplot';
import type { Span } from '../../../ports/reports.js';
import { make, setAttribute, setText } from './dom.js';
import { clock, dayOfYear } from './words.js';

export interface Line {
  readonly kind: 'bars' | 'dots' | 'area' | 'dashed';
  /** A colour of the style sheet. */
  readonly colour: string;
}

export interface Drawing {
  readonly span: Span;
  /** Instants, ascending. */
  readonly x: readonly number[];
  /** One list a line, each as long as `x`. */
  readonly lines: readonly (readonly (number | null)[])[];
  /** What the picture shows, in a sentence. */
  readonly summary: string;
  /** Out of how many, where the picture itself shows that. */
  readonly of?: string;
  /** Said in place of a picture when there is nothing to draw. */
  readonly nothing: string | undefined;
  /** What is read off at one point. */
  readout(index: number): string;
  readonly rows: readonly (readonly string[])[];
}

export interface PlotOptions {
  readonly title: string;
  readonly lines: readonly Line[];
  /** Head of the table. */
  readonly head: readonly string[];
  /** How a value stands at the axis. */
  value(value: number): string;
  /** Where the axis has its marks: then it is logarithmic. */
  readonly marks?: readonly number[];
}

export interface Plot {
  readonly element: HTMLElement;
  draw(drawing: Drawing): void;
}

const HEIGHT = 140;
const ROWS = 50;
const DAY_MS = 86_400_000;

/** Its own script defines it before this one runs. */
const library = (): typeof UPlot => (globalThis as unknown as { uPlot: typeof UPlot }).uPlot;

export function plot(options: PlotOptions): Plot {
  const summary = make('p', { class: 'summary' });
  const canvas = make('div', { class: 'canvas', role: 'img' });
  const readout = make('p', { class: 'readout', 'aria-hidden': 'true' });
  const body = make('tbody');
  const head = make('tr', {}, ...options.head.map((text) => make('th', { scope: 'col' }, text)));
  const numbers = make(
    'table',
    {},
    make('caption', { class: 'unseen' }, options.title),
    make('thead', {}, head),
    body,
  );
  const element = make(
    'figure',
    { class: 'card plot' },
    make('figcaption', {}, make('h3', {}, options.title), summary),
    canvas,
    readout,
    make(
      'details',
      {},
      make('summary', {}, 'As a table', make('span', { class: 'unseen' }, `: ${options.title}`)),
      make(
        'div',
        { class: 'scroll', tabindex: '0', role: 'group', 'aria-label': `${options.title}, as a table` },
        numbers,
      ),
    ),
  );

  let drawing: Drawing | undefined;
  let chart: UPlot | undefined;
  const size = () => ({ width: Math.max(120, canvas.clientWidth), height: HEIGHT });

  new ResizeObserver(() => chart?.setSize(size())).observe(canvas);
  // Colours are asked for when it is drawn, so drawing again is all it takes.
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => chart?.redraw());

  const point = (index: number | null | undefined): void => {
    const text = drawing && !drawing.nothing && index != null ? drawing.readout(index) : '';
    setText(readout, text);
  };

  return {
    element,
    draw(next) {
      drawing = next;
      setText(summary, next.summary);
      setAttribute(
        canvas,
        'aria-label',
        `${options.title}: ${next.nothing ?? [next.summary, next.of].filter(Boolean).join('; ')}`,
      );
      setAttribute(canvas, 'data-nothing', next.nothing);
      const data = [[...next.x], ...next.lines.map((line) => [...line])] as unknown as UPlot.AlignedData;
      if (chart) chart.setData(data);
      else
        chart = new (library())(
          chartOptions(options, () => drawing, size(), point),
          data,
          canvas,
        );
      body.replaceChildren(
        ...next.rows.slice(0, ROWS).map((row) => make('tr', {}, ...row.map((text) => make('td', {}, text)))),
      );
    },
  };
}

function chartOptions(
  { lines, value, marks }: PlotOptions,
  drawing: () => Drawing | undefined,
  size: { width: number; height: number },
  point: (index: number | null | undefined) => void,
): UPlot.Options {
  const span = (): [number, number] => {
    const { from, to } = drawing()?.span ?? { from: 0, to: 1 };
    return [from, to];
  };
  const axis = {
    stroke: () => colour('--muted'),
    grid: { stroke: () => colour('--line'), width: 1 },
    ticks: { show: false },
    font: '11px system-ui, sans-serif',
  };
  return {
    ...size,
    ms: 1,
    padding: [8, 8, 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
    scales: {
      x: { time: true, range: span },
      y: marks
        ? { distr: 3, range: (_chart, min, max) => between(marks, min, max) }
        : { range: (_chart, _min, max) => [0, max > 0 ? max * 1.1 : 1] },
    },
    axes: [
      {
        ...axis,
        size: 26,
        space: 56,
        values: (_chart, splits, _axis, _space, step) =>
          splits.map((at) => (step >= DAY_MS ? dayOfYear(at) : clock(at, at))),
      },
      {
        ...axis,
        size: 52,
        space: 28,
        values: (_chart, splits) => splits.map((split) => value(split)),
        ...(marks ? { splits: () => [...marks], filter: (_chart: UPlot, splits: number[]) => splits } : {}),
      },
    ],
    series: [{}, ...lines.map(seriesOf)],
    hooks: { setCursor: [(chart) => point(chart.cursor.idx)] },
  };
}

function seriesOf({ kind, colour: name }: Line): UPlot.Series {
  const own = (): string => colour(name);
  switch (kind) {
    case 'bars':
      return {
        fill: own,
        points: { show: false },
        paths: library().paths.bars?.({ size: [0.9, 40], align: 1 }),
      };
    case 'dots':
      return { paths: () => null, points: { show: true, size: 5, fill: own, stroke: own, width: 0 } };
    case 'area':
      return { stroke: own, width: 2, fill: () => colour(`${name}-soft`), points: { show: false } };
    case 'dashed':
      return { stroke: own, width: 1.5, dash: [6, 4], points: { show: false } };
  }
}

/** From the mark below the least to the mark above the most. */
function between(marks: readonly number[], min: number | null, max: number | null): [number, number] {
  const low = marks.findLast((mark) => mark <= (min ?? 0)) ?? marks[0] ?? 1;
  const high = marks.find((mark) => mark >= (max ?? 0) && mark > low) ?? marks.at(-1) ?? 10;
  return [low, high];
}

const colour = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name);
