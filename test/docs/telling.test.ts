// Holds docs/telling.md to the program: its variables, holds and times are really those.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { SETTINGS } from '../../src/config/schema.js';
import { HOLD_REASONS } from '../../src/domain/hold.js';
import { type News, toJson, toVariables } from '../../src/tell/news.js';

const page = readFileSync(resolve(import.meta.dirname, '../../docs/telling.md'), 'utf8');
const AT = Date.UTC(2026, 10, 30, 12);
const death = { id: 'm1', conversation: '@alice', attempts: 5, lastError: '…' };
const hold = { reason: 'credit-exhausted', why: '…', since: AT } as const;
const NEWS: News[] = [
  { type: 'hold.began', ...hold, until: AT, untold: 0 },
  { type: 'hold.ended', ...hold, endedAt: AT },
  { type: 'message.dead', count: 1, messages: [death] },
];
const plain = (text: string): string => text;

it('lists every variable of a telling', () => {
  const named = [...page.matchAll(/`(?:INBOX_WORKER_EVENT|…)_([A-Z_]+)`/g)].map((match) => match[1]);
  const given = NEWS.flatMap((news) => Object.keys(toVariables(news, 'agentdm', plain)));
  const names = [...new Set(given)].map((name) => name.replace('INBOX_WORKER_EVENT_', ''));
  expect([...new Set(named)].sort()).toEqual(names.sort());
});

it('shows each document with the fields it has', () => {
  const [, text = ''] = page.split('## What is told');
  const shown = (/```json\n([\s\S]*?)```/.exec(text)?.[1] ?? '')
    .split(/\n(?=\{)/)
    .map((one) => JSON.parse(one));
  const fields = (value: unknown): unknown =>
    typeof value !== 'object' || value === null
      ? null
      : Array.isArray(value)
        ? value.map(fields)
        : Object.fromEntries(Object.entries(value).map(([name, one]) => [name, fields(one)]));
  expect(fields(shown)).toEqual(NEWS.map((news) => fields(JSON.parse(toJson(news, 'agentdm', AT, plain)))));
});

it('names the holds that are told by default, and no others that there are not', () => {
  const defaults = SETTINGS.onHoldReasons.defaultOf({ cwd: '', home: '', env: {} });
  const sentence = /By default those that last[\s\S]*?(`[\s\S]*?)\. A usage limit/.exec(page)?.[1] ?? '';
  const named = [...sentence.matchAll(/`([a-z-]+)`/g)].map((match) => match[1]);
  expect(named).toEqual(defaults);
  expect(named.filter((name) => !HOLD_REASONS.some((reason) => reason === name))).toEqual([]);
});
