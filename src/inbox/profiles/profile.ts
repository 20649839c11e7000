// A profile: how one vocabulary of tools is looked at and sent through.
import type { IncomingMessage } from '../../domain/message.js';
import type { LookOutcome, OutgoingMessage, SendOutcome } from '../../ports/upstream.js';
import type { Answer } from '../answer.js';
import type { Failure } from '../call.js';
import { lookFailure } from '../outcomes.js';
import type { Scrub } from '../secrets.js';
import { lookOutcomeOf } from '../tool-error.js';

/**
 * What a call does to the other side.
 * `peek`: nothing; repeated once on a forgotten session or a cut answer, given up at once on an abort.
 * `take`: it consumes what it returns, so an abort waits a little for the answer that only we will ever get.
 * `send`: never repeated. `send-again`: the same, with a key that makes a repetition harmless.
 */
export type Effect = 'peek' | 'take' | 'send' | 'send-again';

export type Spool = (batch: readonly IncomingMessage[]) => Promise<void>;

export interface ProfileIo {
  ask(effect: Effect, tool: string, args: Readonly<Record<string, unknown>>): Promise<Answer | Failure>;
  now(): number;
  readonly scrub: Scrub;
  readonly ownName: string | undefined;
  notice(text: string): void;
}

export interface Profile {
  readonly name: string;
  /** UTF-16 units. */
  readonly maxChars: number;
  readonly idempotent: boolean;
  /** One real call that changes nothing. */
  probe(io: ProfileIo): Promise<LookOutcome>;
  /** As `Upstream.look`: rejects only with what `spool` rejected with. */
  look(io: ProfileIo, spool: Spool): Promise<LookOutcome>;
  send(io: ProfileIo, message: OutgoingMessage): Promise<SendOutcome>;
}

export const LOOKED: LookOutcome = { kind: 'looked' };

export type Heard =
  | { readonly kind: 'heard'; readonly answer: Answer }
  | { readonly kind: 'trouble'; readonly outcome: LookOutcome; readonly cause: 'connection' | 'tool' };

/** Asks for a look, and tells an answer from a reason to end the look. */
export async function hear(
  io: ProfileIo,
  effect: 'peek' | 'take',
  tool: string,
  args: Readonly<Record<string, unknown>>,
): Promise<Heard> {
  const answer = await io.ask(effect, tool, args);
  if (answer.kind === 'failed') return { kind: 'trouble', outcome: lookFailure(answer), cause: 'connection' };
  if (answer.kind !== 'error') return { kind: 'heard', answer };
  return { kind: 'trouble', outcome: lookOutcomeOf(answer.error, tool, io.now(), io.scrub), cause: 'tool' };
}

export function unrecognised(faults: readonly string[]): LookOutcome {
  const [first = 'The inbox answered in a shape that this version does not know.', ...others] = faults;
  return {
    kind: 'unrecognised',
    message: others.length === 0 ? first : `${first} (and ${others.length} more)`,
  };
}
