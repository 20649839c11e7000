// The preview: what would be done now, found out by asking the same rules without doing anything.
import type { Claim } from '../domain/claim.js';
import type { Decision } from '../domain/decide.js';
import { endSentence, type Preview, type UpcomingTurn } from '../domain/preview.js';
import type { UpcomingClaim } from '../ports/mailbox.js';
import type { Gate } from './gate.js';
import type { Guard } from './guard.js';
import type { WorkerOptions } from './options.js';
import type { WorkerParts } from './parts.js';
import type { SessionPlan, SlotSession } from './slot-session.js';

export interface PreviewSources {
  readonly parts: Pick<WorkerParts, 'mailbox' | 'clock'>;
  readonly options: WorkerOptions;
  readonly gate: Gate;
  readonly guard: Guard;
  readonly session: SlotSession;
  /** The conversation whose turn runs now. */
  readonly running: string | undefined;
  readonly nextLookAt: number | undefined;
}

/** More than anybody reads. */
const LISTED = 20;

export async function previewNext(sources: PreviewSources): Promise<Preview> {
  const { parts, options, gate, running, nextLookAt } = sources;
  const at = parts.clock.now();
  const upcoming = await parts.mailbox.upcoming({ at, limit: LISTED + 1 });
  const together = options.delivery === 'pull' && options.pullScope === 'all';
  const next = await describeAll(sources, upcoming.slice(0, LISTED), together);
  const { decision, spent } = await gate.preview();
  const outlook = outlookOf(decision, spent, next, running);
  return {
    at,
    ...outlook,
    until: outlook.does === 'nothing' ? (outlook.until ?? nextLookAt) : outlook.until,
    hold: decision.kind === 'wait' ? decision.hold : undefined,
    next,
    more: upcoming.length > LISTED,
    together,
    nextLookAt,
  };
}

function outlookOf(
  decision: Decision,
  spent: string | undefined,
  next: readonly UpcomingTurn[],
  running: string | undefined,
): Pick<Preview, 'does' | 'why' | 'until'> {
  const until = undefined;
  if (decision.kind === 'end') return { does: 'end', why: endSentence(decision.reason, spent), until };
  if (running !== undefined)
    return { does: 'turn', why: `Answering ${running}; what follows waits for its end.`, until };
  if (decision.kind === 'wait') return { does: 'hold', why: decision.hold.why, until: decision.hold.until };
  const first = next.find(({ dueAt, cap }) => dueAt === undefined && cap?.kind !== 'rest');
  if (first?.cap)
    return { does: 'answer', why: `Gives up on ${first.conversation}: ${first.cap.why}.`, until };
  if (first) return { does: 'answer', why: `Answers ${first.conversation}.`, until };
  if (next.length === 0) return { does: 'nothing', why: 'Nobody waits for an answer.', until };
  const times = next.flatMap(({ dueAt, cap }) => dueAt ?? cap?.until ?? []);
  return { does: 'nothing', why: 'Nobody may be answered yet.', until: Math.min(...times) };
}

/** With `together` the turns that may go share one session, as the worker would plan it. */
async function describeAll(
  sources: PreviewSources,
  upcoming: readonly UpcomingClaim[],
  together: boolean,
): Promise<UpcomingTurn[]> {
  const { session } = sources;
  const due = upcoming.filter(({ dueAt }) => dueAt === undefined).map(asClaim);
  const [first, ...others] = due;
  const shared = together && first && others.length > 0 ? session.plan([first, ...others]) : undefined;
  const turns: UpcomingTurn[] = [];
  for (const one of upcoming) {
    const plan = shared && one.dueAt === undefined ? shared : session.plan([asClaim(one)]);
    turns.push(await describe(sources, one, plan));
  }
  return turns;
}

async function describe(
  { guard, options }: PreviewSources,
  one: UpcomingClaim,
  plan: SessionPlan,
): Promise<UpcomingTurn> {
  const verdict = await guard.judge(asClaim(one));
  return {
    conversation: one.conversation,
    claimId: one.id,
    messages: one.messages.map(({ id, sender, text, spooledAt }) => ({
      id,
      sender,
      chars: text.length,
      spooledAt,
    })),
    attempt: one.attempts + 1,
    maxAttempts: options.maxAttempts,
    lastError: one.before?.lastError,
    dueAt: one.dueAt,
    cap:
      verdict.kind === 'ok'
        ? undefined
        : {
            kind: verdict.kind,
            why: verdict.why,
            until: verdict.kind === 'rest' ? verdict.until : undefined,
          },
    prompt: plan.continues ? 'continue' : 'full',
    sessionId: plan.wish.kind === 'same' ? plan.wish.sessionId : undefined,
  };
}

/** What was never claimed has cost nothing under any name, the empty one included. */
const asClaim = (one: UpcomingClaim): Claim => ({ ...one, id: one.id ?? '' });
