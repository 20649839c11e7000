// Two folders with one endpoint and key meet at one identity; anything else does not.
import { describe, expect, it } from 'vitest';
import { endpointOf, inboxIdentity, keyOf, normaliseEndpoint } from '../../src/config/identity.js';

const URL_ = 'https://api.agentdm.ai/mcp/v1/grid';

describe('inboxIdentity', () => {
  it('is a folder name of hex that does not hold the key', () => {
    expect(inboxIdentity(URL_, 'k')).toMatch(/^[0-9a-f]{32}$/);
  });

  it('is the same for every spelling of one endpoint', () => {
    const same = [
      'HTTPS://API.AgentDM.ai/mcp/v1/grid',
      `${URL_}/`,
      'https://api.agentdm.ai:443/mcp/v1/grid#x',
    ];
    for (const spelling of same) expect(inboxIdentity(spelling, 'k')).toBe(inboxIdentity(URL_, 'k'));
  });

  it('differs by endpoint, path case, query and key', () => {
    const all = [
      inboxIdentity(URL_, 'k'),
      inboxIdentity(URL_, 'l'),
      inboxIdentity(URL_, undefined),
      inboxIdentity(URL_.toUpperCase(), 'k'),
      inboxIdentity(`${URL_}?account=2`, 'k'),
      inboxIdentity('http://api.agentdm.ai/mcp/v1/grid', 'k'),
      inboxIdentity(`${URL_}k`, ''),
    ];
    expect(new Set(all).size).toBe(all.length);
  });

  it('is the name that was set, whatever the key', () => {
    expect(inboxIdentity(URL_, 'k', 'support')).toBe('support');
  });
});

it('normaliseEndpoint knows loopback by one name and leaves what is no address', () => {
  const local = ['http://127.0.0.1:9/mcp', 'http://localhost:9/mcp/', 'http://[::1]:9/mcp'];
  expect(new Set(local.map(normaliseEndpoint))).toEqual(new Set(['http://localhost:9/mcp']));
  expect(normaliseEndpoint('stdio:["A","b/"]')).toBe('stdio:["A","b/"]');
});

it('endpointOf and keyOf tell programs apart by their command line and variables', () => {
  const program = { type: 'stdio', command: 'npx', args: ['x'], env: { B: '2', A: '1' } } as const;
  expect(endpointOf(program)).toBe('stdio:["npx","x"]');
  expect(keyOf(program)).toBe(keyOf({ ...program, env: { A: '1', B: '2' } }));
  expect(keyOf(program)).not.toBe(keyOf({ ...program, env: { A: '1', B: '3' } }));
});

it.each([
  [{ authorization: 'bearer  k1' }, 'k1'],
  [{ Authorization: 'Basic abc' }, 'Basic abc'],
  [{ 'X-Api-Key': 'k2', Accept: 'x' }, 'k2'],
  [{ Authorization: 'Bearer k1', 'X-Api-Key': 'k2' }, 'k1'],
  [{ Accept: 'x' }, undefined],
])('the key of headers %j', (headers, key) => {
  expect(keyOf({ type: 'http', url: URL_, headers })).toBe(key);
});
