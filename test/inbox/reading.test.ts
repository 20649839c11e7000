import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readAnswer } from '../../src/inbox/answer.js';
import { comeBackAt, instantOf, retryAfterAt } from '../../src/inbox/instants.js';
import { fill, follow } from '../../src/inbox/profiles/placeholders.js';
import { nameOfServer, scrubber } from '../../src/inbox/secrets.js';
import { readToolError } from '../../src/inbox/tool-error.js';

const AT = Date.parse('2026-11-30T12:00:00.000Z');
const text = (...texts: string[]) => ({ content: texts.map((each) => ({ type: 'text', text: each })) });

describe('instants', () => {
  it.each([
    ['2026-11-30T12:00:00.000Z', AT],
    ['2026-11-30T13:00:00+01:00', AT],
    ['2026-11-30T12:00:00', AT],
    ['2026-11-30 12:00:00', AT],
    ['2026-11-30 12:00', AT],
    [AT, AT],
    [AT / 1_000, AT],
    [String(AT / 1_000), AT],
    [AT * 1_000, AT],
    [AT * 1_000_000, AT],
    [0, undefined],
    [-5, undefined],
    ['yesterday', undefined],
    ['', undefined],
    [null, undefined],
    [Number.NaN, undefined],
    [1e300, undefined],
    [{}, undefined],
  ])('%j is %j', (value, at) => {
    expect(instantOf(value)).toBe(at);
  });

  it('a wait is never in the past and never longer than a day', () => {
    expect(retryAfterAt('0', AT)).toBe(AT);
    expect(retryAfterAt('99999999999', AT)).toBe(AT + 86_400_000);
    expect(retryAfterAt('Mon, 30 Nov 2026 11:00:00 GMT', AT)).toBe(AT);
    expect(retryAfterAt('', AT)).toBeUndefined();
    expect(comeBackAt(undefined, AT)).toBeUndefined();
  });
});

describe('answers', () => {
  it('never throws, and never takes what it cannot read for JSON', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), fc.jsonValue(), fc.boolean(), (texts, structured, isError) => {
        const answer = readAnswer({ ...text(...texts), structuredContent: structured, isError });
        expect(['json', 'sentence', 'error', 'nothing']).toContain(answer.kind);
      }),
    );
  });

  it('gives back any list of objects, in one block, in one block an item, or in one line an item', () => {
    const items = fc.array(fc.record({ id: fc.string(), text: fc.string() }), { minLength: 2 });
    fc.assert(
      fc.property(items, (list) => {
        const each = list.map((item) => JSON.stringify(item));
        for (const result of [text(JSON.stringify(list)), text(...each), text(each.join('\n'))]) {
          expect(readAnswer(result)).toEqual({ kind: 'json', value: list });
        }
      }),
    );
  });

  it('leaves a message in plain text a sentence, whatever it ends with', () => {
    expect(readAnswer(text('from @bob: 5'))).toEqual({ kind: 'sentence', text: 'from @bob: 5' });
    expect(readAnswer(text('{"id": 1} and\n[{"id": 2}]'))).toMatchObject({ kind: 'sentence' });
    expect(readAnswer(text('"quoted"'))).toMatchObject({ kind: 'sentence' });
    expect(readAnswer(text('  '))).toEqual({ kind: 'nothing' });
    expect(readAnswer({ content: [{ type: 'image', data: '' }] })).toEqual({ kind: 'nothing' });
    expect(readAnswer({})).toEqual({ kind: 'nothing' });
  });

  it.each([
    [{ error: { code: 'self_message', message: 'no' } }, 'self_message', 'no'],
    [{ error: 'self_message', message: 'no' }, 'self_message', 'no'],
    [{ code: 'Self Message', message: 'no' }, 'self_message', 'no'],
    [{ success: false, reason: 'no' }, undefined, 'no'],
    ['it said self_message', 'self_message', 'it said self_message'],
    [[1, 2], undefined, ''],
    [null, undefined, ''],
  ])('reads the error %j', (value, code, sentence) => {
    expect(readToolError(value)).toMatchObject({ code, text: sentence });
  });
});

describe('placeholders', () => {
  const values = {
    id: 'm1',
    ids: ['m1', 'm2'],
    text: 'say {id}',
    cursor: undefined,
    item: { thread: { id: 7 } },
  };

  it('keep the type when alone, are written out within a text, and are not filled twice', () => {
    expect(
      fill(
        {
          a: '{ids}',
          b: 'Re: {id}',
          c: ['{id}'],
          d: { e: '{item.thread.id}' },
          f: 3,
          g: '{text}',
          h: 'see {text}',
        },
        values,
      ),
    ).toEqual({
      a: ['m1', 'm2'],
      b: 'Re: m1',
      c: ['m1'],
      d: { e: 7 },
      f: 3,
      g: 'say {id}',
      h: 'see say {id}',
    });
  });

  it('leave out what has no value, and leave alone what they do not know', () => {
    expect(
      fill({ since: '{cursor}', list: ['{cursor}'], note: '{unknown}', json: '{"a": 1}' }, values),
    ).toEqual({
      list: [],
      note: '{unknown}',
      json: '{"a": 1}',
    });
  });

  it('paths lead into objects and lists, and never into what objects inherit', () => {
    expect(follow({ a: [{ b: 0 }] }, 'a.0.b')).toBe(0);
    expect(follow({ a: null, b: 1 }, ['a', 'b'])).toBe(1);
    expect(follow({}, 'constructor.name')).toBeUndefined();
    expect(follow(undefined, 'a')).toBeUndefined();
  });
});

describe('secrets', () => {
  it('takes every key of the settings out of a sentence', () => {
    const scrub = scrubber({
      type: 'http',
      url: 'https://me:hunter2hunter2@inbox.example/mcp?token=querysecret',
      headers: { Authorization: 'Bearer headersecret', 'X-Key': 'othersecret' },
    });
    const told = scrub('Bearer headersecret, headersecret, othersecret, hunter2hunter2, querysecret');
    expect(told).not.toMatch(/headersecret|othersecret|hunter2|querysecret/);
    const program = scrubber({
      type: 'stdio',
      command: 'npx',
      env: { API_KEY: 'stdiosecret', MODE: 'production' },
    });
    expect(program('stdiosecret in production')).toBe('[redacted] in production');
  });

  it('redacts before it cuts', () => {
    const scrub = scrubber({ type: 'http', url: 'http://x/', headers: { 'X-Key': 'a-very-long-secret' } });
    expect(scrub(`${'x'.repeat(20)} a-very-long-secret`, 30)).not.toContain('a-very');
  });

  it('names a server without user and query', () => {
    expect(nameOfServer({ type: 'http', url: 'https://me:pw@inbox.example/mcp?token=x' })).toBe(
      'the inbox at https://inbox.example/mcp',
    );
    expect(nameOfServer({ type: 'http', url: 'nonsense' })).toBe('the inbox');
  });
});
