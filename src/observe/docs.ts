// Writes what is generated of docs/metrics.md: a table of all metrics, and one of each span.
import {
  EVENT_METRICS,
  FLEET_METRICS,
  type MetricFacts,
  PROCESS_METRICS,
  STATUS_METRICS,
} from './metric-list.js';
import { SPANS } from './span-attributes.js';

const PARTS: readonly (readonly [title: string, list: Readonly<Record<string, MetricFacts>>])[] = [
  ['What is true now', STATUS_METRICS],
  ['What has happened since the start of the run', EVENT_METRICS],
  ['Of many agents', FLEET_METRICS],
  ['The process', PROCESS_METRICS],
];

export function metricTables(): string {
  const parts = PARTS.map(([title, list]) =>
    [
      `### ${title}`,
      '',
      '| metric | type | unit | labels | what it is |',
      '|---|---|---|---|---|',
      ...Object.entries(list).map(metricRow),
    ].join('\n'),
  );
  return parts.join('\n\n');
}

function metricRow([name, { type, help, labels = {} }]: [string, MetricFacts]): string {
  const told = Object.entries(labels).map(([label, values]) =>
    typeof values === 'string' ? `\`${label}\` (${values})` : `\`${label}\`: ${values.join(', ')}`,
  );
  return `| \`${name}\` | ${type} | ${unitOf(name)} | ${told.join('; ') || '–'} | ${help} |`;
}

const UNITS = ['seconds', 'bytes', 'usd', 'tokens'];

/** The unit stands in the name, where there is one: the last word, or the one before `total`. */
function unitOf(name: string): string {
  if (name.includes('timestamp') || name.endsWith('start_time_seconds')) return 'seconds since 1970';
  const words = name.split('_').filter((word) => word !== 'total');
  const unit = words.at(-1) ?? '';
  return UNITS.includes(unit) ? unit : '–';
}

export function spanTables(): string {
  const parts = Object.entries(SPANS).map(([name, { meaning, parent, attributes }]) =>
    [
      `### \`${name}\``,
      '',
      `Is ${meaning}. Parent: ${parent}.`,
      '',
      '| attribute | what it is |',
      '|---|---|',
      ...Object.entries(attributes).map(([key, what]) => `| \`${key}\` | ${what} |`),
    ].join('\n'),
  );
  return parts.join('\n\n');
}

/** The page with its generated parts replaced. Throws a plain Error when a mark is not there. */
export function withMetrics(page: string): string {
  return replaced(replaced(page, 'metrics', metricTables()), 'spans', spanTables());
}

function replaced(page: string, name: string, text: string): string {
  const begin = `<!-- ${name}: generated from src/observe, do not edit -->`;
  const end = `<!-- /${name} -->`;
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`The page needs the marks ${begin} and ${end}.`);
  return `${page.slice(0, from + begin.length)}\n\n${text}\n\n${page.slice(to)}`;
}
