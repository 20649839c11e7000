// Makes the outcome of a turn out of why it is over and what its result says.
import type { TurnOutcome, Usage } from '../domain/turn.js';
import { redact } from '../lib/redact.js';
import type { TurnRequest } from '../ports/agent.js';
import type { Clock } from '../ports/clock.js';
import { classify, type TurnSigns } from './classify.js';
import type { ResultFrame } from './frames.js';
import type { Running } from './running.js';
import { sessionHolds } from './transcript.js';
import { keepsInterruptedPrompt } from './version.js';
import type { PassedLimit } from './watchdog.js';

/** Why the turn is over. */
export type Cause =
  | { readonly kind: 'result'; readonly result: ResultFrame }
  | { readonly kind: 'died'; readonly error: unknown }
  | { readonly kind: 'late'; readonly limit: PassedLimit; readonly silenceMs: number }
  | { readonly kind: 'aborted' }
  /** The first init showed that the gateway's tools are not there. */
  | { readonly kind: 'no-gateway' };

export interface TurnStory {
  readonly running: Running;
  readonly request: TurnRequest;
  readonly signal: AbortSignal;
  readonly cause: Cause;
  /** Undefined when the process died or was ended without one. */
  readonly result: ResultFrame | undefined;
  readonly signs: TurnSigns;
  readonly usage: Usage;
  readonly contextTokens: number | undefined;
  readonly model: string | undefined;
  readonly clock: Clock;
  readonly environment: Readonly<Record<string, string>>;
}

type End = Pick<TurnOutcome, 'sessionId' | 'usage' | 'promptKept' | 'contextTokens' | 'model'>;

export async function outcomeOf(story: TurnStory): Promise<TurnOutcome> {
  const { running, request, signal, cause, result, signs, usage, clock } = story;
  const failure = result && classify(result, signs, running.limits.rejectedUntil(clock.now()));
  const end: End = {
    sessionId: running.sessionId,
    usage,
    promptKept: await promptKept(story),
    contextTokens: story.contextTokens,
    model: story.model,
  };
  // It may have come to its end while it was being interrupted: then its work is not thrown away.
  if (result && !failure && cause.kind !== 'no-gateway') {
    const denials = result.permission_denials?.length ?? 0;
    return { ...end, kind: 'completed', text: result.result ?? '', denials };
  }
  switch (cause.kind) {
    case 'result':
      return { ...end, kind: 'failed', ...(failure ?? { failure: 'unknown', message: 'no reason given' }) };
    case 'no-gateway':
      return { ...end, kind: 'failed', failure: 'unknown', message: 'Claude Code began without the gateway' };
    case 'died':
      return { ...end, kind: 'died', message: redact(running.diedHow ?? messageOf(cause.error)) };
    case 'late': {
      const limitMs = cause.limit === 'turn' ? request.limitMs : cause.silenceMs;
      return { ...end, kind: 'timed-out', limit: cause.limit, limitMs };
    }
    case 'aborted':
      return interruptedOutcome(signal, end);
  }
}

export function interruptedOutcome(signal: AbortSignal, end: End): TurnOutcome {
  return { ...end, kind: 'interrupted', reason: messageOf(signal.reason) };
}

/** A turn with a result, of whatever kind, is in the history. Of one without, only the record on disk tells. */
async function promptKept({ running, request, result, environment }: TurnStory): Promise<boolean> {
  if (result) return true;
  return (
    keepsInterruptedPrompt(running.version) &&
    (await sessionHolds(environment, running.sessionId, request.id))
  );
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
