import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { connect, connectWith, rawPost, startInbox, startPair } from './support.js';

/** A request with a Host header of our choosing, which fetch does not allow. */
function statusWithHost(port: number, headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request({ port, host: '127.0.0.1', path: '/healthz', headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on('error', reject);
    sent.end();
  });
}

const LIST = { jsonrpc: '2.0', id: 2, method: 'tools/list' };

describe('the HTTP side', () => {
  it('asks for a known key', async () => {
    const inbox = await startInbox();
    const answer = await rawPost(inbox.url, 'agentdm_00');
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer /);
    expect(await answer.json()).toMatchObject({
      jsonrpc: '2.0',
      error: { data: { code: 'invalid_api_key' } },
      id: null,
    });
    await expect(connectWith(inbox.url, 'agentdm_00')).rejects.toThrow(/401|key/i);
    expect((await fetch(inbox.wakeStreamUrl)).status).toBe(401);
    expect((await fetch(inbox.url, { headers: { Authorization: 'Basic x' } })).status).toBe(401);
  });

  it('answers 404 to a dropped session; a new connection goes on', async () => {
    const { inbox, alice } = await startPair();
    await alice.raw('list_dms');
    await inbox.dropSessions();
    await expect(alice.raw('list_dms')).rejects.toMatchObject({ code: 404 });
    const again = await connect(inbox, '@alice');
    expect(await again.json('list_dms')).toEqual({ dms: [] });
  });

  it('keeps a session to the key that opened it', async () => {
    const inbox = await startInbox();
    const initialized = await rawPost(inbox.url, inbox.ensureAlias('@alice'));
    await initialized.text();
    const session = { 'mcp-session-id': initialized.headers.get('mcp-session-id') ?? '' };
    const own = await rawPost(inbox.url, inbox.ensureAlias('@alice'), LIST, session);
    expect(own.status).toBe(200);
    await own.text();
    expect((await rawPost(inbox.url, inbox.ensureAlias('@bob'), LIST, session)).status).toBe(404);
  });

  it('ends a session on DELETE', async () => {
    const { inbox, alice } = await startPair();
    const transport = alice.client.transport;
    const sessionId = transport && 'sessionId' in transport ? String(transport.sessionId) : '';
    const headers = { Authorization: `Bearer ${inbox.ensureAlias('@alice')}`, 'mcp-session-id': sessionId };
    expect((await fetch(inbox.url, { method: 'DELETE', headers })).status).toBe(200);
    expect((await fetch(inbox.url, { method: 'DELETE', headers })).status).toBe(404);
    await expect(alice.raw('list_dms')).rejects.toMatchObject({ code: 404 });
  });

  it('tells clients of the stateless protocol at once to fall back', async () => {
    const inbox = await startInbox();
    const discover = { jsonrpc: '2.0', id: 7, method: 'server/discover', params: {} };
    const answer = await rawPost(inbox.url, inbox.ensureAlias('@alice'), discover, {
      'mcp-protocol-version': '2026-07-28',
    });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ id: 7, error: { code: -32601 } });
  });

  it('refuses other methods, a missing session, bad JSON and large bodies', async () => {
    const inbox = await startInbox();
    const key = inbox.ensureAlias('@alice');
    expect((await fetch(inbox.url, { headers: { Authorization: `Bearer ${key}` } })).status).toBe(405);
    expect((await rawPost(inbox.url, key, LIST)).status).toBe(400);
    const malformed = await rawPost(inbox.url, key, '{"jsonrpc":');
    expect(malformed.status).toBe(400);
    expect(await malformed.json()).toMatchObject({ error: { code: -32700 } });
    expect((await rawPost(inbox.url, key, `"${'x'.repeat(1024 * 1024)}"`)).status).toBe(413);
  });

  it('refuses a large body of unknown length', async () => {
    const inbox = await startInbox();
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (let index = 0; index < 20; index += 1) controller.enqueue(new Uint8Array(64 * 1024).fill(32));
        controller.close();
      },
    });
    const headers = {
      Authorization: `Bearer ${inbox.ensureAlias('@alice')}`,
      'content-type': 'application/json',
    };
    const answer = await fetch(inbox.url, { method: 'POST', headers, body, duplex: 'half' });
    expect(answer.status).toBe(413);
  });

  it('takes only requests that name loopback', async () => {
    const { port } = await startInbox();
    expect(await statusWithHost(port, { host: `127.0.0.1:${port}` })).toBe(200);
    expect(await statusWithHost(port, { host: `localhost:${port}` })).toBe(200);
    expect(await statusWithHost(port, { host: `[::1]:${port}` })).toBe(200);
    expect(await statusWithHost(port, { host: 'evil.example' })).toBe(403);
    expect(await statusWithHost(port, { host: '127.0.0.1.evil.example' })).toBe(403);
    expect(await statusWithHost(port, { host: `127.0.0.1:${port}`, origin: 'http://evil.example' })).toBe(
      403,
    );
    expect(await statusWithHost(port, { host: `127.0.0.1:${port}`, origin: 'http://localhost:3000' })).toBe(
      200,
    );
  });

  it('is healthy without a key, and names its address where there is nothing', async () => {
    const inbox = await startInbox();
    const health = await fetch(new URL('/healthz', inbox.url));
    expect([health.status, await health.json()]).toEqual([200, { status: 'ok' }]);
    const headers = { Authorization: `Bearer ${inbox.ensureAlias('@alice')}` };
    const nothing = await fetch(new URL('/elsewhere', inbox.url), { headers });
    expect(nothing.status).toBe(404);
    expect(await nothing.text()).toContain('/mcp/v1/grid');
  });

  it('says which port is taken', async () => {
    const { port } = await startInbox();
    await expect(startInbox({ port })).rejects.toThrow(`port ${port} (EADDRINUSE)`);
  });
});

describe('the switches', () => {
  const AGENTDM = [
    'send_message',
    'read_messages',
    'message_status',
    'list_agents',
    'list_channels',
    'list_skills',
    'set_skills',
  ];
  const DMS = ['list_dms', 'read_dm', 'ack_dm', 'send_dm'];

  it('offer both vocabularies, or either', async () => {
    expect(await (await startPair()).alice.tools()).toEqual([...DMS, ...AGENTDM]);
    const dmsOnly = await startPair({ vocabularies: { agentdm: false } });
    expect(await dmsOnly.alice.tools()).toEqual(DMS);
    await expect(dmsOnly.alice.raw('read_messages')).rejects.toMatchObject({ code: -32602 });
    const agentdmOnly = await startPair({ vocabularies: { dms: false } });
    expect(await agentdmOnly.alice.tools()).toEqual(AGENTDM);
    await expect(startInbox({ vocabularies: { dms: false, agentdm: false } })).rejects.toThrow(
      /at least one/,
    );
  });

  it('fail a call before its work or after it', async () => {
    let fail: 'before' | 'after' | undefined;
    const failing = (when: string) => () => {
      if (fail === when) throw new Error('asked for');
    };
    const { alice, bob } = await startPair({
      faults: { beforeCall: failing('before'), afterCall: failing('after') },
    });
    const send = { to: '@bob', message: 'hello', idempotency_key: 'k' };
    fail = 'before';
    await expect(alice.raw('send_dm', send)).rejects.toMatchObject({ code: 500 });
    fail = undefined;
    expect(await bob.json('list_dms')).toEqual({ dms: [] });
    fail = 'after';
    await expect(alice.raw('send_dm', send)).rejects.toMatchObject({ code: 500 });
    fail = undefined;
    await alice.json('send_dm', send);
    expect(await bob.json('list_dms')).toMatchObject({ dms: [{ with: '@alice', unread: 1 }] });
  });
});
