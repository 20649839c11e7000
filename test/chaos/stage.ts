// Everything that a run needs, started and wired together: model, inbox, the bad post between them, worker, people.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { startScriptedApi } from '../../src/rehearsal/index.js';
import { Dice } from '../simulation/chance.js';
import { BadPost } from './bad-post.js';
import { startInboxProcess } from './inbox-process.js';
import { InboxWatch } from './inbox-watch.js';
import { Model } from './model.js';
import { type ChaosOptions, Tally } from './options.js';
import { Person } from './people.js';
import { environmentOf, furnish, MAIN, makePlace } from './place.js';
import { Supervised } from './supervised.js';

const PEOPLE = ['@ada', '@bob', '@cyd', '@dan', '@eve'];

export type Stage = Awaited<ReturnType<typeof openStage>>;

/** Rejects, with nothing left behind, when something does not start. */
export async function openStage({ seed, vocabulary, longBursts, keep }: ChaosOptions) {
  const place = await makePlace();
  const closing: (() => Promise<unknown> | unknown)[] = [
    () =>
      keep ? undefined : rm(place.root, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }),
  ];
  const close = async (): Promise<void> => {
    for (let step = closing.pop(); step; step = closing.pop()) await step();
  };
  try {
    const troubles = new Tally();
    const dice = (word: string): Dice => new Dice(`${seed}/${word}`);
    const model = new Model({ dice: dice('model'), tally: troubles, longBursts });
    const api = await startScriptedApi({ script: model.script, keep: 10 });
    closing.push(() => api.close());
    const calls = new Calls();
    api.onCall(({ kind }) => kind === 'turn' && calls.add());
    const env = environmentOf(place, api.url);

    const post = new BadPost(place.webhookPort, dice('post'), troubles);
    closing.push(() => post.close());
    const webhook = `http://127.0.0.1:${await post.listen()}/webhook`;
    const pauses = dice('pauses');
    const pauseMs = (): number => (pauses.chance(0.2) ? pauses.between(500, 4_000) : pauses.between(0, 300));
    const inbox = await startInboxProcess({ place, env, people: PEOPLE, webhook, pauseMs });
    closing.push(() => inbox.process.abandon());
    await furnish(place, { url: inbox.url, key: inbox.keys.get('@agent') ?? '', vocabulary });
    const worker = new Supervised({
      args: [MAIN, 'run', '--dir', place.agentFolder],
      cwd: place.agentFolder,
      env,
      logFile: join(place.root, 'worker.log'),
      pauseMs,
    });
    closing.push(() => worker.abandon());
    const watch = new InboxWatch(inbox.database);
    closing.push(() => watch.close());
    const people = PEOPLE.map((name) => new Person(name, inbox.url, inbox.keys.get(name) ?? ''));
    closing.push(() => Promise.all(people.map((person) => person.close())));
    const stateRoot = join(place.stateHome, 'inbox-worker');
    return { place, stateRoot, dice, troubles, model, api, calls, post, inbox, worker, watch, people, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Model calls that belong to a turn. */
class Calls {
  total = 0;
  #waiters: (() => void)[] = [];

  add(): void {
    this.total += 1;
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const resolve of waiters) resolve();
  }

  /** Resolves at the next one. */
  next(): Promise<void> {
    return new Promise((resolve) => this.#waiters.push(resolve));
  }
}
