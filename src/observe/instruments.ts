// The instruments of a list of metrics, in a registry: label values that the list does not hold do not compile.
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { MetricFacts } from './metric-list.js';

/** The labels a metric must be given, with the values its list allows. */
type LabelsOf<Facts> = Facts extends { labels: infer Labels }
  ? {
      readonly [Name in keyof Labels]: Labels[Name] extends readonly (infer Value)[]
        ? Value & string
        : string;
    }
  : Record<string, never>;

type Named<List, Type> = {
  [Name in keyof List]: List[Name] extends { type: Type } ? Name : never;
}[keyof List] &
  string;

/** The list must not change: its names and label values are the type. */
export class Instruments<const List extends Readonly<Record<string, MetricFacts>>> {
  readonly #counters = new Map<string, Counter>();
  readonly #gauges = new Map<string, Gauge>();
  readonly #histograms = new Map<string, Histogram>();

  constructor(list: List, registry: Registry) {
    for (const [name, { type, help, labels = {}, buckets }] of Object.entries(list)) {
      const facts = { name, help, labelNames: Object.keys(labels), registers: [registry] };
      if (type === 'gauge') this.#gauges.set(name, new Gauge(facts));
      else if (type === 'histogram') {
        this.#histograms.set(name, new Histogram({ ...facts, buckets: [...(buckets ?? [])] }));
      } else {
        const counter = new Counter(facts);
        this.#counters.set(name, counter);
        // A rate needs the zero before the first event.
        for (const set of allLabels(Object.entries(labels))) counter.inc(set, 0);
      }
    }
  }

  inc<Name extends Named<List, 'counter'>>(name: Name, labels: LabelsOf<List[Name]>, by = 1): void {
    this.#counters.get(name)?.inc(labels, by);
  }

  /** For a counter that somebody else counts: the value it has now. */
  count<Name extends Named<List, 'counter'>>(name: Name, labels: LabelsOf<List[Name]>, total: number): void {
    const counter = this.#counters.get(name);
    counter?.remove(labels);
    counter?.inc(labels, total);
  }

  /** Undefined takes the value away: it is not known now. */
  set<Name extends Named<List, 'gauge'>>(
    name: Name,
    labels: LabelsOf<List[Name]>,
    value: number | undefined,
  ): void {
    const gauge = this.#gauges.get(name);
    if (value === undefined) gauge?.remove(labels);
    else gauge?.set(labels, value);
  }

  observe<Name extends Named<List, 'histogram'>>(
    name: Name,
    labels: LabelsOf<List[Name]>,
    value: number,
  ): void {
    this.#histograms.get(name)?.observe(labels, value);
  }

  /** Takes all values of all gauges away. */
  clear(): void {
    // `reset` of a gauge without labels would leave a zero, which is a value.
    for (const gauge of this.#gauges.values()) {
      gauge.reset();
      gauge.remove({});
    }
  }
}

type Entry = readonly [name: string, values: readonly string[] | string];

/** Every combination of the values, where all of them are known. */
function allLabels(labels: readonly Entry[]): Record<string, string>[] {
  return labels.reduce<Record<string, string>[]>(
    (sets, [name, values]) =>
      typeof values === 'string'
        ? []
        : sets.flatMap((set) => values.map((value) => ({ ...set, [name]: value }))),
    [{}],
  );
}
