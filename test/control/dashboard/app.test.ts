import { beforeEach, describe, expect, it } from 'vitest';
import { dashboardApp } from '../../../src/control/dashboard/app.js';
import { tickets } from '../../../src/control/dashboard/tickets.js';

const TOKEN = 'the-token-of-this-run';
let now: number;
let words: number;
beforeEach(() => {
  now = 1_000;
  words = 0;
});

const desk = () => tickets({ now: () => now }, { word: () => `w${words++}-` });

function app(base = '') {
  const open = desk();
  const served = dashboardApp({ token: TOKEN, tickets: open, base });
  const ask = async (path: string, init?: RequestInit) =>
    served.request(new Request(`http://127.0.0.1:4000${path}`, init));
  return { open, ask };
}

/** The directives of the page's policy by name. */
async function policyOf(base = ''): Promise<Map<string, string>> {
  const response = await app(base).ask('/dashboard/');
  const policy = response.headers.get('content-security-policy') ?? '';
  return new Map(
    policy.split('; ').map((one) => [one.split(' ')[0] ?? '', one.split(' ').slice(1).join(' ')]),
  );
}

describe('the page', () => {
  it('needs no token to load, for it holds no secret', async () => {
    const response = await app().ask('/dashboard/');
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const text = await response.text();
    expect(text).toContain('<title>');
    expect(text).not.toContain(TOKEN);
  });

  it('is guarded: nothing inline, nothing foreign, no frame, no trace left', async () => {
    const { headers } = await app().ask('/dashboard/');
    expect(Object.fromEntries(headers)).toMatchObject({
      'cache-control': 'no-store',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    });
    const policy = await policyOf();
    const here = 'http://127.0.0.1:4000';
    expect(Object.fromEntries(policy)).toEqual({
      'default-src': "'none'",
      'script-src': `${here}/dashboard/code/ ${here}/dashboard/uplot.js`,
      'style-src': `${here}/dashboard/style/ ${here}/dashboard/uplot.css`,
      'img-src': `${here}/dashboard/icon.svg`,
      'connect-src': `${here}/control/ ${here}/dashboard/open`,
      'base-uri': "'none'",
      'form-action': "'none'",
      'frame-ancestors': "'none'",
      'require-trusted-types-for': "'script'",
      'trusted-types': "'none'",
    });
  });

  it('has no inline code or style, and asks nobody else for anything', async () => {
    const text = await (await app().ask('/dashboard/')).text();
    expect(text).not.toMatch(/<style|\sstyle=|\son\w+=|https?:|<script(?![^>]*\ssrc=)/);
  });

  it('may lie below the name of one of several agents', async () => {
    const policy = await policyOf('/sales');
    expect(policy.get('script-src')).toContain('/sales/dashboard/code/ ');
    expect(policy.get('connect-src')).toBe(
      'http://127.0.0.1:4000/sales/control/ http://127.0.0.1:4000/sales/dashboard/open',
    );
    const redirected = await app('/sales').ask('/dashboard');
    expect([redirected.status, redirected.headers.get('location')]).toEqual([308, '/sales/dashboard/']);
  });

  it.each([
    ['style/base.css', 'text/css; charset=utf-8'],
    ['icon.svg', 'image/svg+xml'],
    ['uplot.js', 'text/javascript; charset=utf-8'],
    ['uplot.css', 'text/css; charset=utf-8'],
  ])('is served with %s', async (name, type) => {
    const response = await app().ask(`/dashboard/${name}`);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe(type);
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect((await response.text()).length).toBeGreaterThan(100);
  });

  it.each([
    'index.html.bak',
    '../app.js',
    '%2e%2e/app.js',
    'code/../../../package.json',
    'code/%2e%2e/%2e%2e/package.json',
    'code/control/dashboard/app.js',
    'code/control/dashboard/page/../app.js',
    'code/control/dashboard/page/nothing.js',
    'code/control/dashboard/page/main.ts',
    'code/main.js',
    'code//etc/passwd',
    'style/../index.html',
    'style/icon.svg',
    'style/nothing.css',
    'page/index.html',
  ])('has nothing else: %s', async (path) => {
    expect((await app().ask(`/dashboard/${path}`)).status).toBe(404);
  });
});

describe('a ticket', () => {
  const redeem = (ask: ReturnType<typeof app>['ask'], ticket: string) =>
    ask('/dashboard/open', { method: 'POST', body: ticket });

  it('is exchanged for the token once', async () => {
    const { open, ask } = app();
    const ticket = open.issue();
    expect(await (await redeem(ask, ticket)).json()).toEqual({ token: TOKEN });
    const again = await redeem(ask, ticket);
    expect(again.status).toBe(401);
    expect(await again.json()).toMatchObject({
      error: expect.stringContaining('used up'),
      try: expect.any(String),
    });
  });

  it.each(['', 'nobody', TOKEN])('that was never issued opens nothing: "%s"', async (ticket) => {
    expect((await redeem(app().ask, ticket)).status).toBe(401);
  });

  it('lasts a minute', () => {
    const open = desk();
    const [first, second] = [open.issue(), open.issue()];
    now += 59_999;
    expect(open.redeem(first)).toBe(true);
    now += 1;
    expect(open.redeem(second)).toBe(false);
  });

  it('is forgotten when very many are issued', () => {
    const open = desk();
    const all = Array.from({ length: 21 }, () => open.issue());
    expect(all.map((ticket) => open.redeem(ticket))).toEqual([
      false,
      ...Array.from({ length: 20 }, () => true),
    ]);
  });

  it('is no way to send very much', async () => {
    expect((await redeem(app().ask, 'x'.repeat(9_000))).status).toBe(413);
  });
});
