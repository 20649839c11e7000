// What on_hold and on_dead tell: from settings and store to an observer of one agent.
import { join } from 'node:path';
import type { ResolvedInbox, Settings } from '../config/index.js';
import type { Store } from '../mailbox/index.js';
import { commandEnvironment, type Death, readTold, type Target, teller } from '../tell/index.js';
import type { InboxFolder } from './folders.js';
import type { Observers } from './observers.js';
import type { Releases } from './releases.js';
import { systemClock, systemIds } from './system.js';

export interface TellerWish {
  readonly settings: Settings;
  readonly inbox: Pick<ResolvedInbox, 'name'>;
  readonly env: NodeJS.ProcessEnv;
  /** The state folder of the inbox. */
  readonly folder: InboxFolder;
  readonly store: Pick<Store, 'mailbox'>;
  readonly secrets: readonly string[];
  readonly observers: Observers;
  readonly releases: Releases;
}

/** What is due at the end of the process may take so long. Less than any supervisor waits. */
const CLOSE_MS = 10_000;
/** A telling names fifty; the rest is a number. */
const LISTED = 500;

/** Does nothing where nobody is to be told. */
export async function addTeller(wish: TellerWish): Promise<void> {
  const { settings, observers, releases } = wish;
  const targets = targetsOf(settings);
  if (targets.length === 0) return;
  const target = (key: string): Target | undefined => targets.find((one) => one.key === key)?.target;
  const memory = join(wish.folder.path, 'told.json');
  const told = await readTold(memory);
  const made = teller({
    inbox: wish.inbox.name,
    folder: settings.dir,
    onHold: target('on_hold'),
    onDead: target('on_dead'),
    rules: {
      reasons: settings.onHoldReasons,
      // A single run does not wait, so neither can its holds.
      afterMs: settings.once ? 0 : settings.onHoldAfterMs,
      intervalMs: settings.tellIntervalMs,
    },
    clock: systemClock,
    ids: systemIds,
    environment: commandEnvironment(wish.env),
    secrets: wish.secrets,
    memory,
    told,
    deaths: target('on_dead') ? await untoldDeaths(wish.store, told.deathsUntil) : [],
    observer: observers.observer,
  });
  observers.add(made);
  releases.add(() => made.close(CLOSE_MS));
}

export interface NamedTarget {
  readonly key: 'on_hold' | 'on_dead';
  readonly target: Target;
}

type TellSettings = Pick<Settings, 'onHold' | 'onDead' | 'tellSecret'>;

/** The settings that name somebody, by their keys. */
export function targetsOf({ onHold, onDead, tellSecret }: TellSettings): NamedTarget[] {
  const named = (key: NamedTarget['key'], value: Settings['onHold']): NamedTarget[] => {
    if (value === 'off') return [];
    if (value.kind !== 'webhook') return [{ key, target: value }];
    const secrets = value.secret === undefined ? tellSecret : [value.secret];
    return [{ key, target: { kind: 'webhook', url: value.url, secrets } }];
  };
  return [...named('on_hold', onHold), ...named('on_dead', onDead)];
}

/** What no log may hold. */
export const tellSecrets = (settings: TellSettings): string[] =>
  targetsOf(settings).flatMap(({ target }) => (target.kind === 'webhook' ? target.secrets : []));

/** Who was killed before it could tell left them to us. Where none was ever told, the old ones are old news. */
async function untoldDeaths(
  { mailbox }: Pick<Store, 'mailbox'>,
  until: number | undefined,
): Promise<Death[]> {
  if (until === undefined) return [];
  const dead = await mailbox.list({ states: ['dead'], limit: LISTED });
  return dead
    .filter(({ settledAt }) => settledAt !== undefined && settledAt > until)
    .map(({ id, conversation, attempts, lastError }) => ({
      id,
      conversation,
      attempts,
      lastError: lastError ?? '',
    }));
}
