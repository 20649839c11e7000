// on_hold and on_dead: how they are written, what is refused, and that no secret is shown.
import { describe, expect, it } from 'vitest';
import { describeSettings } from '../../src/config/describe.js';
import { type LoadInput, loadSettings } from '../../src/config/load.js';
import { telling } from '../../src/config/telling-kind.js';
import { folderWith } from './folder.js';

const SECRET = `whsec_${Buffer.alloc(24, 1).toString('base64')}`;
const CONTEXT = { base: '/agent', home: '/home/nobody' };
const read = (raw: unknown) => telling.read(raw, CONTEXT);

async function load(files: Record<string, unknown>, input: Partial<LoadInput> = {}) {
  const cwd = await folderWith(files);
  return loadSettings({ flags: {}, cwd, env: { HOME: '/home/nobody' }, ...input });
}

describe('a telling', () => {
  it.each([
    ['off', 'off'],
    [false, 'off'],
    [['notify', 'a b'], { kind: 'command', words: ['notify', 'a b'] }],
    ['["notify", "a b"]', { kind: 'command', words: ['notify', 'a b'] }],
    [' mail -s dead me ', { kind: 'shell', line: 'mail -s dead me' }],
    ['https://example.org/hook', { kind: 'webhook', url: 'https://example.org/hook', secret: undefined }],
    ['http://127.0.0.1:9/hook', { kind: 'webhook', url: 'http://127.0.0.1:9/hook', secret: undefined }],
    [
      { url: 'https://example.org/hook', secret: SECRET },
      { kind: 'webhook', url: 'https://example.org/hook', secret: SECRET },
    ],
  ])('is %j', (raw, value) => {
    expect(read(raw)).toEqual({ value });
  });

  it.each([
    [[]],
    [['']],
    [[1]],
    ['[not json'],
    [7],
    [{}],
    [{ url: 'https://example.org', key: 'x' }],
    // A secret in a flag could be read by everybody on the machine.
    [JSON.stringify({ url: 'https://example.org', secret: SECRET })],
    ['http://example.org/hook'],
    ['http://127.0.0.1.example.org/hook'],
    ['https://name:password@example.org/hook'],
    [{ url: 'ftp://example.org' }],
    [{ url: 'https://example.org', secret: 'whsec_short' }],
    [{ url: 'https://example.org', secret: 'not base64 at all, but long enough' }],
  ])('is not %j', (raw) => {
    expect(read(raw)).toEqual({ write: expect.any(String) });
  });
});

it('is found in every source; an address is signed by tell_secret', async () => {
  const files = {
    'config/worker.json': { on_hold: ['tell', 'me'], on_dead: 'https://example.org/as-good-as-a-key' },
    '.env': `TELL_SECRET=${SECRET}\n`,
  };
  const settings = await load(files, { flags: { onHold: 'tell someone' } });
  expect(settings).toMatchObject({
    onHold: { kind: 'shell', line: 'tell someone' },
    onDead: { kind: 'webhook' },
    tellSecret: [SECRET],
  });
  const shown = JSON.stringify(describeSettings(settings));
  expect(shown).toContain('https://example.org/…');
  expect(shown).not.toMatch(/as-good-as|whsec_/);
});

it('an address with nothing to sign with is refused, and so is a weak or damaged secret, unseen', async () => {
  const url = 'https://example.org/hook';
  await expect(load({ 'config/worker.json': { on_dead: url } })).rejects.toThrow(
    '"on_dead" in config/worker.json is an address and nothing is there to sign with',
  );
  const own = await load({ 'config/worker.json': { on_dead: { url, secret: SECRET } } });
  expect(own.onDead).toMatchObject({ secret: SECRET });
  const weak = load({ 'config/worker.json': { on_dead: url }, '.env': 'TELL_SECRET=whsec_hunter2\n' });
  await expect(weak).rejects.toThrow(/TELL_SECRET in .env is \(hidden\); write whsec_ and/);
  const damaged = load({ 'config/worker.json': { on_dead: { url: 'ftp://x', secret: SECRET } } });
  await expect(damaged).rejects.toThrow(
    expect.objectContaining({ message: expect.not.stringContaining(SECRET) }),
  );
});

it('names the holds there are', async () => {
  const settings = await load({ 'config/worker.json': { on_hold_reasons: 'limited, paused' } });
  expect(settings.onHoldReasons).toEqual(['limited', 'paused']);
  await expect(load({ 'config/worker.json': { on_hold_reasons: ['tired'] } })).rejects.toThrow(
    /write holds \(limited, credit-exhausted, /,
  );
});

it('does not take the facts of a telling for misspelt settings', async () => {
  const env = { HOME: '/home/nobody', INBOX_WORKER_EVENT_TYPE: 'hold.began', INBOX_WORKER_EVEN: 'x' };
  const { warnings } = await load({}, { env });
  expect(warnings).toEqual([expect.stringContaining('INBOX_WORKER_EVEN ')]);
});
