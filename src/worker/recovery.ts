// Recovery: what a worker that died left open is answered, rescued or given up, before anything new begins.
import { type Claim, replyAddress } from '../domain/claim.js';
import { sendableParts } from '../domain/split.js';
import type { OpenClaim } from '../ports/mailbox.js';
import type { WorkerEvent } from '../ports/observer.js';
import type { WorkerOptions } from './options.js';
import type { WorkerParts } from './parts.js';

/** Runs once at start, under the lease, before the first look. May be repeated. */
export async function recover(parts: WorkerParts, options: WorkerOptions): Promise<void> {
  await endOrphan(parts, options);
  for (const claim of await parts.mailbox.openClaims()) await rescue(claim, parts, options);
}

async function endOrphan(parts: WorkerParts, options: WorkerOptions): Promise<void> {
  const left = await parts.slots.load(options.slot);
  if (left?.pid === undefined || left.processStart === undefined) return;
  if (await parts.endOrphan(left.pid, left.processStart)) {
    parts.observer.on({
      type: 'notice',
      level: 'warn',
      text: `Ended Claude Code ${left.pid}, which had outlived its worker.`,
    });
  }
  await parts.slots.save({ ...left, pid: undefined, processStart: undefined });
}

async function rescue(claim: OpenClaim, parts: WorkerParts, options: WorkerOptions): Promise<void> {
  const { mailbox, outbox, clock, observer } = parts;
  const now = clock.now();
  const { id: claimId, conversation } = claim;
  const messages = claim.messages.length;
  const tell = (verdict: 'answered' | 'retry' | 'dead', how: string): void =>
    observer.on({ type: 'rescued', claimId, conversation, messages, verdict, how });
  if ((await outbox.settlingSends(claim.id)) > 0) {
    await mailbox.settle(claim.id, { kind: 'answered', reply: undefined }, now);
    tell('answered', 'it was already answered');
    return;
  }
  const error = 'the worker died in the middle of the turn';
  if (claim.attempts + 1 >= options.maxAttempts) {
    const notice = deadNotice(claim, options, parts.upstream.maxChars);
    await mailbox.settle(claim.id, { kind: 'dead', error, notice }, now);
    observer.on(deathOf(claim, error));
    tell('dead', `it is dead: ${options.maxAttempts} attempts failed`);
    return;
  }
  const before = {
    sessionId: claim.sessionId,
    promptKept: claim.sessionId !== undefined,
    rescued: true,
    lastError: error,
  };
  await mailbox.settle(claim.id, { kind: 'retry', retryAt: now, error, countsAttempt: true, before }, now);
  tell('retry', 'it will be tried again');
}

export function deadNotice(
  claim: Pick<OpenClaim, 'conversation' | 'messages'>,
  options: WorkerOptions,
  maxChars: number,
): { to: string; parts: string[]; replyToId: string | undefined } | undefined {
  if (options.deadNotice === undefined) return undefined;
  return {
    to: replyAddress(claim),
    parts: sendableParts(options.deadNotice, maxChars),
    replyToId: claim.messages.at(-1)?.id,
  };
}

/** To be told once it is on disk. */
export function deathOf(claim: Claim, error: string): WorkerEvent {
  const { id: claimId, conversation, messages, attempts } = claim;
  return {
    type: 'dead',
    claimId,
    conversation,
    messages: messages.map((message) => message.id),
    attempts: attempts + 1,
    error,
  };
}
