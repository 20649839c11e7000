// Which entry of .mcp.json is the inbox, and what becomes of it.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are the variables of .mcp.json.
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { resolveInbox } from '../../src/config/mcp-json.js';
import { WorkerError } from '../../src/domain/errors.js';
import { folderWith } from './folder.js';

interface Wish {
  inbox?: string;
  allowServers?: string[];
  env?: NodeJS.ProcessEnv;
  files?: Record<string, unknown>;
}

async function resolve(mcpJson: unknown, { inbox, allowServers = [], env = {}, files = {} }: Wish = {}) {
  const dir = await folderWith({ ...files, ...(mcpJson !== undefined && { '.mcp.json': mcpJson }) });
  return resolveInbox({ dir, inbox, allowServers }, env);
}

async function fault(mcpJson: unknown, wish: Wish = {}): Promise<WorkerError> {
  const error: unknown = await resolve(mcpJson, wish).then(
    (value) => value,
    (reason: unknown) => reason,
  );
  if (!(error instanceof WorkerError))
    throw new Error(`expected a WorkerError, got ${JSON.stringify(error)}`);
  return error;
}

const http = (url: string, headers?: Record<string, string>) => ({
  type: 'http',
  url,
  ...(headers && { headers }),
});
const servers = (entries: Record<string, unknown>) => ({ mcpServers: entries });
const one = http('https://one.example/mcp');
const two = http('https://two.example/mcp');

describe('the choice', () => {
  it('is the named entry, else agentdm, else the only one', async () => {
    expect(await resolve(servers({ agentdm: one, mail: two }), { inbox: 'mail' })).toMatchObject({
      name: 'mail',
      chosen: 'named',
      server: two,
      leftOut: ['agentdm'],
    });
    expect(await resolve(servers({ mail: two, agentdm: one }))).toMatchObject({
      name: 'agentdm',
      chosen: 'agentdm',
    });
    expect(await resolve(servers({ mail: two }))).toMatchObject({ name: 'mail', chosen: 'only' });
  });

  it('cannot be made among several: a sentence lists them', async () => {
    const error = await fault(servers({ mail: one, files: two }));
    expect([error.code, error.exitCode]).toEqual(['inbox-unset', 2]);
    expect(error.message).toBe('Which entry of .mcp.json is the inbox? It has "mail", "files".');
    expect(error.hint).toContain('--inbox NAME');
  });

  it('names an entry that is not there: a sentence, never another entry', async () => {
    const error = await fault(servers({ agentdm: one }), { inbox: 'agendm' });
    expect(error.code).toBe('inbox-unset');
    expect(error.message).toContain(
      'names "agendm", which is no entry of .mcp.json: its entries are "agentdm".',
    );
    expect((await fault(undefined, { inbox: 'x' })).message).toContain('there is no entry at all');
  });

  it.each([[undefined], [{}], [servers({})]])('none at all (%j) is no error', async (mcpJson) => {
    expect(await resolve(mcpJson)).toBeUndefined();
  });
});

describe('the file', () => {
  it('that is no JSON is told by line and column', async () => {
    const error = await fault('{\n  "mcpServers": {\n    "a": {},\n  }\n}');
    expect(error.code).toBe('mcp-json-invalid');
    expect(error.message).toBe(
      '.mcp.json is not valid JSON: line 4, column 3: the comma before "}" is one too many.',
    );
  });

  it.each([[[]], [{ servers: {} }], [{ mcpServers: [] }], ['"x"']])(
    'without servers: %j',
    async (mcpJson) => {
      const error = await fault(mcpJson);
      expect([error.code, error.message]).toEqual([
        'mcp-json-invalid',
        expect.stringContaining('has no object "mcpServers"'),
      ]);
    },
  );

  it.each([
    [{}, 'it has neither "url" nor "command"'],
    [{ type: 'http' }, 'it is of type "http" and has no "url"'],
    [{ type: 'stdio', url: 'https://x.example' }, 'it is of type "stdio" and has no "command"'],
    [{ type: 'sse', url: 'https://x.example' }, 'its type is "sse", which is not spoken here; write "http"'],
    [http('x.example/mcp'), 'its url is no http(s) address'],
    [http('https://x.example', { A: 'a\nb' }), 'the value of its header "A" holds characters'],
    [{ url: 5 }, 'url: expected string'],
    [{ type: 'http', url: 'https://x.example', headers: { A: 5 } }, 'headers.A: expected string'],
    ['text', 'expected object'],
  ])('with an entry that cannot be used: %j', async (entry, problem) => {
    const error = await fault(servers({ mail: entry }));
    expect(error.code).toBe('mcp-json-invalid');
    expect(error.message).toContain('The entry "mail" of .mcp.json cannot be used: ');
    expect(error.message).toContain(problem);
  });
});

describe('the server', () => {
  it('of an entry with only a url is read as http, with a warning', async () => {
    const inbox = await resolve(servers({ mail: { url: 'https://x.example/mcp' } }));
    expect(inbox?.server).toEqual({ type: 'http', url: 'https://x.example/mcp', headers: {} });
    expect(inbox?.warnings).toEqual([expect.stringContaining('add "type": "http"')]);
  });

  it('may be called streamable-http', async () => {
    const inbox = await resolve(servers({ mail: { ...one, type: 'streamable-http' } }));
    expect(inbox).toMatchObject({ server: { type: 'http' }, warnings: [] });
  });

  it('may be a program, with or without its type', async () => {
    const entry = { command: 'npx', args: ['mcp-remote', '${URL}'], env: { KEY: '${KEY:-none}' } };
    const expected = { type: 'stdio', command: 'npx', args: ['mcp-remote', 'u'], env: { KEY: 'none' } };
    for (const raw of [entry, { ...entry, type: 'stdio' }]) {
      expect((await resolve(servers({ mail: raw }), { env: { URL: 'u' } }))?.server).toEqual(expected);
    }
    const bare = await resolve(servers({ mail: { command: 'inbox' } }));
    expect(bare).toMatchObject({ server: { command: 'inbox', args: [], env: {} }, key: undefined });
  });

  it('warns when headers travel unencrypted, except on loopback', async () => {
    const headers = { Authorization: 'Bearer k' };
    const far = await resolve(servers({ mail: http('http://x.example/mcp', headers) }));
    expect(far?.warnings).toEqual([expect.stringContaining('unencrypted')]);
    // A name that begins like an address of this machine is anybody's.
    const sly = await resolve(servers({ mail: http('http://127.0.0.1.x.example/mcp', headers) }));
    expect(sly?.warnings).toEqual([expect.stringContaining('unencrypted')]);
    for (const host of ['127.0.0.1:9', 'localhost', '[::1]:9']) {
      expect((await resolve(servers({ mail: http(`http://${host}/mcp`, headers) })))?.warnings).toEqual([]);
    }
  });
});

describe('variables', () => {
  const entry = http('https://${HOST:-one.example}/mcp', { Authorization: 'Bearer ${KEY}' });

  it('come from the environment, then from .env, then from the entry', async () => {
    const files = { '.env': 'KEY=from-file\nHOST=h.example\n' };
    const both = await resolve(servers({ mail: entry }), { files, env: { KEY: 'from-env', HOST: '' } });
    expect(both).toMatchObject({ key: 'from-env', server: { url: 'https://h.example/mcp' } });
    expect(await resolve(servers({ mail: entry }), { files })).toMatchObject({
      key: 'from-file',
      server: { headers: { Authorization: 'Bearer from-file' } },
    });
    const none = await resolve(servers({ mail: entry }), { env: { KEY: 'k\n' } });
    expect(none).toMatchObject({ key: 'k', server: { url: 'https://one.example/mcp' } });
  });

  it('that are unset stop the start, each named with its entry and place', async () => {
    const raw = http('https://${HOST}/mcp', { Authorization: 'Bearer ${KEY}' });
    const error = await fault(servers({ mail: raw }), { env: { KEY: '' } });
    expect([error.code, error.exitCode]).toEqual(['variable-unset', 2]);
    expect(error.message).toBe(
      'The entry "mail" of .mcp.json uses ${HOST} in url and ${KEY} in header "Authorization", which are not set.',
    );
    expect(error.hint).toContain('Set HOST and KEY');
  });

  it('of entries that nobody uses do not matter', async () => {
    const raw = servers({ agentdm: one, other: { command: 'x', args: ['${NOWHERE}'] } });
    expect(await resolve(raw)).toMatchObject({ name: 'agentdm', leftOut: ['other'], otherServers: {} });
    const error = await fault(raw, { allowServers: ['other'] });
    expect(error.message).toContain(
      'The entry "other" of .mcp.json uses ${NOWHERE} in args[0], which is not set.',
    );
  });
});

describe('other servers', () => {
  it('are carried when allowed: resolved, typed, whatever their type', async () => {
    const raw = servers({
      agentdm: one,
      files: { command: 'files', args: ['${ROOT}'] },
      events: { type: 'sse', url: 'https://sse.example', timeout: 5 },
      secret: two,
    });
    const inbox = await resolve(raw, { allowServers: ['files', 'events'], env: { ROOT: '/r' } });
    expect(inbox?.otherServers).toEqual({
      files: { type: 'stdio', command: 'files', args: ['/r'] },
      events: { type: 'sse', url: 'https://sse.example', timeout: 5 },
    });
    expect(inbox?.leftOut).toEqual(['secret']);
  });

  it('must exist, and the inbox is none of them', async () => {
    const raw = servers({ agentdm: one });
    expect((await fault(raw, { allowServers: ['x'] })).message).toBe(
      'allow_servers names "x", which is no other entry of .mcp.json; leave it out.',
    );
    expect((await fault(raw, { allowServers: ['agentdm'] })).message).toContain('is the inbox itself');
  });
});

it('the example file is an inbox', async () => {
  const example = await readFile(new URL('../../.mcp.json.example', import.meta.url), 'utf8');
  expect(await resolve(example, { env: { AGENTDM_API_KEY: 'agentdm_0' } })).toMatchObject({
    name: 'agentdm',
    server: { type: 'http', headers: { Authorization: 'Bearer agentdm_0' } },
    key: 'agentdm_0',
    warnings: [],
  });
  expect((await fault(example)).message).toContain('${AGENTDM_API_KEY} in header "Authorization"');
});

describe('a placeholder in place of a key', () => {
  const withKey = (value: string) => servers({ agentdm: http(one.url, { Authorization: value }) });

  it('is named with its variable before anything is asked with it', async () => {
    const files = { '.env': 'AGENTDM_API_KEY=agentdm_…\n' };
    const error = await fault(withKey('Bearer ${AGENTDM_API_KEY}'), { files });
    expect([error.code, error.exitCode]).toEqual(['mcp-json-invalid', 2]);
    expect(error.message).toBe(
      'AGENTDM_API_KEY, which the entry "agentdm" of .mcp.json uses in header "Authorization", still holds the placeholder agentdm_….',
    );
    expect(error.hint).toBe('Put the real key in its place: AGENTDM_API_KEY=… in .env.');
  });

  it.each([
    'Bearer agentdm_...',
    'Bearer YOUR_API_KEY',
    'agentdm_your_key_here',
    'Bearer <your key>',
    'Bearer sk-xxxxxxxx',
    'Bearer changeme',
    'Bearer ***',
  ])('%s is one', async (value) => {
    expect((await fault(withKey(value))).message).toMatch(
      /^The entry "agentdm" of \.mcp\.json still holds the placeholder .* in header "Authorization"\.$/,
    );
  });

  it('stands in a variable of a program as well', async () => {
    const mail = { type: 'stdio', command: 'node', env: { API_KEY: '${MAIL_KEY}' } };
    const error = await fault(servers({ mail }), { env: { MAIL_KEY: 'your-key' } });
    expect(error.message).toMatch(/^MAIL_KEY, .* in env\.API_KEY, still holds the placeholder your-key\.$/);
  });

  it.each([
    'Bearer agentdm_0a1b2c',
    'Bearer xoxb-123-abc',
    'Basic dXNlcjpwYXNz',
    'Bearer todoist-9f',
    'abc',
    'XX9',
  ])('%s is none', async (value) => {
    expect(await resolve(withKey(value))).toMatchObject({ server: { headers: { Authorization: value } } });
  });

  it('is not in the example that is to be copied', async () => {
    const example = JSON.parse(await readFile(new URL('../../.mcp.json.example', import.meta.url), 'utf8'));
    const found = await resolve(example, { env: { AGENTDM_API_KEY: 'agentdm_0a1b2c' } });
    expect(found?.key).toBe('agentdm_0a1b2c');
  });
});
