// The private listener, and how several agents share it: each under its name, none the wiser.
import { request } from 'node:http';
import { afterEach, expect, it } from 'vitest';
import { type PrivateServer, startPrivateServer } from '../../src/app/private-server.js';

let server: PrivateServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

const open = async (): Promise<PrivateServer> => {
  server = await startPrivateServer();
  return server;
};

/** Tells what it was asked. */
const echo = async (asked: Request): Promise<Response> => {
  const { pathname, search } = new URL(asked.url);
  return Response.json({
    asked: `${asked.method} ${pathname}${search}`,
    token: asked.headers.get('authorization'),
    body: await asked.text(),
  });
};

it('answers for its parts, and 404 for what is not there yet', async () => {
  const { url, mount } = await open();
  expect((await fetch(`${url}/control/status`)).status).toBe(404);
  mount('control', echo);
  const answer = await (await fetch(`${url}/control/status?x=1`)).json();
  expect(answer).toEqual({ asked: 'GET /control/status?x=1', token: null, body: '' });
  expect((await fetch(`${url}/controls`)).status).toBe(404);
});

it('gives each of several a place of its own, where parts see their paths without its name', async () => {
  const { url, under, mount } = await open();
  const scout = under('scout');
  const clerk = under('clerk');
  expect(scout.url).toBe(`${url}/scout`);
  scout.mount('control', echo);
  clerk.mount('control', () => new Response('the clerk'));
  const posted = await fetch(`${scout.url}/control/wake?x=%2F`, {
    method: 'POST',
    body: 'a body',
    headers: { authorization: 'Bearer t' },
  });
  expect(await posted.json()).toEqual({
    asked: 'POST /control/wake?x=%2F',
    token: 'Bearer t',
    body: 'a body',
  });
  expect(await (await fetch(`${clerk.url}/control/wake`)).text()).toBe('the clerk');
  for (const path of [
    '/control/wake',
    '/scout',
    '/scout/',
    '/scout/mcp',
    '/scouts/control',
    '/nobody/control',
  ])
    expect((await fetch(`${url}${path}`)).status, path).toBe(404);
  mount('control', () => new Response('of the whole process'));
  expect(await (await fetch(`${url}/control/wake`)).text()).toBe('of the whole process');
});

it('takes the parts of one away without touching the others or the port', async () => {
  const { url, under } = await open();
  const [scout, clerk] = [under('scout'), under('clerk')];
  for (const one of [scout, clerk]) one.mount('control', () => new Response('here'));
  await scout.close();
  expect((await fetch(`${url}/scout/control`)).status).toBe(404);
  expect((await fetch(`${url}/clerk/control`)).status).toBe(200);
  under('scout').mount('control', () => new Response('again'));
  expect(await (await fetch(`${url}/scout/control`)).text()).toBe('again');
});

it('refuses a name that is not its own, under any path', async () => {
  const { url, under } = await open();
  under('scout').mount('control', echo);
  const status = await new Promise((resolve, reject) => {
    const asked = request(`${url}/scout/control`, { headers: { host: 'evil.example' } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    asked.on('error', reject).end();
  });
  expect(status).toBe(403);
});
