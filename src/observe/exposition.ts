// The text that Prometheus reads, in the older format or as OpenMetrics, whichever the scraper asks for.

export interface Exposition {
  readonly contentType: string;
  readonly body: string;
}

const PLAIN = 'text/plain; version=0.0.4; charset=utf-8';
const OPEN = 'application/openmetrics-text; version=1.0.0; charset=utf-8';

/**
 * @param texts of several registries, in the format 0.0.4: what they have in common becomes one family
 * @param accept the Accept header, where there is one
 */
export function exposition(texts: readonly string[], accept: string | undefined): Exposition {
  const text = merged(texts);
  return wantsOpenMetrics(accept)
    ? { contentType: OPEN, body: asOpenMetrics(text) }
    : { contentType: PLAIN, body: text };
}

/** A family may stand in the text once only, with all its samples. */
function merged(texts: readonly string[]): string {
  const families = new Map<string, string[]>();
  for (const block of texts.flatMap((text) => text.split('\n\n'))) {
    const [help = '', type = '', ...samples] = block.trimEnd().split('\n');
    families.set(`${help}\n${type}`, [...(families.get(`${help}\n${type}`) ?? []), ...samples]);
  }
  return [...families].map(([head, samples]) => `${[head, ...samples].join('\n')}\n`).join('\n');
}

/** prom-client writes OpenMetrics too, but renames its counters for good when it has done so once. */
function asOpenMetrics(text: string): string {
  const lines = text
    .split('\n')
    .filter((line) => line !== '')
    // A counter's family has no suffix there; its samples keep theirs.
    .map((line) => line.replace(/^(# (?:HELP|TYPE) \w+?)_total( .*)$/, '$1$2'));
  return `${lines.join('\n')}\n# EOF\n`;
}

/** Whoever names it wants it, unless with a lower q than plain text. */
function wantsOpenMetrics(accept = ''): boolean {
  const open = qOf(accept, 'application/openmetrics-text');
  return open > 0 && open >= qOf(accept, 'text/plain');
}

function qOf(accept: string, type: string): number {
  const ranges = accept.split(',').map((range) =>
    range
      .trim()
      .toLowerCase()
      .split(/\s*;\s*/),
  );
  const found = ranges.filter(([name]) => name === type);
  const qs = found.map((range) => Number(range.find((part) => part.startsWith('q='))?.slice(2) ?? 1));
  return Math.max(0, ...qs.filter((q) => !Number.isNaN(q)));
}
