// Control over HTTP, on the private listener: status, steering, what happened to a message.
import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { EXIT, WorkerError } from '../domain/errors.js';
import type { Preview } from '../domain/preview.js';
import type { Status } from '../domain/status.js';
import type { WakeKind } from '../domain/wake.js';
import { redact } from '../lib/redact.js';
import { bearerIs } from './bearer.js';
import { addReportRoutes } from './report-routes.js';
import {
  type AgentLine,
  type Operations,
  type Reloaded,
  refusal,
  type StopHow,
  type WakeWays,
} from './wire.js';

export interface ControlOptions extends Operations {
  /** This run's token; the running file of the worker carries it. Not empty. */
  readonly token: string;
  /** Judges the Host header: a page in a browser must not reach us by a name of its own. */
  isAllowedHost(host: string | undefined): boolean;
  status(): Promise<Status>;
  /** What it would do next. */
  next(): Promise<Preview>;
  /** Rejects with WorkerError where a file is faulty; nothing has changed then. */
  reload(): Promise<Reloaded>;
  /** The agents of this process, this one among them. */
  agents(): Promise<readonly AgentLine[]>;
  wake(kind: WakeKind): void;
  /** Makes ready for a test of what wakes. */
  wakeTest(): WakeWays;
  /** Begins the stop and returns: the answer must get out before the listener closes. */
  stop(how: StopHow): void;
  /** Makes or removes the control file `pause`; answers whether that changed anything. */
  pause(paused: boolean): Promise<boolean>;
  /** For a browser that is about to be started: opens the dashboard once, soon. */
  ticket(): string;
  /** Something was done by hand: there may be work, or something to send. */
  changed(): void;
}

/**
 * `/control/…`: GET status, GET next, GET agents, POST ticket, POST wake, POST wake-test, POST reload, POST pause,
 * POST resume, POST stop {how}, GET messages/:id, POST messages/:id/retry and …/drop, POST outbox/:row/resend and
 * …/drop, GET dead, and the reports (report-routes). Refusals are JSON (`Refusal`): 403 foreign host, 401 wrong token,
 * 400 and 404 as usual, 409 for what its state does not allow, 500 for what failed within.
 */
export function controlApp(options: ControlOptions): Hono {
  if (options.token === '') throw new Error('The control listener needs a token.');
  const app = new Hono();

  app.use('/control/*', async (c, next) => {
    if (!options.isAllowedHost(c.req.header('host'))) {
      return c.json(refusal('usage', 'This address serves only its own machine.'), 403);
    }
    if (!bearerIs(c.req.header('authorization'), options.token)) {
      return c.json(refusal('usage', 'The token is missing or not that of this run.'), 401);
    }
    return next();
  });

  app.get('/control/status', async (c) => c.json(await options.status()));

  app.get('/control/next', async (c) => c.json(await options.next()));

  app.post('/control/reload', async (c) => c.json(await options.reload()));

  app.get('/control/agents', async (c) => c.json({ agents: await options.agents() }));

  app.post('/control/ticket', (c) => c.json({ ticket: options.ticket() }));

  app.post('/control/:how{pause|resume}', async (c) => {
    const paused = c.req.param('how') === 'pause';
    const changed = await options.pause(paused);
    options.changed();
    return c.json({ paused, changed });
  });

  app.post('/control/wake', (c) => {
    options.wake('manual');
    return c.json({ woken: true }, 202);
  });

  app.post('/control/wake-test', (c) => c.json(options.wakeTest()));

  app.post('/control/stop', bodyLimit({ maxSize: 4096, onError: tooLong }), async (c) => {
    const how = stopHow(await c.req.text());
    if (!how) return c.json(refusal('usage', 'Stop how? Write {"how": "drain"} or {"how": "force"}.'), 400);
    options.stop(how);
    return c.json({ stopping: how }, 202);
  });

  app.get('/control/messages/:id', async (c) => {
    const id = c.req.param('id');
    const story = await options.show(id);
    return story ? c.json(story) : c.json(neverSaw(id), 404);
  });

  app.get('/control/dead', async (c) => c.json(await options.dead()));

  app.post('/control/messages/:id/:how{retry|drop}', async (c) => {
    const { id, how } = c.req.param();
    if (!(await options.show(id))) return c.json(neverSaw(id), 404);
    const done = how === 'retry' ? await options.retry(id) : await options.drop(id);
    options.changed();
    return c.json(done);
  });

  app.post('/control/outbox/:row{[0-9]+}/:how{resend|drop}', async (c) => {
    const { row, how } = c.req.param();
    await options.settleUnsure(Number(row), how === 'drop' ? 'drop' : 'resend');
    options.changed();
    return c.json({ settled: how });
  });

  addReportRoutes(app, options);

  app.all('/control/*', (c) =>
    c.json(refusal('usage', `There is no ${c.req.method} ${c.req.path} here.`), 404),
  );

  app.onError((error, c) => {
    const { code, hint } =
      error instanceof WorkerError ? error : { code: 'internal' as const, hint: undefined };
    // Whoever asks can mend it: what was asked for, or a file.
    const theirs = error instanceof WorkerError && error.exitCode === EXIT.usage;
    return c.json(refusal(code, redact(error.message, [options.token]), hint), theirs ? 409 : 500);
  });
  return app;
}

const neverSaw = (id: string) =>
  refusal(
    'usage',
    `The mailbox never saw a message ${id}.`,
    'Check the id: `inbox-worker messages` lists them, `inbox-worker dead` those that were given up.',
  );

const tooLong = (c: Context): Response => c.json(refusal('usage', 'The request is too long.'), 413);

/** An empty body is a plain `drain`. */
function stopHow(body: string): StopHow | undefined {
  if (body.trim() === '') return 'drain';
  try {
    const { how = 'drain' } = JSON.parse(body) as { how?: unknown };
    return how === 'drain' || how === 'force' ? how : undefined;
  } catch {
    return undefined;
  }
}
