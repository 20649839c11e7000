// A worker's status in one glance, as plain text.
import type { Status } from '../domain/status.js';
import { counted, humanDollars, humanDuration } from '../lib/human.js';
import { oneLine } from '../lib/one-line.js';
import { budgetShares } from './budget-words.js';

/** Lines of plain text without a line end at the last; durations are relative to `now` (epoch ms). */
export function renderStatus(status: Status, now: number): string {
  const rows: (readonly [string, string | undefined])[] = [
    ['holds', otherHolds(status, now)],
    ['now', turn(status, now)],
    ['waiting', waiting(status, now)],
    ['dead', dead(status)],
    ['outbox', outbox(status)],
    ['today', today(status)],
    ['budget', budgets(status, now)],
    ['look', look(status, now)],
    ['claude', claude(status)],
    ['running', `for ${humanDuration(now - status.startedAt)}${status.stopping ? ', stopping' : ''}`],
  ];
  const lines = rows.flatMap(([name, text]) => (text === undefined ? [] : [`  ${name.padEnd(8)} ${text}`]));
  return [headline(status, now), ...lines].join('\n');
}

function headline(status: Status, now: number): string {
  const until = status.holds.find((hold) => hold.reason === status.health)?.until;
  return `${status.health}: ${oneLine(status.why)}${ends(until, now)}`;
}

/** The first line tells of one hold; a quiet inbox may stand beside it. */
function otherHolds(status: Status, now: number): string | undefined {
  const others = status.holds.filter((hold) => hold.reason !== status.health);
  if (others.length === 0) return undefined;
  return others.map((hold) => `${hold.reason}: ${oneLine(hold.why)}${ends(hold.until, now)}`).join('; ');
}

function ends(until: number | undefined, now: number): string {
  if (until === undefined || until <= now) return '';
  return ` (tried again in ${humanDuration(until - now)})`;
}

function turn({ turn }: Status, now: number): string | undefined {
  if (!turn) return undefined;
  const running = humanDuration(now - turn.startedAt);
  const quiet = humanDuration(now - turn.lastFrameAt);
  return `answering ${oneLine(turn.conversation, 80)} for ${running}, last sign of life ${quiet} ago`;
}

function waiting({ messages, oldestWaitingAt }: Status, now: number): string {
  const { waiting, claimed, retry } = messages;
  const all = waiting + claimed + retry;
  if (all === 0) return 'nothing';
  const parts = [
    ...(claimed > 0 ? [`${claimed} in work`] : []),
    ...(retry > 0 ? [`${retry} to be tried again`] : []),
  ];
  const detail = parts.length > 0 ? ` (${parts.join(', ')})` : '';
  const oldest =
    oldestWaitingAt === undefined ? '' : `, the oldest for ${humanDuration(now - oldestWaitingAt)}`;
  return `${counted(all, 'message')}${detail}${oldest}`;
}

function dead({ messages }: Status): string | undefined {
  return messages.dead > 0 ? `${counted(messages.dead, 'message')} given up` : undefined;
}

/** Sent ones are no news; what is on its way or did not get out is. */
function outbox({ outbox }: Status): string | undefined {
  const parts = (['queued', 'sending', 'unsure', 'refused'] as const).flatMap((state) =>
    outbox[state] > 0 ? [`${outbox[state]} ${state}`] : [],
  );
  return parts.length > 0 ? parts.join(', ') : undefined;
}

function today({ today }: Status): string {
  const cost = humanDollars(today.costUsd);
  return `${counted(today.turns, 'turn')}, ${cost}, ${counted(today.modelCalls, 'model call')}`;
}

function budgets({ budgets }: Status, now: number): string | undefined {
  const parts = budgets.map((state) => {
    const spent = budgetShares(state).map(({ text }) => text);
    const anew = state.endsAt === undefined ? '' : ` (anew in ${humanDuration(state.endsAt - now)})`;
    return `${spent.join(' and ')} this ${state.window}${anew}`;
  });
  return parts.length > 0 ? parts.join('; ') : undefined;
}

function look({ look }: Status, now: number): string {
  if (look.lastAt === undefined) return 'none yet';
  const by = look.lastWokenBy.length > 0 ? ` (woken by ${look.lastWokenBy.join(', ')})` : '';
  const last = `${humanDuration(now - look.lastAt)} ago${by}`;
  // During a look, and after a failed one, the last success lies before it.
  const failing = look.lastSuccessAt === undefined || look.lastSuccessAt < look.lastAt;
  const success =
    failing && look.lastSuccessAt !== undefined
      ? `, last success ${humanDuration(now - look.lastSuccessAt)} ago`
      : '';
  const counts = `${counted(look.count, 'look')}, ${counted(look.missedWakes, 'missed wake')}`;
  return `${last}${success}${nextLook(look.nextAt, now)}; ${counts}`;
}

function nextLook(nextAt: number | undefined, now: number): string {
  if (nextAt === undefined) return '';
  return nextAt <= now ? ', next now' : `, next in ${humanDuration(nextAt - now)}`;
}

function claude({ agent }: Status): string {
  const version = agent.version === undefined ? 'version not known yet' : agent.version;
  const pid = agent.pid === undefined ? 'no process' : `pid ${agent.pid}`;
  const session = agent.sessionId === undefined ? 'no session' : `session ${agent.sessionId}`;
  return `${version}, ${pid}, ${session}`;
}
