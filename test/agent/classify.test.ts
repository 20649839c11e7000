// Results as they were seen from Claude Code of many versions.
import { describe, expect, it } from 'vitest';
import { classify, LimitMemory, SignCollector } from '../../src/agent/classify.js';
import { parseFrame, type ResultFrame } from '../../src/agent/frames.js';

function result(fields: object): ResultFrame {
  const parsed = parseFrame(
    JSON.stringify({ type: 'result', subtype: 'success', is_error: true, ...fields }),
  );
  if (parsed.kind !== 'result') throw new Error('no result');
  return parsed.frame;
}

/** The failure of a result, after a notice of Claude Code's own with these fields. */
function failureOf(fields: object, notice?: object, until?: number) {
  const signs = new SignCollector();
  if (notice) {
    const message = { id: 'x', model: '<synthetic>', content: [{ type: 'text', text: 'notice' }] };
    signs.take(parseFrame(JSON.stringify({ type: 'assistant', message, ...notice })));
  }
  return classify(result(fields), signs.signs, until);
}

describe('a result', () => {
  it('of success is no failure', () => {
    expect(
      failureOf({ is_error: false, result: 'You have hit your limit on this page, says the text.' }),
    ).toBeUndefined();
    // 1.x has no is_error on some results.
    expect(failureOf({ is_error: undefined, result: 'fine' })).toBeUndefined();
  });

  it.each([
    // 2.1.126 and newer: the status.
    [
      { api_error_status: 401, result: 'Failed to authenticate. API Error: 401 invalid x-api-key' },
      'unauthorised',
    ],
    [{ api_error_status: 403, result: 'Failed to authenticate. API Error: 403' }, 'unauthorised'],
    [{ api_error_status: 404, result: "There's an issue with the selected model (x)." }, 'model-unknown'],
    [{ api_error_status: 413, result: 'Request too large (max 32MB).' }, 'context-too-long'],
    [{ api_error_status: 429, result: 'API Error: Request rejected (429) · slow down' }, 'rate-limited'],
    [{ api_error_status: 500, result: 'API Error: 500 Internal server error.' }, 'server-error'],
    [{ api_error_status: 529, result: 'API Error: 529 Overloaded.' }, 'overloaded'],
    [{ api_error_status: 400, result: 'API Error: 400 The request is not valid.' }, 'request-invalid'],
    [{ api_error_status: 400, result: 'Credit balance is too low' }, 'credit-exhausted'],
    [{ api_error_status: 400, result: 'Prompt is too long' }, 'context-too-long'],
    [{ api_error_status: 400, result: 'Trimmed', terminal_reason: 'prompt_too_long' }, 'context-too-long'],
    // No status at all: lost connections, no key.
    [
      { api_error: 'connection_failed', result: 'API Error: Connection to the API was lost (ECONNRESET).' },
      'server-error',
    ],
    [{ result: 'Request timed out' }, 'server-error'],
    [{ result: 'Not logged in · Please run /login' }, 'unauthorised'],
    [{ result: 'Invalid API key · Please run /login' }, 'unauthorised'],
    // Before 2.1.126: only the text.
    [{ result: 'API Error: 529 {"type":"error"}' }, 'overloaded'],
    [{ result: 'API Error: 429 {"type":"error"}' }, 'rate-limited'],
    [{ result: 'API Error: Request rejected (429) · x' }, 'rate-limited'],
    [{ result: 'Credit balance is too low' }, 'credit-exhausted'],
    [{ result: "You've hit your limit · resets 2:26pm (UTC)" }, 'limited'],
    [{ result: 'Limit reached · resets 2:36pm (UTC)' }, 'limited'],
    [{ result: 'Spending cap reached resets 2:34pm' }, 'limited'],
    // Claude Code's own limits.
    [{ subtype: 'error_max_budget_usd', is_error: false }, 'over-budget'],
    [{ subtype: 'error_max_turns', is_error: false }, 'unknown'],
    [{ subtype: 'error_during_execution', is_error: false }, 'unknown'],
  ])('%j is %s', (fields, failure) => {
    expect(failureOf(fields)).toMatchObject({ failure });
  });

  it.each([
    [{ error: 'authentication_failed' }, 'unauthorised'],
    [{ error: 'billing_error' }, 'credit-exhausted'],
    [{ error: 'rate_limit' }, 'rate-limited'],
    [{ error: 'overloaded' }, 'overloaded'],
    [{ error: 'server_error' }, 'server-error'],
    [{ error: 'model_not_found' }, 'model-unknown'],
    [{ error: 'invalid_request' }, 'request-invalid'],
    [{ error: 'unknown' }, 'unknown'],
    [{ api_error_status: 529, error: 'server_error' }, 'overloaded'],
  ])('without fields of its own goes by the notice before it: %j is %s', (notice, failure) => {
    expect(failureOf({ result: 'something happened' }, notice)).toMatchObject({ failure });
  });

  it('goes by the last retry where nothing else tells', () => {
    const signs = new SignCollector();
    signs.take(parseFrame('{"type":"system","subtype":"api_retry","error_status":529}'));
    expect(classify(result({ result: 'gave up' }), signs.signs, undefined)).toMatchObject({
      failure: 'overloaded',
    });
  });

  it('is a limit with an end when a limit rejects now', () => {
    const until = 1_796_048_438_000;
    const fields = {
      api_error: 'usage_limit_reached',
      api_error_status: 429,
      result: "You've hit your 5-hour limit",
    };
    expect(failureOf(fields, undefined, until)).toMatchObject({ failure: 'limited', until });
    expect(failureOf({ api_error_status: 429, result: 'x' }, undefined, until)).toMatchObject({
      failure: 'limited',
      until,
    });
    expect(failureOf({ result: 'x' }, { error: 'rate_limit' }, until)).toMatchObject({
      failure: 'limited',
      until,
    });
    // Another failure during a limit is not that limit.
    expect(failureOf({ api_error_status: 500, result: 'x' }, undefined, until)).toMatchObject({
      failure: 'server-error',
    });
  });

  it('of 1.x has the end of its limit in its text', () => {
    expect(failureOf({ result: 'Claude AI usage limit reached|1796048438' })).toMatchObject({
      failure: 'limited',
      until: 1_796_048_438_000,
    });
    expect(failureOf({ result: "You've hit your limit" })).toMatchObject({
      failure: 'limited',
      until: undefined,
    });
  });

  it('gives a message of one line, cut, without secrets', () => {
    const long = `API Error: 400 key sk-ant-abcdefghijklmnop\nis not ${'x'.repeat(1_000)}`;
    const failure = failureOf({ api_error_status: 400, result: long });
    expect(failure?.message).toMatch(/^API Error: 400 key sk-\[redacted\] is not x+$/);
    expect(failure?.message).toHaveLength(300);
    expect(failureOf({ subtype: 'error_max_turns' })).toMatchObject({
      message: 'the turn ended as error_max_turns',
    });
    expect(failureOf({ errors: ['a', 'b'], subtype: 'error_during_execution' })).toMatchObject({
      message: 'a; b',
    });
  });
});

describe('the memory of a limit', () => {
  const limit = (info: object) => {
    const parsed = parseFrame(JSON.stringify({ type: 'rate_limit_event', rate_limit_info: info }));
    if (parsed.kind !== 'limit') throw new Error('no limit');
    return parsed.frame;
  };

  it('lasts until the limit ends or is lifted, in ms', () => {
    const memory = new LimitMemory();
    expect(memory.rejectedUntil(0)).toBeUndefined();
    memory.take(limit({ status: 'rejected', resetsAt: 2_000 }));
    expect(memory.rejectedUntil(1_999_999)).toBe(2_000_000);
    expect(memory.rejectedUntil(2_000_000)).toBeUndefined();
    memory.take(limit({ status: 'allowed_warning', resetsAt: 2_000 }));
    expect(memory.rejectedUntil(0)).toBeUndefined();
    memory.take(limit({ status: 'rejected' }));
    expect(memory.rejectedUntil(5)).toBe(0);
  });
});
