import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { WorkerError } from '../../src/domain/errors.js';
import { createLogger, type LoggerOptions } from '../../src/observe/logger.js';

const SECRET = 'correct"horse\\battery';

function sink(isTTY = false) {
  let text = '';
  const stream = Object.assign(
    new Writable({
      write(chunk, _encoding, done) {
        text += String(chunk);
        done();
      },
    }),
    { isTTY },
  );
  return {
    stream,
    text: () => text,
    lines: () =>
      text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
  };
}

function logger(options: Partial<LoggerOptions> = {}, isTTY = false) {
  const out = sink(isTTY);
  const log = createLogger({
    level: 'info',
    format: 'auto',
    secrets: [SECRET],
    stream: out.stream,
    ...options,
  });
  return { log, ...out };
}

describe('the JSON log', () => {
  it('holds one object a line, with time, level, sentence and fields', () => {
    const { log, lines } = logger();
    log.debug('not asked for');
    log.info({ conversation: '@alice' }, 'answered');
    log.warn('second');
    expect(lines()).toHaveLength(2);
    expect(lines()[0]).toEqual({
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      conversation: '@alice',
      msg: 'answered',
    });
  });

  it('redacts literals and patterns wherever they stand, and stays JSON', () => {
    const { log, text, lines } = logger();
    const cause = new Error(`cause with ${SECRET}`);
    const error = new WorkerError('inbox-down', `refused ${SECRET}`, { hint: `not ${SECRET}`, cause });
    Object.assign(error, { response: { headers: { cookie: 'crumbs' } } });
    log
      .child({ inbox: `x ${SECRET}` })
      .info({ deep: [{ url: 'https://me:hunter22@host/' }] }, 'hi %s', SECRET);
    log.error(error);
    log.error({ error }, 'with a field');
    log.info(
      { token: 'abc', authorization: 'Bearer abcdefgh', accessToken: 'zzz', outputTokens: 12 },
      'fields',
    );
    log.info({ [SECRET]: 1 }, 'a key may hold one too');
    expect(lines()).toHaveLength(5);
    expect(text()).not.toContain('horse');
    expect(text()).not.toContain('hunter22');
    expect(text()).not.toContain('crumbs');
    const [hi, plain, field, tokens] = lines();
    expect(hi.msg).toBe('hi [redacted]');
    expect(plain.err).toMatchObject({
      type: 'WorkerError',
      code: 'inbox-down',
      message: 'refused [redacted]',
    });
    expect(plain.err.cause.message).toBe('cause with [redacted]');
    expect(field.error.hint).toBe('not [redacted]');
    expect(tokens).toMatchObject({ token: '[redacted]', accessToken: '[redacted]', outputTokens: 12 });
  });

  it('takes secrets that become known later', () => {
    const secrets: string[] = [];
    const { log, text } = logger({ secrets });
    secrets.push('gateway-token-1');
    log.info('x gateway-token-1 x');
    expect(text()).toContain('x [redacted] x');
  });

  it('never prints bodies and header sets, whoever hands them over', () => {
    const { log, text } = logger();
    log.info(
      { message: { id: 'm1', text: 'dear diary' }, body: 'dear diary', headers: { a: 'dear diary' } },
      'x',
    );
    expect(text()).toContain('m1');
    expect(text()).not.toContain('dear diary');
  });

  it('survives a reader that went away', async () => {
    const { log, stream } = logger();
    const closed = new Promise((resolve) => stream.once('close', resolve));
    stream.destroy(new Error('EPIPE'));
    await closed;
    log.info('nobody hears this');
  });
});

describe('an agent with a name', () => {
  it('is named in each line', () => {
    const { log, lines } = logger({ agent: 'scout' });
    log.info('looked');
    log.child({ turn: 1 }).warn('slow');
    expect(lines()).toMatchObject([
      { agent: 'scout', msg: 'looked' },
      { agent: 'scout', msg: 'slow' },
    ]);
  });

  it.each(['info', 'debug'])('stands before each sentence of the pretty log, at %s', (level) => {
    const { log, text } = logger({ agent: 'scout', format: 'pretty', level });
    log.info('looked');
    expect(text()).toMatch(/ scout: looked\n$/);
  });
});

describe('a second reader', () => {
  it('gets every line as JSON, whatever the stream gets, without the secrets', () => {
    for (const [format, isTTY] of [
      ['auto', true],
      ['json', false],
    ] as const) {
      const lines: string[] = [];
      const { log, text } = logger({ format, onLine: (line) => lines.push(line) }, isTTY);
      log.info({ conversation: '@alice' }, `answered ${SECRET}`);
      log.debug('not asked for');
      expect(lines).toHaveLength(1);
      expect(lines[0]).toMatch(/\}\n$/);
      expect(JSON.parse(lines[0] ?? '')).toMatchObject({
        conversation: '@alice',
        msg: 'answered [redacted]',
      });
      expect(text()).toContain('answered [redacted]');
    }
  });
});

describe('the pretty log', () => {
  it('is chosen on a terminal, written at once, and shows the sentence without its fields', () => {
    const { log, text } = logger({}, true);
    log.info({ conversation: '@alice' }, 'answered @alice');
    expect(text()).toContain('answered @alice');
    expect(text()).not.toContain('conversation');
    expect(text()).not.toContain('{');
    log.error({ err: new Error(`bad ${SECRET}`), conversation: '@alice' }, 'oh');
    expect(text()).toContain('bad [redacted]');
    expect(text()).toContain('logger.test.ts');
    expect(text()).not.toContain('conversation');
    expect(text()).toMatch(/[^\n]\n$/);
  });

  it('shows the fields at debug, and errors with their stack, redacted', () => {
    const { log, text } = logger({ format: 'pretty', level: 'debug' });
    log.debug({ conversation: '@alice' }, 'looked');
    log.error({ err: new Error(`bad ${SECRET}`) }, 'oh');
    expect(text()).toContain('"conversation":"@alice"');
    expect(text()).toContain('bad [redacted]');
    expect(text()).toContain('logger.test.ts');
  });

  it('lets no stranger steer the terminal', () => {
    const { log, text } = logger({ format: 'pretty' });
    log.info('from @\u001b[2Jevil\u009b31m\r');
    expect(text()).toMatch(/^[^\p{Cc}]+\n$/u);
  });
});
