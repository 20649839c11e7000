// The embedded inbox as a process of its own, so that it can be killed.
import { join } from 'node:path';
import { MAIN, type Place, WEBHOOK_SECRET } from './place.js';
import { Supervised } from './supervised.js';

export interface InboxProcess {
  readonly process: Supervised;
  readonly url: string;
  /** By alias, as `@agent`. */
  readonly keys: ReadonlyMap<string, string>;
  readonly database: string;
}

export interface InboxWish {
  readonly place: Place;
  readonly env: Readonly<Record<string, string>>;
  readonly people: readonly string[];
  /** Where it announces what comes in for the agent. */
  readonly webhook: string;
  pauseMs(): number;
}

/** Resolves when it listens; rejects when it does not come to that. */
export async function startInboxProcess(wish: InboxWish): Promise<InboxProcess> {
  const { place } = wish;
  let told: (line: string) => void = () => {};
  let failed: (how: string) => void = () => {};
  const firstLine = new Promise<string>((resolve, reject) => {
    told = resolve;
    failed = (how) => reject(new Error(`The embedded inbox did not start: ${how}.`));
  });
  let heard = '';
  const process = new Supervised({
    args: [
      ...[MAIN, 'inbox', '--json', '--port', String(place.inboxPort)],
      ...['@agent', ...wish.people].flatMap((alias) => ['--alias', alias]),
      ...['--webhook', `@agent=${wish.webhook}`],
    ],
    cwd: place.root,
    env: { ...wish.env, WEBHOOK_SECRET },
    logFile: join(place.root, 'inbox.log'),
    pauseMs: wish.pauseMs,
    onFailure: failed,
    onStdout: (text) => {
      heard += text;
      if (heard.includes('\n')) told(heard.slice(0, heard.indexOf('\n')));
    },
  });
  const line = await firstLine.catch(async (error) => {
    await process.abandon();
    throw error;
  });
  const { url, aliases } = JSON.parse(line) as { url: string; aliases: Record<string, { key: string }> };
  return {
    process,
    url,
    keys: new Map(Object.entries(aliases).map(([alias, { key }]) => [alias, key])),
    database: join(place.stateHome, 'inbox-worker', 'local-inbox', 'inbox.db'),
  };
}
