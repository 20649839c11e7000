// What wakes a worker: can the webhook receiver have its port, does the wake stream open.
import { once } from 'node:events';
import { createServer } from 'node:net';
import { resolve } from 'node:path';
import { systemClock, systemRandom } from '../app/system.js';
import { wakeStreamOf } from '../app/wake-parts.js';
import type { ResolvedInbox, Settings } from '../config/index.js';
import { listRunning, type RunningEntry, runningFolder } from '../control/index.js';
import { wakeStream, webhookReceiver } from '../wake/index.js';
import { type Finding, ok, skip, warn } from './check.js';

/** @throws WorkerError `webhook-insecure`, `setting-invalid` for a secret that is none */
export async function webhookPort(settings: Settings, identity: string | undefined): Promise<Finding> {
  if (!settings.webhook) return skip('No webhook receiver is wanted (webhook: off).');
  const { webhookPort: port, webhookSecret: secrets } = settings;
  refuseUnsafe(settings);
  const host = settings.webhookHost.toLowerCase() === 'localhost' ? '127.0.0.1' : settings.webhookHost;
  const where = `${host}:${port}`;
  if (port === 0) return ok('The webhook receiver takes any free port.');
  const code = await bindFailure(host, port);
  const signed = secrets.length > 0 ? 'signed posts only' : 'unsigned, from this machine only';
  if (code === undefined) return ok(`The port ${where} is free for webhooks (${signed}).`);
  if (code === 'EADDRINUSE') return taken(settings, identity, host, port);
  return warn(
    `The webhook receiver cannot listen on ${where} (${code}); the inbox would only be polled.`,
    'Choose another webhook_host or webhook_port, or set webhook to off.',
  );
}

/** Makes a receiver that never listens: its own rules about hosts and secrets speak. */
function refuseUnsafe({ webhookHost, webhookSecret }: Settings): void {
  webhookReceiver({
    host: webhookHost,
    secrets: webhookSecret,
    deliveries: { remember: async () => true },
    clock: systemClock,
    observer: { on: () => {} },
  });
}

async function bindFailure(host: string, port: number): Promise<string | undefined> {
  const server = createServer();
  try {
    server.listen(port, host);
    await once(server, 'listening');
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error);
  } finally {
    server.close();
  }
}

async function taken(
  settings: Settings,
  identity: string | undefined,
  host: string,
  port: number,
): Promise<Finding> {
  const where = `${host}:${port}`;
  const workers = (await listRunning(runningFolder(settings.stateDir))).filter(
    ({ kind }) => kind === 'worker',
  );
  const own = workers.find((entry) => isOurs(entry, settings, identity));
  if (own && (await answersHealthz(host, port)))
    return ok(`The port ${where} is taken by the worker that runs here (process ${own.pid}).`);
  return warn(
    `The port ${where} is taken by another program, so webhooks would not be heard; the inbox would only be polled.`,
    'Choose another webhook_port, or set webhook to off.',
  );
}

const isOurs = (entry: RunningEntry, settings: Settings, identity: string | undefined): boolean =>
  entry.identity === identity || resolve(entry.folder) === resolve(settings.dir);

async function answersHealthz(host: string, port: number): Promise<boolean> {
  const any = host === '0.0.0.0' || host === '::' || host === '';
  const name = any ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host;
  const response = await fetch(`http://${name}:${port}/healthz`, {
    redirect: 'manual',
    signal: AbortSignal.timeout(2_000),
  }).catch(() => undefined);
  await response?.body?.cancel();
  return response?.status === 200;
}

export async function wakeStreamOpens(settings: Settings, inbox: ResolvedInbox): Promise<Finding> {
  const stream = wakeStreamOf(settings, inbox);
  if (!stream) return skip('No wake stream is known for this inbox, or it is off.');
  const troubles: string[] = [];
  const source = wakeStream({
    ...stream,
    clock: systemClock,
    random: systemRandom,
    observer: { on: (event) => void (event.type === 'notice' && troubles.push(event.text)) },
    connectMs: settings.callTimeoutMs,
  });
  try {
    await source.start(() => {});
    if (source.connected()) return ok('The wake stream opens.');
    return warn(
      troubles[0] ?? 'The wake stream was closed at once. The inbox is still polled.',
      'Check the address in wake_stream and the key; or set wake_stream to off.',
    );
  } finally {
    await source.stop();
  }
}
