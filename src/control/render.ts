// A worker's status in one glance, as plain text.
import type { Status, WakeReport } from '../domain/status.js';
import { counted, humanDuration } from '../lib/human.js';
import { oneLine } from '../lib/one-line.js';
import { budgetRow, page, type Row, sessionRow, storeRows } from './render-store.js';

/** Lines of plain text without a line end at the last; durations are relative to `now` (epoch ms). */
export function renderStatus(status: Status, now: number): string {
  const running = `for ${humanDuration(now - status.startedAt)}, version ${status.version}`;
  const rows: Row[] = [
    ['holds', otherHolds(status, now)],
    ['now', turn(status, now)],
    ...storeRows(status, now),
    ['resting', resting(status, now)],
    budgetRow(status.budgets, now),
    ['look', look(status, now)],
    ['wakes', wakes(status, now)],
    sessionRow(status.session, now),
    ['claude', claude(status)],
    ['running', `${running}${status.stopping ? ', stopping' : ''}`],
  ];
  return page(headline(status, now), rows);
}

function headline(status: Status, now: number): string {
  return `${status.health}: ${oneLine(status.why)}${ends(status, now)}`;
}

function ends({ health, until }: Pick<Status, 'health' | 'until'>, now: number): string {
  if (until === undefined || until <= now) return '';
  return ` (${health === 'idle' ? 'looks again' : 'tried again'} in ${humanDuration(until - now)})`;
}

/** The first line tells of one hold; a quiet inbox may stand beside it. */
function otherHolds(status: Status, now: number): string | undefined {
  const others = status.holds.filter((hold) => hold.reason !== status.health);
  if (others.length === 0) return undefined;
  return others
    .map(({ reason, why, until }) => `${reason}: ${oneLine(why)}${ends({ health: reason, until }, now)}`)
    .join('; ');
}

function turn({ turn }: Status, now: number): string | undefined {
  if (!turn) return undefined;
  const running = humanDuration(now - turn.startedAt);
  const quiet = humanDuration(now - turn.lastFrameAt);
  return `answering ${oneLine(turn.conversation, 80)} for ${running}, last sign of life ${quiet} ago`;
}

function resting({ resting }: Status, now: number): string | undefined {
  if (resting.length === 0) return undefined;
  return resting
    .map(({ conversation, why, until }) => {
      const who = oneLine(conversation, 80);
      return `${who} for ${humanDuration(until - now)} (${oneLine(why)})`;
    })
    .join('; ');
}

function look({ look, health }: Status, now: number): string {
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
  // An idle worker has said it in the first line.
  return `${last}${success}${health === 'idle' ? '' : nextLook(look.nextAt, now)}; ${counts}`;
}

function nextLook(nextAt: number | undefined, now: number): string {
  if (nextAt === undefined) return '';
  return nextAt <= now ? ', next now' : `, next in ${humanDuration(nextAt - now)}`;
}

/** Those that announce mail; a signal or a control file only when it did something. */
const BY_HAND = ['signal', 'control files'];

function wakes({ wakes }: Status, now: number): string {
  const told = wakes.filter(({ name, lastAt }) => !BY_HAND.includes(name) || lastAt !== undefined);
  return told.length > 0 ? told.map((one) => wake(one, now)).join('; ') : 'none but the timer';
}

function wake({ name, address, connected, since, lastAt }: WakeReport, now: number): string {
  const last = lastAt === undefined ? 'none yet' : `last ${humanDuration(now - lastAt)} ago`;
  const where = address === undefined ? '' : ` ${oneLine(address, 120)}`;
  if (name === 'webhook') return address === undefined ? 'webhook not listening' : `webhook${where}, ${last}`;
  if (name !== 'wake stream') return `${name} ${last}`;
  if (!connected) return `wake stream${where} not connected, ${last}`;
  const held = since === undefined ? '' : ` for ${humanDuration(now - since)}`;
  return `wake stream${where} connected${held}, ${last}`;
}

function claude({ agent }: Status): string {
  const version = agent.version === undefined ? 'version not known yet' : agent.version;
  return `${version}, ${agent.pid === undefined ? 'no process' : `pid ${agent.pid}`}`;
}
