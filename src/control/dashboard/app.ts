// Serves the dashboard's page on the private listener. The page holds no secret: what it shows, it asks with a token.
import { readFile } from 'node:fs/promises';
import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { refusal } from '../wire.js';
import { pageFile } from './files.js';
import { fileHeaders, pageHeaders } from './headers.js';
import type { Tickets } from './tickets.js';

export interface DashboardOptions {
  /** This run's token, given to whoever shows a ticket. */
  readonly token: string;
  readonly tickets: Tickets;
  /** What the browser sees before `/dashboard/`: empty, or `/NAME` where several agents share the address. */
  readonly base: string;
}

/** `/dashboard/…`: GET the page and its files, POST open {ticket}. The Host header must have been checked. */
export function dashboardApp({ token, tickets, base }: DashboardOptions): Hono {
  const app = new Hono();

  // Only with the slash do the page's own paths lead to its files.
  app.get('/dashboard', (c) => c.redirect(`${base}/dashboard/`, 308));

  app.get('/dashboard/:path{.*}', async (c) => {
    const path = c.req.param('path');
    const file = pageFile(path);
    const bytes = file && (await readFile(file.path).catch(() => undefined));
    if (!file || !bytes) return c.text('Not found.', 404, fileHeaders);
    const headers = path === '' ? pageHeaders(placeOf(c, base)) : fileHeaders;
    return c.body(new Uint8Array(bytes), 200, { ...headers, 'content-type': file.type });
  });

  app.post('/dashboard/open', bodyLimit({ maxSize: 1024, onError: tooLong }), async (c) => {
    const ticket = await c.req.text();
    if (tickets.redeem(ticket)) return c.json({ token }, 200, fileHeaders);
    const text = 'This ticket is used up or too old: each opens the dashboard once, within a minute.';
    return c.json(refusal('usage', text, 'Run `inbox-worker dashboard` again.'), 401, fileHeaders);
  });

  app.all('*', (c) => c.text('Not found.', 404, fileHeaders));
  return app;
}

/** By the address of this very request: over a forwarded port it is another than we listen on. */
function placeOf(c: Context, base: string): URL {
  return new URL(`${base}/dashboard/`, c.req.url);
}

const tooLong = (c: Context): Response => c.text('The request is too long.', 413);
