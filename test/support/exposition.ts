// A strict reader of what /metrics says: anything that a scraper might stumble over throws.

export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface Family {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly samples: readonly Sample[];
}

export interface Exposed {
  readonly families: ReadonlyMap<string, Family>;
  /** The value of one sample; throws when there is none, or when the labels fit several. */
  value(name: string, labels?: Readonly<Record<string, string>>): number;
  /** Every sample, by the text that stands before its value. */
  readonly all: ReadonlyMap<string, number>;
}

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const LINE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(,|$)/y;
const FLOAT = /^(?:[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[+-]Inf|NaN)$/;

export function parseExposition(text: string, format: 'plain' | 'open' = 'plain'): Exposed {
  if (!text.endsWith('\n')) throw new Error('the last line has no end');
  let lines = text.slice(0, -1).split('\n');
  if (format === 'open') {
    if (lines.at(-1) !== '# EOF') throw new Error('the text does not end in # EOF');
    lines = lines.slice(0, -1);
    if (lines.includes('')) throw new Error('OpenMetrics has no empty lines');
  }
  const families = new Map<string, { name: string; type: string; help: string; samples: Sample[] }>();
  const all = new Map<string, number>();
  let current: { name: string; type: string; help: string; samples: Sample[] } | undefined;
  for (const line of lines.filter((one) => one !== '')) {
    const comment = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line);
    if (comment) {
      const [, what, name = '', rest = ''] = comment;
      if (!NAME.test(name)) throw new Error(`no name of a metric: ${line}`);
      if (what === 'HELP') {
        if (families.has(name)) throw new Error(`a family comes twice: ${name}`);
        current = { name, type: '', help: rest, samples: [] };
        families.set(name, current);
      } else {
        if (current?.name !== name || current.type !== '') throw new Error(`TYPE out of place: ${line}`);
        if (!['counter', 'gauge', 'histogram'].includes(rest)) throw new Error(`unknown type: ${line}`);
        current.type = rest;
      }
      continue;
    }
    if (line.startsWith('#')) throw new Error(`unknown comment: ${line}`);
    const [, name = '', labelText, value = ''] = LINE.exec(line) ?? [];
    if (!FLOAT.test(value)) throw new Error(`no sample: ${line}`);
    if (!current || current.type === '') throw new Error(`a sample without its family: ${line}`);
    const labels = labelsOf(labelText, line);
    if (!belongs(name, current, format)) throw new Error(`${line} does not belong to ${current.name}`);
    const key = line.slice(0, line.lastIndexOf(' '));
    const canonical = `${name}${JSON.stringify(Object.entries(labels).sort())}`;
    if (all.has(canonical)) throw new Error(`a sample comes twice: ${line}`);
    all.set(canonical, numberOf(value));
    if (current.type === 'counter' && numberOf(value) < 0) throw new Error(`a counter below zero: ${line}`);
    current.samples.push({ name, labels, value: numberOf(value) });
    if (key.endsWith(',}')) throw new Error(`a comma too many: ${line}`);
  }
  for (const family of families.values()) if (family.type === 'histogram') checkHistogram(family);
  return {
    families,
    all,
    value(name, wanted = {}) {
      const found = [...families.values()]
        .flatMap((family) => family.samples)
        .filter(
          (sample) =>
            sample.name === name &&
            Object.entries(wanted).every(([label, value]) => sample.labels[label] === value),
        );
      if (found.length !== 1) throw new Error(`${found.length} samples ${name} ${JSON.stringify(wanted)}`);
      return found[0]?.value ?? Number.NaN;
    },
  };
}

function belongs(name: string, family: Family, format: 'plain' | 'open'): boolean {
  if (family.type === 'histogram') {
    return ['_bucket', '_sum', '_count'].some((suffix) => name === family.name + suffix);
  }
  if (family.type === 'counter') {
    return format === 'open'
      ? name === `${family.name}_total` && !family.name.endsWith('_total')
      : name === family.name && name.endsWith('_total');
  }
  return name === family.name && !name.endsWith('_total');
}

function labelsOf(text: string | undefined, line: string): Record<string, string> {
  const labels: Record<string, string> = {};
  if (text === undefined) return labels;
  LABEL.lastIndex = 0;
  while (LABEL.lastIndex < text.length) {
    const [, name = '', value = ''] = LABEL.exec(text) ?? [];
    if (name === '' || name in labels) throw new Error(`labels cannot be read: ${line}`);
    labels[name] = value.replace(/\\(.)/g, (_, char: string) => (char === 'n' ? '\n' : char));
  }
  return labels;
}

function checkHistogram(family: Family): void {
  const series = new Map<string, Sample[]>();
  for (const sample of family.samples) {
    const { le: _le, ...rest } = sample.labels;
    const key = JSON.stringify(rest);
    series.set(key, [...(series.get(key) ?? []), sample]);
  }
  for (const samples of series.values()) {
    const buckets = samples.filter(({ name }) => name.endsWith('_bucket'));
    const count = samples.find(({ name }) => name.endsWith('_count'))?.value;
    const bounds = buckets.map(({ labels }) => numberOf(labels.le ?? ''));
    const sorted = bounds.every((bound, index) => index === 0 || bound > (bounds[index - 1] ?? Infinity));
    const grows = buckets.every(({ value }, index) => value >= (buckets[index - 1]?.value ?? 0));
    if (!sorted || !grows || bounds.at(-1) !== Infinity || buckets.at(-1)?.value !== count) {
      throw new Error(`the histogram ${family.name} does not add up`);
    }
  }
}

function numberOf(text: string): number {
  return /Inf$/.test(text) ? (text.startsWith('-') ? -Infinity : Infinity) : Number(text);
}
