// The kinds of values: what they take, what they refuse, and that what they write they read again.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Kind, Reading } from '../../src/config/kind.js';
import {
  boolean,
  cap,
  choice,
  duration,
  durationOrOff,
  formatDuration,
  integer,
  list,
  parseDuration,
  text,
} from '../../src/config/values.js';

const context = { base: '/agent', home: '/home/someone' };
const read = <T>(kind: Kind<T>, raw: unknown): Reading<T> => kind.read(raw, context);
const value = <T>(kind: Kind<T>, raw: unknown): T | undefined => {
  const reading = read(kind, raw);
  return 'value' in reading ? reading.value : undefined;
};

describe('duration or off', () => {
  const kind = durationOrOff({ minMs: 1000 });

  it('reads both, and off as JSON has it', () => {
    expect(['5m', 'off', ' OFF ', false].map((raw) => value(kind, raw))).toEqual([
      300_000,
      'off',
      'off',
      'off',
    ]);
    expect([kind.write(300_000), kind.write('off')]).toEqual(['5m', 'off']);
  });

  it.each(['never', '0', true, '500ms'])('refuses %j and says what to write', (raw) =>
    expect(read(kind, raw)).toEqual({ write: expect.stringMatching(/^off, or a duration .* at least 1s/) }),
  );
});

describe('duration', () => {
  it.each([
    ['90', 90_000],
    [90, 90_000],
    ['90s', 90_000],
    [' 5m ', 300_000],
    ['2h', 7_200_000],
    ['500ms', 500],
    ['1.5h', 5_400_000],
    ['1 D', 86_400_000],
    [0.5, 500],
  ])('reads %j as %i ms', (raw, ms) => expect(value(duration(), raw)).toBe(ms));

  it.each(['', 'soon', '5 minutes', '-5s', '1h30m', '0', true, null, ['5s'], Number.NaN, '1e3'])(
    'refuses %j and says what to write',
    (raw) =>
      expect(read(duration(), raw)).toEqual({ write: expect.stringContaining('90s, 5m, 2h or 500ms') }),
  );

  it('keeps to its least, and to what a timer can count', () => {
    expect(value(duration({ minMs: 0 }), '0')).toBe(0);
    expect(value(duration({ minMs: 100 }), '99ms')).toBeUndefined();
    expect(value(duration(), '24d')).toBeLessThan(2 ** 31);
    expect(value(duration(), '25d')).toBeUndefined();
  });

  it('writes what it reads', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 31 }), (ms) => parseDuration(formatDuration(ms)) === ms),
    );
    expect([60_000, 600_000, 3_600_000, 90_000, 500, 0].map(formatDuration)).toEqual([
      '60s',
      '10m',
      '1h',
      '90s',
      '500ms',
      '0s',
    ]);
  });
});

describe('boolean', () => {
  it.each(['on', 'true', '1', 'YES', true, 1])('reads %j as true', (raw) =>
    expect(value(boolean, raw)).toBe(true),
  );
  it.each(['off', 'false', '0', ' No ', false, 0])('reads %j as false', (raw) =>
    expect(value(boolean, raw)).toBe(false),
  );
  it.each(['', 'maybe', 2, null])('refuses %j', (raw) =>
    expect(read(boolean, raw)).toEqual({ write: 'on or off' }),
  );
});

describe('integer', () => {
  const port = integer({ min: 0, max: 65_535 });
  it('takes whole numbers within its limits, as text or number', () => {
    expect([value(port, '8787'), value(port, 0), value(port, 65_535)]).toEqual([8787, 0, 65_535]);
  });
  it.each(['65536', -1, '1.5', 'http', '', '0x10', true])('refuses %j', (raw) =>
    expect(read(port, raw)).toEqual({ write: 'a whole number from 0 to 65535' }),
  );
});

describe('cap', () => {
  const turns = cap('turns');
  it('takes a count or the word', () => {
    expect([value(turns, '3'), value(turns, 'Unlimited')]).toEqual([3, 'unlimited']);
  });
  it.each([0, '0', '00'])('refuses %j: no limit is written `unlimited`', (raw) =>
    expect(read(turns, raw)).toEqual({ write: expect.stringMatching(/^unlimited where no limit is meant/) }),
  );
  it('refuses anything else', () =>
    expect(read(turns, 'many')).toEqual({ write: 'a whole number of at least 1, or unlimited' }));
});

it('choice names its options', () => {
  const kind = choice('inline', 'pull');
  expect(value(kind, 'PULL')).toBe('pull');
  expect(read(kind, 'push')).toEqual({ write: 'one of inline, pull' });
});

it('text refuses what is empty or no text', () => {
  expect(value(text(), ' word ')).toBe('word');
  expect([value(text(), '  '), value(text(), 5)]).toEqual([undefined, undefined]);
});

describe('list', () => {
  const names = list({ items: 'names', none: 'nobody' });
  it.each([
    ['a, b,,c', ['a', 'b', 'c']],
    [
      ['a', 'b'],
      ['a', 'b'],
    ],
    ['["a","b, c"]', ['a', 'b, c']],
    ['nobody', []],
    [[], []],
  ])('reads %j', (raw, expected) => expect(value(names, raw)).toEqual(expected));

  it.each<[unknown]>([[['a', 5]], ['["a"'], [['']], [5], [{}]])('refuses %j', (raw) =>
    expect(read(names, raw)).toEqual({
      write: 'names, with commas between them or as a JSON list, or nobody',
    }),
  );

  it('refuses the whole when one item is no such item', () => {
    const digits = list({ items: 'digits', item: (entry) => (/^\d$/.test(entry) ? entry : undefined) });
    expect(value(digits, '1,2')).toEqual(['1', '2']);
    expect(value(digits, '1,x')).toBeUndefined();
  });
});
