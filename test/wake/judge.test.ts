import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { judge, type PostHead } from '../../src/wake/judge.js';
import { parseSecret, type Secret } from '../../src/wake/secret.js';
import { hubSignature, KEY, NOW, SECRET, signature, signed } from './support.js';

interface Rules {
  readonly secrets: readonly Secret[];
  readonly maxBytes: number;
  readonly toleranceS: number;
  readonly agentName: string | undefined;
}
const RULES: Rules = { secrets: [parseSecret(SECRET)], maxBytes: 1000, toleranceS: 300, agentName: 'scout' };
const BODY = '{"type":"message.received","text":"héllo ✓"}';
const TIME = String(NOW / 1000);

/** The reason of the refusal, or the verdict over the body. */
function verdict(
  headers: PostHead['headers'],
  options: {
    body?: string | Buffer;
    rules?: Partial<Rules>;
    method?: string;
    url?: string;
    nowMs?: number;
  } = {},
): string {
  const { body = BODY, method = 'POST', url = '/webhook', nowMs = NOW } = options;
  const { secrets, agentName, ...limits } = { ...RULES, ...options.rules };
  const rules = { agents: [{ name: agentName, secrets }], ...limits };
  const judgement = judge({ method, url, headers }, rules, nowMs);
  if (judgement.kind === 'refused') return judgement.reason;
  if (judgement.kind === 'health') return 'health';
  const bytes = Buffer.from(body);
  for (const { proof } of judgement.proofs) {
    // In pieces, cut in the middle of characters.
    for (let start = 0; start < bytes.length; start += 7) proof.update(bytes.subarray(start, start + 7));
  }
  return judgement.proofs.some(({ proof }) => proof.holds()) ? 'believed' : 'signature';
}

describe('method and path', () => {
  it.each([
    ['GET', '/healthz', 'health'],
    ['HEAD', '/healthz?x=1', 'health'],
    ['POST', '/healthz', 'method'],
    ['GET', '/webhook', 'method'],
    ['GET', '/webhook/scout', 'method'],
    ['PUT', '/webhook', 'method'],
    ['DELETE', '/nowhere', 'method'],
    ['OPTIONS', '*', 'method'],
    ['GET', '/nowhere', 'path'],
    ['POST', '/', 'path'],
    ['POST', '/webhook/', 'path'],
    ['POST', '/webhook/other', 'path'],
    ['POST', '/webhook/scout/more', 'path'],
    ['POST', '/webhooks', 'path'],
    ['POST', '/Webhook', 'path'],
    ['POST', '//webhook', 'path'],
    ['POST', '/webhook/%ff', 'path'],
    ['POST', '/webhook/%zz', 'path'],
    ['POST', '/webhook/../webhook', 'path'],
    ['POST', 'http://elsewhere/webhook', 'path'],
    ['POST', '/webhook?token=x', 'believed'],
    ['POST', '/webhook/scout', 'believed'],
    ['POST', '/webhook/%73cout', 'believed'],
  ])('%s %s: %s', (method, url, expected) => {
    expect(verdict(signed(BODY), { method, url })).toBe(expected);
  });

  it('knows no names where the agent has none', () => {
    expect(verdict(signed(BODY), { url: '/webhook/undefined', rules: { agentName: undefined } })).toBe(
      'path',
    );
  });
});

describe('the order of refusals', () => {
  const bad = { 'webhook-signature': 'nonsense', 'content-length': '1001' };
  it('is method, path, length, headers, signature', () => {
    expect(verdict(bad, { method: 'PUT', url: '/nowhere' })).toBe('method');
    expect(verdict(bad, { url: '/nowhere' })).toBe('path');
    expect(verdict(bad)).toBe('too-large');
    expect(verdict({ ...bad, 'content-length': '1000' })).toBe('malformed');
    expect(verdict({ ...signed('another body'), 'content-length': '1000' })).toBe('signature');
    expect(verdict({ ...signed(BODY), 'content-length': '1000' })).toBe('believed');
  });
});

describe('Standard Webhooks', () => {
  it('believes what the library signs, and the library what we sign', () => {
    const library = new Webhook(SECRET);
    const theirs = library.sign('msg_1', new Date(NOW), BODY);
    expect(verdict({ ...signed(BODY), 'webhook-signature': theirs })).toBe('believed');
    expect(signature('msg_1', TIME, BODY)).toBe(theirs);
  });

  it('believes what the library signs with a plain secret', () => {
    const theirs = new Webhook('correct horse', { format: 'raw' }).sign('msg_1', new Date(NOW), BODY);
    const secrets = [parseSecret('correct horse')];
    expect(verdict({ ...signed(BODY), 'webhook-signature': theirs }, { rules: { secrets } })).toBe(
      'believed',
    );
  });

  it('goes by the raw bytes, valid UTF-8 or not', () => {
    const bytes = Buffer.from([0x7b, 0xff, 0xfe, 0x00, 0x7d]);
    expect(verdict(signed(bytes), { body: bytes })).toBe('believed');
    const others = Buffer.from([0x7b, 0xfd, 0xfc, 0x00, 0x7d]);
    expect(verdict(signed(bytes), { body: others })).toBe('signature');
    // Why the library's own check is not used: it decodes first, and then both bodies are the same text.
    const library = new Webhook(SECRET);
    expect(library.sign('m', new Date(NOW), bytes)).toBe(library.sign('m', new Date(NOW), others));
    expect(verdict(signed('{"a": 1}'), { body: '{"a":1}' })).toBe('signature');
  });

  it('signs an id with bytes beyond ASCII as they are on the wire', () => {
    const id = Buffer.from('möwe', 'utf8').toString('latin1');
    const headers = { ...signed(BODY), 'webhook-id': id, 'webhook-signature': signature('möwe', TIME, BODY) };
    expect(verdict(headers)).toBe('believed');
  });

  it('believes an empty body that is signed', () => {
    expect(verdict(signed(''), { body: '' })).toBe('believed');
  });

  it('takes Svix names', () => {
    expect(verdict(signed(BODY, { prefix: 'svix' }))).toBe('believed');
    expect(verdict(signed('other', { prefix: 'svix' }))).toBe('signature');
  });

  it('finds the good one of several signatures', () => {
    const good = signature('msg_1', TIME, BODY);
    const other = signature('msg_1', TIME, BODY, Buffer.from('another key'));
    for (const list of [`${other} ${good}`, `v1a,ed25519== ${good}`, `v2,${good} v1 v1, ${good}`]) {
      expect(verdict({ ...signed(BODY), 'webhook-signature': list })).toBe('believed');
    }
    // Two header lines arrive joined by a comma.
    expect(verdict({ ...signed(BODY), 'webhook-signature': `${other}, ${good}` })).toBe('believed');
  });

  it('believes either of two secrets, while one is being replaced', () => {
    const secrets = [parseSecret('the new one'), parseSecret(SECRET)];
    expect(verdict(signed(BODY), { rules: { secrets } })).toBe('believed');
    expect(verdict(signed(BODY, { key: Buffer.from('the new one') }), { rules: { secrets } })).toBe(
      'believed',
    );
    expect(verdict(signed(BODY, { key: Buffer.from('the old one') }), { rules: { secrets } })).toBe(
      'signature',
    );
  });

  it('wants the timestamp within the tolerance, either way', () => {
    for (const at of [NOW - 300_000, NOW, NOW + 300_000])
      expect(verdict(signed(BODY, { at }))).toBe('believed');
    for (const at of [NOW - 301_000, NOW + 301_000]) expect(verdict(signed(BODY, { at }))).toBe('stale');
    expect(verdict(signed(BODY, { at: NOW - 5000 }), { rules: { toleranceS: 4 } })).toBe('stale');
  });

  it('does not let a fresh timestamp stand on an old signature', () => {
    const old = signed(BODY, { at: NOW - 9_000_000 });
    expect(verdict({ ...old, 'webhook-timestamp': TIME })).toBe('signature');
  });

  it('does not let another id stand on a signature', () => {
    expect(verdict({ ...signed(BODY), 'webhook-id': 'msg_2' })).toBe('signature');
  });

  it.each([
    ['no id', { 'webhook-id': undefined }],
    ['an empty id', { 'webhook-id': '' }],
    ['an endless id', { 'webhook-id': 'x'.repeat(257) }],
    ['no timestamp', { 'webhook-timestamp': undefined }],
    ['a timestamp with a tail', { 'webhook-timestamp': `${TIME}abc` }],
    ['a signed timestamp', { 'webhook-timestamp': `+${TIME}` }],
    ['a timestamp in words', { 'webhook-timestamp': 'now' }],
    ['NaN', { 'webhook-timestamp': 'NaN' }],
    ['a timestamp with a fraction', { 'webhook-timestamp': `${TIME}.5` }],
    ['no version', { 'webhook-signature': 'abcd' }],
    ['no signature after the version', { 'webhook-signature': 'v1' }],
    ['another version only', { 'webhook-signature': 'v2,abcd' }],
    ['a short signature', { 'webhook-signature': 'v1,abcd' }],
    ['a long signature', { 'webhook-signature': `v1,${'A'.repeat(60)}` }],
    ['no base64', { 'webhook-signature': `v1,${'*'.repeat(43)}=` }],
  ])('calls %s malformed', (_, change) => {
    expect(verdict({ ...signed(BODY), ...change })).toBe('malformed');
  });
});

describe('X-Hub-Signature-256', () => {
  it('is keyed by the secret as it is written', () => {
    expect(verdict({ 'x-hub-signature-256': hubSignature(BODY, SECRET) })).toBe('believed');
    const secrets = [parseSecret('plain')];
    expect(verdict({ 'x-hub-signature-256': hubSignature(BODY, 'plain') }, { rules: { secrets } })).toBe(
      'believed',
    );
    expect(verdict({ 'x-hub-signature-256': hubSignature(BODY, 'plane') }, { rules: { secrets } })).toBe(
      'signature',
    );
  });

  it.each(['', 'sha1=abc', 'sha256=', 'sha256=abc', `sha256=${'z'.repeat(64)}`, `sha256=${'0'.repeat(66)}`])(
    'refuses %j',
    (value) => {
      const expected = value === '' ? 'unsigned' : 'malformed';
      expect(verdict({ 'x-hub-signature-256': value })).toBe(expected);
    },
  );
});

describe('a bearer token', () => {
  it('is the secret itself', () => {
    expect(verdict({ authorization: `Bearer ${SECRET}` })).toBe('believed');
    expect(verdict({ authorization: `bearer  ${SECRET} ` })).toBe('believed');
    expect(verdict({ authorization: `Bearer ${KEY.toString('base64')}` })).toBe('signature');
    expect(verdict({ authorization: `Bearer ${SECRET}x` })).toBe('signature');
    expect(verdict({ authorization: 'Bearer x' })).toBe('signature');
  });

  it.each(['Bearer', 'Bearer ', `Basic ${SECRET}`, SECRET, `Bearer a ${SECRET}`])('is not %j', (value) => {
    expect(verdict({ authorization: value })).toBe('unsigned');
  });
});

describe('several proofs at once', () => {
  it('one that holds is enough', () => {
    const bearer = { authorization: `Bearer ${SECRET}` };
    expect(verdict({ ...signed('another'), ...bearer })).toBe('believed');
    expect(verdict({ ...signed(BODY), authorization: 'Bearer somebody-elses' })).toBe('believed');
    expect(verdict({ 'webhook-signature': 'nonsense', ...bearer })).toBe('believed');
    expect(verdict({ ...signed(BODY), 'svix-signature': 'v1,x' })).toBe('believed');
  });

  it('none is unsigned', () => {
    expect(verdict({})).toBe('unsigned');
    expect(verdict({ 'webhook-id': 'msg_1', 'webhook-timestamp': TIME })).toBe('unsigned');
  });
});

describe('without a secret', () => {
  const rules = { secrets: [] };
  it('every post is believed, whatever its headers', () => {
    expect(verdict({}, { rules })).toBe('believed');
    expect(verdict({ 'webhook-signature': 'nonsense' }, { rules })).toBe('believed');
  });
});

describe('whatever the headers', () => {
  const name = fc.constantFrom(
    'webhook-id',
    'webhook-timestamp',
    'webhook-signature',
    'svix-id',
    'svix-timestamp',
    'svix-signature',
    'x-hub-signature-256',
    'authorization',
    'content-length',
    'x-github-delivery',
  );
  const good = signature('msg_1', TIME, 'not this body');
  const value = fc.oneof(
    fc.string(),
    fc.string({ unit: 'binary' }),
    fc.constantFrom(
      TIME,
      '0',
      '-1',
      '1e3',
      good,
      `${good} ${good}`,
      'v1,',
      `sha256=${'0'.repeat(64)}`,
      'Bearer x',
    ),
    fc.array(fc.string(), { maxLength: 2 }),
  );

  it('it never throws, and believes nothing that is not proven', () => {
    fc.assert(
      fc.property(fc.dictionary(name, value), fc.string({ maxLength: 40 }), (headers, body) => {
        expect(['too-large', 'malformed', 'unsigned', 'stale', 'signature']).toContain(
          verdict(headers, { body }),
        );
      }),
    );
  });

  it('it believes exactly what was signed', () => {
    const bytes = fc.uint8Array({ maxLength: 200 });
    fc.assert(
      fc.property(bytes, bytes, fc.stringMatching(/^[!-~]{1,40}$/), (signedBody, sentBody, id) => {
        const same = Buffer.compare(signedBody, sentBody) === 0;
        const headers = signed(Buffer.from(signedBody), { id });
        expect(verdict(headers, { body: Buffer.from(sentBody) })).toBe(same ? 'believed' : 'signature');
        expect(verdict(headers, { body: Buffer.from(signedBody) })).toBe('believed');
      }),
    );
  });
});
