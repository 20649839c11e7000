// Holds docs/metrics.md to the program: its tables are current, its alert rules name what is really exposed.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { SETTING_LIST } from '../../src/config/schema.js';
import { withMetrics } from '../../src/observe/docs.js';
import { METRICS } from '../../src/observe/metric-list.js';

const page = readFileSync(new URL('../../docs/metrics.md', import.meta.url), 'utf8');
const blocks = [...page.matchAll(/^```yaml\n([\s\S]*?)^```/gm)].map((match) => match[1] ?? '');

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string };
}

it('has the tables of the lists; run `npm run generate` where it has not', () => {
  expect(page).toBe(withMetrics(page));
  expect(() => withMetrics('# Metrics')).toThrow('needs the marks');
  for (const name of Object.keys(METRICS)) expect(page).toContain(`| \`${name}\` |`);
});

it('gives alert rules over metrics and label values that there are', () => {
  const { groups } = parse(blocks[1] ?? '') as { groups: { rules: Rule[] }[] };
  const rules = groups.flatMap((group) => group.rules);
  expect(rules.map(({ alert }) => alert)).toEqual(
    expect.arrayContaining([
      'InboxWorkerDeaf',
      'InboxWorkerStuck',
      'InboxWorkerDeadLetters',
      'InboxWorkerBudgetNear',
    ]),
  );
  for (const { expr, alert, labels, annotations } of rules) {
    expect([alert, labels.severity]).toEqual([alert, expect.stringMatching(/^(?:page|ticket)$/)]);
    expect(annotations.summary, alert).toMatch(/\.$/);
    const used = [...expr.matchAll(/\b(inbox_worker_\w+)(?:\{([^}]*)\})?/g)];
    expect(used.length + Number(expr.startsWith('up{')), alert).toBeGreaterThan(0);
    for (const [, name = '', matchers = ''] of used) {
      expect(METRICS, alert).toHaveProperty(name);
      for (const [, label = '', values = ''] of matchers.matchAll(/(\w+)=~?"([^"]*)"/g)) {
        const allowed = METRICS[name]?.labels?.[label];
        for (const value of values.split('|')) expect(allowed, `${alert} ${label}`).toContain(value);
      }
    }
  }
});

it('gives a scrape configuration with the token in a file, and names settings that there are', () => {
  const { scrape_configs: scrapes } = parse(blocks[0] ?? '') as {
    scrape_configs: { authorization: Record<string, string>; static_configs: { targets: string[] }[] }[];
  };
  expect(scrapes[0]?.authorization).toEqual({ credentials_file: expect.stringMatching(/^\//) });
  const port = /INBOX_WORKER_CONTROL_PORT=(\d+)/.exec(page)?.[1];
  expect(scrapes[0]?.static_configs[0]?.targets).toEqual([`127.0.0.1:${port}`]);
  const known = new Set(SETTING_LIST.flatMap(([, { env }]) => env));
  const named = [...page.matchAll(/\bINBOX_WORKER_[A-Z_]+/g)].map(([name]) => name);
  expect(named.filter((name) => !known.has(name))).toEqual([]);
});
