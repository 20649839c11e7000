// Tries a webhook receiver from outside: one delivery that must be believed, and a forged one that must not be.
import { request } from 'node:http';
import { Webhook as Signer } from 'standardwebhooks';

export interface TrialWish {
  /** Where the receiver listens, as it says itself. */
  readonly address: { readonly host: string; readonly port: number; readonly path: string };
  /** Those of the settings; each must be believed. Empty: an unsigned post must be. */
  readonly secrets: readonly string[];
  /** The delivery's id: announced to the receiver, so that nothing comes of it. */
  readonly id: string;
  readonly now: number;
  readonly limitMs: number;
}

export type TrialOutcome =
  /** Also where there is no secret, and so nothing to forge. */
  | { readonly kind: 'good' }
  /** What should have been believed was not. */
  | { readonly kind: 'refused'; readonly status: number }
  /** What should have been refused was not: anybody may wake. */
  | { readonly kind: 'gullible' }
  | { readonly kind: 'unreachable'; readonly message: string };

const BODY = '{"type":"test"}';

/** Never rejects. Signed by the library, not by the code that judges: both must not share a mistake. */
export async function tryReceiver(wish: TrialWish): Promise<TrialOutcome> {
  const { secrets } = wish;
  try {
    for (const headers of secrets.length === 0 ? [{}] : secrets.map((secret) => signed(secret, wish))) {
      const status = await post(wish, headers);
      if (status !== 202) return { kind: 'refused', status };
    }
    const [secret] = secrets;
    if (secret === undefined) return { kind: 'good' };
    const forged = signed(`not ${secret}`, wish);
    return (await post(wish, forged)) === 202 ? { kind: 'gullible' } : { kind: 'good' };
  } catch (error) {
    return { kind: 'unreachable', message: error instanceof Error ? error.message : String(error) };
  }
}

/** A `whsec_` secret is base64; any other is a text, whatever it looks like. */
function signed(secret: string, { id, now }: TrialWish): Record<string, string> {
  const text = secret.trim();
  const signer = text.startsWith('whsec_') ? new Signer(text) : new Signer(text, { format: 'raw' });
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(now / 1000)),
    'webhook-signature': signer.sign(id, new Date(now), BODY),
  };
}

/** Each over a connection of its own: one that was kept from an earlier receiver may be dead. */
function post({ address, id, limitMs }: TrialWish, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const asked = request({
      host: reachable(address.host),
      port: address.port,
      path: address.path,
      method: 'POST',
      headers: { 'webhook-id': id, 'content-length': Buffer.byteLength(BODY), ...headers },
      agent: false,
      signal: AbortSignal.timeout(limitMs),
    });
    asked.once('error', reject);
    asked.once('response', (response) => {
      response.resume();
      response.once('close', () => resolve(response.statusCode ?? 0));
    });
    asked.end(BODY);
  });
}

/** Where it listens everywhere, this machine is one of the places. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  return host === '::' ? '::1' : host;
}
