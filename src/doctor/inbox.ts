// The inbox: does a real call succeed, and do its clock and ours agree.
import { profileOf } from '../app/profile.js';
import { systemClock } from '../app/system.js';
import type { ResolvedInbox, Settings } from '../config/index.js';
import { ERROR_KINDS, EXIT } from '../domain/errors.js';
import { connectInbox } from '../inbox/index.js';
import { humanDuration } from '../lib/human.js';
import { type Finding, fail, ok, skip, warn } from './check.js';

/** Reads no mail: the call is one that changes nothing. */
export async function inboxCall(
  settings: Settings,
  inbox: ResolvedInbox,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<Finding> {
  const upstream = connectInbox({
    server: inbox.server,
    profile: await profileOf(settings, env),
    ownAlias: settings.ownAlias,
    clock: systemClock,
    callTimeoutMs: settings.callTimeoutMs,
  });
  const startedAt = performance.now();
  try {
    const outcome = await upstream.check(signal);
    const failed = (
      code: 'inbox-unauthorised' | 'inbox-down' | 'inbox-unrecognised',
      text: string,
    ): Finding => fail(text, ERROR_KINDS[code].hint, EXIT.inboxUnusable);
    switch (outcome.kind) {
      case 'looked':
        return ok(
          `The inbox answered a call in ${humanDuration(performance.now() - startedAt)}${over(upstream.protocol)}.`,
        );
      case 'rate-limited':
        return warn(outcome.message, 'Wait, and look less often: raise min_sleep.');
      case 'unauthorised':
        return failed('inbox-unauthorised', outcome.message);
      case 'down':
        return failed('inbox-down', outcome.message + spoken(upstream.protocol));
      case 'unrecognised':
        return failed('inbox-unrecognised', outcome.message + spoken(upstream.protocol));
    }
  } finally {
    await upstream.close();
  }
}

const over = (protocol: string | undefined): string => (protocol === undefined ? '' : `, over ${protocol}`);

/** It helps to know how far it got: a greeting was agreed on, and what came after it failed. */
const spoken = (protocol: string | undefined): string =>
  protocol === undefined ? '' : ` (Spoken there: ${protocol}.)`;

/** Signed webhooks are refused from five minutes on; a minute is odd enough to say so. */
const MUCH_MS = 60_000;

/** Asks the inbox's host for nothing but its `Date` header; no key is sent. */
export async function clockSkew({ server }: ResolvedInbox, limitMs: number): Promise<Finding> {
  if (server.type !== 'http') return skip('The inbox is a program here: it has our own clock.');
  const before = Date.now();
  const response = await fetch(new URL('/', server.url), {
    method: 'HEAD',
    redirect: 'manual',
    signal: AbortSignal.timeout(limitMs),
  }).catch(() => undefined);
  await response?.body?.cancel();
  const theirs = Date.parse(response?.headers.get('date') ?? '');
  if (Number.isNaN(theirs)) return skip('The host of the inbox tells no time to compare ours with.');
  return skewFinding(theirs - (before + Date.now()) / 2);
}

/** @param skewMs how far their clock is before ours; the header is cut to whole seconds */
export function skewFinding(skewMs: number): Finding {
  const apart = Math.abs(skewMs);
  if (apart < MUCH_MS) return ok('Our clock agrees with that of the inbox.');
  return warn(
    `Our clock is ${humanDuration(apart)} ${skewMs > 0 ? 'behind' : 'ahead of'} that of the inbox.`,
    'Set it, best by NTP: signed webhooks are refused from 5 minutes on.',
  );
}
