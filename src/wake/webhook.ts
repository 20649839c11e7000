// The webhook receiver of an agent that is alone: a listener with one door behind it.
import type { Deliveries } from '../ports/deliveries.js';
import type { WebhookReceiver } from './door.js';
import { WebhookHub, type WebhookHubOptions } from './hub.js';

export interface WebhookOptions extends WebhookHubOptions {
  /** `whsec_…` or plain; several while one is being replaced. Empty: unsigned posts are taken, on loopback only. */
  readonly secrets: readonly string[];
  readonly deliveries: Deliveries;
  /** The name that `POST /webhook/NAME` wakes; without one only `/webhook` wakes. */
  readonly agentName?: string | undefined;
}

/**
 * Throws WorkerError: `webhook-insecure` for an address that others can reach without a secret, `setting-invalid` for
 * a damaged secret.
 */
export function webhookReceiver(options: WebhookOptions): WebhookReceiver {
  const hub = new WebhookHub(options);
  const source = hub.door(options.agentName, options.secrets).attach(options);
  return {
    ...source,
    async start(wake) {
      await source.start(wake);
      await hub.open();
    },
    async stop() {
      await hub.close();
      await source.stop();
    },
  };
}
