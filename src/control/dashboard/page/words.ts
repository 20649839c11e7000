// The page's words: what a health is called, how good it is, and instants as people read them.

import { humanDuration } from '../../../lib/human.js';
import type { AgentLine } from '../../wire.js';

/** How something stands, for its colour; the words beside it say the same. */
export type Tone = 'good' | 'busy' | 'wait' | 'bad';

type Health = AgentLine['health'];

const HEALTH: Record<Health, readonly [word: string, tone: Tone]> = {
  idle: ['Idle', 'good'],
  working: ['Working', 'busy'],
  stuck: ['Stuck', 'bad'],
  deaf: ['Deaf', 'bad'],
  limited: ['At a usage limit', 'wait'],
  'credit-exhausted': ['Out of credit', 'bad'],
  'over-budget': ['Over budget', 'wait'],
  'max-iterations': ['Turns used up', 'wait'],
  paused: ['Paused', 'wait'],
  'agent-unauthorised': ['Claude is not logged in', 'bad'],
  'inbox-unauthorised': ['The inbox refuses the key', 'bad'],
  'inbox-down': ['The inbox is down', 'bad'],
  'agent-not-ready': ['Claude is not ready', 'bad'],
  'disk-full': ['The disk is full', 'bad'],
  'store-down': ['The database is away', 'bad'],
  'lease-lost': ['Another worker took over', 'bad'],
  done: ['Done', 'good'],
  starting: ['Starting', 'wait'],
  waiting: ['Waiting to start', 'wait'],
  ended: ['Ended', 'wait'],
};

/** A health of a newer worker is shown as it is spelt. */
export const healthWord = (health: string): string => known(health)?.[0] ?? health;
export const healthTone = (health: string): Tone => known(health)?.[1] ?? 'wait';

const known = (health: string) => (Object.hasOwn(HEALTH, health) ? HEALTH[health as Health] : undefined);

/** `2 m 5 s ago`; what is younger than two seconds, or lies ahead by a clock that differs, is `just now`. */
export function ago(at: number | undefined, now: number): string {
  if (at === undefined) return '';
  return now - at < 2_000 ? 'just now' : `${coarse(now - at)} ago`;
}

/** `in 42 s`, `now`. */
export function ahead(at: number, now: number): string {
  return at - now < 1_000 ? 'now' : `in ${coarse(at - now)}`;
}

/** Seconds only below two minutes: a list of times to the second is hard to read, and changes all the time. */
function coarse(ms: number): string {
  const step = ms < 120_000 ? 1_000 : 60_000;
  return humanDuration(Math.floor(ms / step) * step);
}

const TIME = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const SECONDS = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium', hourCycle: 'h23' });
const DAY = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });
const WHOLE = new Intl.DateTimeFormat(undefined, {
  dateStyle: 'medium',
  timeStyle: 'medium',
  hourCycle: 'h23',
});

/** `14:05`, and with the day where it is not today's. */
export function clock(at: number, now: number): string {
  const sameDay = new Date(at).toDateString() === new Date(now).toDateString();
  return sameDay ? TIME.format(at) : `${DAY.format(at)}, ${TIME.format(at)}`;
}

export const dayOfYear = (at: number): string => DAY.format(at);
export const seconds = (at: number): string => SECONDS.format(at);
export const whole = (at: number): string => WHOLE.format(at);

/** `4.2 kB`. */
export function bytes(count: number): string {
  if (count < 1_000) return `${count} B`;
  const [size, unit] = count < 1_000_000 ? [count / 1_000, 'kB'] : [count / 1_000_000, 'MB'];
  return `${size.toFixed(size < 10 ? 1 : 0)} ${unit}`;
}
