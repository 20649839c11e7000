// One run: people post, things are killed and fail, then all is calm, and every question must have had its answer.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startScriptedApi } from '../../src/rehearsal/index.js';
import { Dice } from '../simulation/chance.js';
import { processesWith } from '../support/agent-lab.js';
import { BadPost } from './bad-post.js';
import { readBooks } from './books.js';
import { startInboxProcess } from './inbox-process.js';
import { killOnAndOff } from './killer.js';
import { Model } from './model.js';
import { type ChaosOptions, Tally } from './options.js';
import { Person, type Posted } from './people.js';
import { environmentOf, furnish, MAIN, makePlace } from './place.js';
import type { Manner } from './question.js';
import { SentWatch } from './sent-watch.js';
import { Supervised } from './supervised.js';
import { judge, type Verdict } from './verdict.js';

const PEOPLE = ['@ada', '@bob', '@cyd', '@dan', '@eve'];
const MANNERS: readonly Manner[] = [
  ...Array<Manner>(12).fill('plain'),
  ...Array<Manner>(4).fill('tool'),
  ...Array<Manner>(2).fill('interim'),
  ...(['long', 'quiet', 'quiet'] as const),
];
const TELL_EVERY_MS = 30_000;

export interface ChaosReport extends Verdict {
  readonly seed: number;
  readonly kills: Tally;
  readonly troubles: Tally;
  readonly modelCalls: number;
  readonly turns: number;
  readonly durationMs: number;
  /** Ends of worker or inbox that nobody had asked for, the worker's last one included when it was no clean drain. */
  readonly ownEnds: readonly string[];
  /** Processes that were there when all had ended. */
  readonly leftovers: number;
  /** Where everything lies, where it was kept. */
  readonly folder: string | undefined;
}

/** Rejects when the run could not be made or was called off; what the run brought to light is in the report. */
export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const { seed, tell, signal } = options;
  const startedAt = performance.now();
  const [kills, troubles] = [new Tally(), new Tally()];
  const dice = (word: string): Dice => new Dice(`${seed}/${word}`);
  const place = await makePlace();
  const closing: (() => Promise<unknown> | unknown)[] = [];
  try {
    const model = new Model({ dice: dice('model'), tally: troubles, longBursts: options.longBursts });
    const api = await startScriptedApi({ script: model.script, keep: 10 });
    closing.push(() => api.close());
    let turnCalls = 0;
    let onCall: (() => void)[] = [];
    api.onCall(({ kind }) => {
      if (kind !== 'turn') return;
      turnCalls += 1;
      for (const told of onCall) told();
      onCall = [];
    });
    const env = environmentOf(place, api.url);
    const post = new BadPost(place.webhookPort, dice('post'), troubles);
    const postPort = await post.listen();
    closing.push(() => post.close());

    const pauses = dice('pauses');
    const pauseMs = (): number => (pauses.chance(0.2) ? pauses.between(500, 4_000) : pauses.between(0, 300));
    const inbox = await startInboxProcess({
      place,
      env,
      people: PEOPLE,
      webhook: `http://127.0.0.1:${postPort}/webhook`,
      pauseMs,
    });
    closing.push(() => inbox.process.abandon());
    await furnish(place, { url: inbox.url, key: inbox.keys.get('@agent') ?? '' });
    const worker = new Supervised({
      args: [MAIN, 'run', '--dir', place.agentFolder],
      cwd: place.agentFolder,
      env,
      logFile: join(place.root, 'worker.log'),
      pauseMs,
    });
    closing.push(() => worker.abandon());
    const sent = new SentWatch(inbox.database);
    closing.push(() => sent.close());
    const people = PEOPLE.map((name) => new Person(name, inbox.url, inbox.keys.get(name) ?? ''));
    closing.push(() => Promise.all(people.map((person) => person.close())));

    const trouble = new AbortController();
    closing.push(() => trouble.abort());
    const killing = killOnAndOff(
      {
        dice: dice('killer'),
        tally: kills,
        everyMs: options.killEveryMs,
        worker,
        inbox: inbox.process,
        mark: place.root,
        inTurn: () => model.busy,
        modelCall: () => new Promise<void>((resolve) => onCall.push(resolve)),
        agentSent: () => sent.next(),
      },
      AbortSignal.any([trouble.signal, signal]),
    );
    killing.catch(() => {});

    const stateRoot = join(place.stateHome, 'inbox-worker');
    let taken = 0;
    let toldAt = performance.now();
    const tellNow = async (): Promise<void> => {
      if (performance.now() - toldAt < TELL_EVERY_MS) return;
      toldAt = performance.now();
      const books = await readBooks(stateRoot).catch(() => undefined);
      const s = Math.round((performance.now() - startedAt) / 1000);
      tell(
        `${s} s: ${taken} posted, ${sent.messages.length} sent, ${books?.unsettled ?? '?'} unsettled, kills: ${kills}`,
      );
    };

    const posted = await postAll(people, dice('people'), options, async () => {
      taken += 1;
      await tellNow();
    });
    tell(`all ${posted.length} questions are posted after ${kills.total} kills; from now on all is calm`);
    trouble.abort();
    await killing;
    post.beHonest();
    model.beWell();
    api.release();
    await untilSettled(posted.length, stateRoot, options, tellNow);

    const last = await worker.stop('SIGTERM');
    await inbox.process.stop('SIGTERM');
    sent.look();
    const books = await readBooks(
      stateRoot,
      posted.map(({ id }) => id),
    );
    if (!books) throw new Error('The worker has never made its store.');
    const leftovers = (await processesWith(place.root)).length;
    const verdict = judge(posted, sent.messages, books);
    return {
      ...verdict,
      seed,
      kills,
      troubles,
      modelCalls: turnCalls,
      turns: books.turns,
      durationMs: performance.now() - startedAt,
      ownEnds: [
        ...worker.failures.map((how) => `worker: ${how}`),
        ...inbox.process.failures.map((how) => `inbox: ${how}`),
        ...(last.code === 0 ? [] : [`worker at its end: ${last.signal ?? `exit code ${last.code}`}`]),
      ],
      leftovers,
      folder: options.keep ? place.root : undefined,
    };
  } finally {
    for (const step of closing.reverse()) await step();
    if (!options.keep)
      await rm(place.root, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    else tell(`everything is in ${place.root}`);
  }
}

/** Resolves with all questions, each person's in order, when the inbox has taken the last. */
async function postAll(
  people: readonly Person[],
  dice: Dice,
  { messages, postingMs, signal }: ChaosOptions,
  onTaken: () => Promise<void>,
): Promise<Posted[]> {
  const meanMs = postingMs / messages;
  const posts: Promise<Posted>[] = [];
  for (let number = 1; number <= messages; number += 1) {
    const question = { token: `q${String(number).padStart(5, '0')}`, manner: dice.pick(MANNERS) };
    const post = dice.pick(people).post(question, signal);
    // Awaited with all the others; one that is called off in between must not count as unhandled.
    post.then(onTaken).catch(() => {});
    posts.push(post);
    // Now and then several at once; the others wait a little longer for it.
    if (!dice.chance(0.25)) await sleep(dice.between(0.33 * meanMs, 2.33 * meanMs), undefined, { signal });
  }
  return Promise.all(posts);
}

/** Resolves when the worker has settled and sent everything, or when nothing has moved for too long. */
async function untilSettled(
  messages: number,
  stateRoot: string,
  { patienceMs, signal, tell }: ChaosOptions,
  tellNow: () => Promise<void>,
): Promise<void> {
  let seen = '';
  let movedAt = performance.now();
  for (;;) {
    const books = await readBooks(stateRoot);
    if (books && books.known >= messages && books.unsettled === 0) return;
    const now = JSON.stringify([books?.known, books?.unsettled, books?.turns]);
    if (now !== seen) movedAt = performance.now();
    seen = now;
    if (performance.now() - movedAt > patienceMs) {
      tell(`nothing has moved for ${Math.round(patienceMs / 1000)} s; known, unsettled, turns: ${now}`);
      return;
    }
    await tellNow();
    await sleep(250, undefined, { signal });
  }
}
