// The webhook receiver: a test delivery goes the whole way, to the running worker or to the receiver it would have.
import { systemClock, systemIds } from '../app/system.js';
import type { Settings } from '../config/index.js';
import { type TrialOutcome, type TrialWish, tryReceiver, webhookReceiver } from '../wake/index.js';
import { type Finding, failure, ok, skip, warn } from './check.js';
import type { RunningWorker } from './running.js';

const ANSWER_MS = 5_000;
const POLLED = 'the inbox would only be polled';
const OTHER_PORT = 'Choose another webhook_host or webhook_port, or set webhook to off.';

/**
 * @param worker the one that answers this inbox, where one runs
 * @throws WorkerError `webhook-insecure`, `setting-invalid` for a secret that is none
 */
export async function webhookRoundTrip(
  settings: Settings,
  worker: RunningWorker | undefined,
): Promise<Finding> {
  if (!settings.webhook) return skip('No webhook receiver is wanted (webhook: off).');
  return worker ? tryRunning(settings, worker) : tryOwn(settings);
}

async function tryRunning({ webhookSecret }: Settings, { entry, ways }: RunningWorker): Promise<Finding> {
  const who = `the worker that runs here (process ${entry.pid})`;
  if (ways.webhook === undefined) {
    return warn(
      `No webhooks reach ${who}: it does not listen, and polls the inbox.`,
      'See inbox-worker status and its log; start it again once the port is free, or webhook is on.',
    );
  }
  const outcome = await trial(webhookSecret, { id: ways.id, address: ways.webhook });
  return verdict(outcome, {
    who,
    where: ways.webhook,
    signed: webhookSecret.length > 0,
    fix: 'It was started with other settings: start it again.',
  });
}

/** Binds the real receiver for a moment: its own rules about hosts, secrets and signatures speak. */
async function tryOwn({ webhookHost, webhookPort, webhookSecret }: Settings): Promise<Finding> {
  const troubles: string[] = [];
  const receiver = webhookReceiver({
    host: webhookHost,
    port: webhookPort,
    secrets: webhookSecret,
    deliveries: { remember: async () => true },
    clock: systemClock,
    observer: {
      on: (event) => void (event.type === 'notice' && event.level === 'error' && troubles.push(event.text)),
    },
  });
  let wakes = 0;
  try {
    await receiver.start(() => {
      wakes += 1;
    });
    const address = receiver.address();
    if (!address) return warn(troubles[0] ?? `The webhook receiver cannot listen; ${POLLED}.`, OTHER_PORT);
    const where = { ...address, path: receiver.path };
    const outcome = await trial(webhookSecret, { id: `doctor-${systemIds.word()}`, address: where });
    // What a believed post has set going is over then.
    await receiver.stop();
    if (outcome.kind === 'good' && wakes === 0) {
      return failure(new Error('A test delivery was believed, and woke nobody.'));
    }
    return verdict(outcome, {
      who: 'the webhook receiver',
      where: address,
      signed: webhookSecret.length > 0,
      fix: OTHER_PORT,
    });
  } finally {
    await receiver.stop();
  }
}

const trial = (secrets: readonly string[], where: Pick<TrialWish, 'id' | 'address'>): Promise<TrialOutcome> =>
  tryReceiver({ ...where, secrets, now: Date.now(), limitMs: ANSWER_MS });

interface Tried {
  readonly who: string;
  readonly where: { readonly host: string; readonly port: number };
  readonly signed: boolean;
  readonly fix: string;
}

function verdict(outcome: TrialOutcome, { who, where, signed, fix }: Tried): Finding {
  const at = `${who} at ${where.host}:${where.port}`;
  switch (outcome.kind) {
    case 'good':
      return signed
        ? ok(`A signed test delivery woke ${at}; a forged one was refused.`)
        : ok(`A test delivery woke ${at}; without a secret any program of this machine may wake it.`);
    case 'refused':
      return warn(
        `A test delivery that our settings make was refused (HTTP ${outcome.status}) by ${at}.`,
        fix,
      );
    case 'gullible':
      return warn(`A forged test delivery was believed by ${at}: it knows no secret.`, fix);
    case 'unreachable':
      return warn(`A test delivery did not reach ${at} (${outcome.message}); ${POLLED}.`, fix);
  }
}
