// One run: people post, things are killed and fail, then all is calm, and every question must have had its answer.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Dice } from '../simulation/chance.js';
import { processesWith } from '../support/agent-lab.js';
import { readBooks } from './books.js';
import { killOnAndOff } from './killer.js';
import { type ChaosOptions, Tally } from './options.js';
import type { Person, Posted } from './people.js';
import type { Manner } from './question.js';
import { openStage, type Stage } from './stage.js';
import { judge, type Verdict } from './verdict.js';

const MANNERS: readonly Manner[] = [
  ...Array<Manner>(12).fill('plain'),
  ...Array<Manner>(4).fill('tool'),
  ...Array<Manner>(2).fill('interim'),
  ...Array<Manner>(2).fill('quiet'),
];
const TELL_EVERY_MS = 30_000;
const LOOK_EVERY_MS = 250;
const QUIET_LOOKS = 8;

export interface ChaosReport extends Verdict {
  readonly seed: number;
  readonly vocabulary: ChaosOptions['vocabulary'];
  readonly kills: Tally;
  /** What went wrong besides. */
  readonly troubles: Tally;
  readonly modelCalls: number;
  readonly turns: number;
  readonly durationMs: number;
  /** Ends of worker or inbox that nobody had asked for; the worker's last one too, when it was no clean drain. */
  readonly ownEnds: readonly string[];
  /** Processes of the run that were there when all had ended. */
  readonly leftovers: number;
}

/** Rejects when the run could not be made or was called off; what it brought to light is in the report. */
export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const startedAt = performance.now();
  const stage = await openStage(options);
  const trouble = new AbortController();
  const kills = new Tally();
  const teller = tellOnAndOff(stage, kills, options);
  try {
    if (options.keep) options.tell(`everything is in ${stage.place.root}`);
    const killing = kill(stage, kills, options, AbortSignal.any([trouble.signal, options.signal]));
    // Awaited below; a failure in between must not count as unhandled.
    killing.catch(() => {});
    const posted = await postAll(stage.people, stage.dice('people'), options).finally(() => trouble.abort());
    await killing;
    options.tell(`all is posted and ${kills.total} times something was killed; from now on all is calm`);
    stage.post.beHonest();
    stage.model.beWell();
    stage.api.release();
    await untilSettled(stage, options);
    const ownEnds = await endAll(stage);
    const books = await readBooks(
      stage.stateRoot,
      posted.map(({ id }) => id),
    );
    if (!books) throw new Error('The worker has never made its store.');
    return {
      ...judge(posted, stage.watch.messages, books, options.vocabulary),
      seed: options.seed,
      vocabulary: options.vocabulary,
      kills,
      troubles: stage.troubles,
      modelCalls: stage.calls.total,
      turns: books.turns,
      durationMs: performance.now() - startedAt,
      ownEnds,
      leftovers: (await processesWith(stage.place.root)).length,
    };
  } finally {
    clearInterval(teller);
    trouble.abort();
    await stage.close();
  }
}

async function kill(stage: Stage, tally: Tally, options: ChaosOptions, signal: AbortSignal): Promise<void> {
  await killOnAndOff(
    {
      dice: stage.dice('killer'),
      tally,
      everyMs: options.killEveryMs,
      worker: stage.worker,
      inbox: stage.inbox.process,
      mark: stage.place.root,
      inTurn: () => stage.model.busy,
      modelCall: () => stage.calls.next(),
      agentSent: () => stage.watch.next(),
    },
    signal,
  );
}

/** Resolves with all questions, each person's in order, when the inbox has taken the last. */
async function postAll(
  people: readonly Person[],
  dice: Dice,
  { messages, postingMs, vocabulary, signal }: ChaosOptions,
): Promise<Posted[]> {
  // The rest of a long answer waits for ever behind a piece that stays in doubt.
  const manners: readonly Manner[] = vocabulary === 'dms' ? [...MANNERS, 'long'] : MANNERS;
  const meanMs = postingMs / messages;
  const posts: Promise<Posted>[] = [];
  for (let number = 1; number <= messages; number += 1) {
    const question = { token: `q${String(number).padStart(5, '0')}`, manner: dice.pick(manners) };
    const post = dice.pick(people).post(question, signal);
    // Awaited with all the others; one that is called off in between must not count as unhandled.
    post.catch(() => {});
    posts.push(post);
    // Now and then several at once; the others wait a little longer for it.
    if (!dice.chance(0.25)) await sleep(dice.between(0.33 * meanMs, 2.33 * meanMs), undefined, { signal });
  }
  return Promise.all(posts);
}

/** Resolves when nothing is unread, unsettled or unsent, or when nothing has moved for too long. */
async function untilSettled(
  { stateRoot, watch }: Stage,
  { patienceMs, signal, tell }: ChaosOptions,
): Promise<void> {
  let seen = '';
  let movedAt = performance.now();
  for (let quiet = 0; quiet < QUIET_LOOKS; ) {
    const books = await readBooks(stateRoot);
    const unread = watch.unread();
    const isDone = books !== undefined && books.unsettled === 0 && unread === 0;
    // Between reading and spooling it is nowhere to be seen: once is not enough.
    quiet = isDone ? quiet + 1 : 0;
    const now = `${unread} unread, ${books?.unsettled ?? '?'} unsettled, ${books?.turns ?? '?'} turns`;
    if (now !== seen) movedAt = performance.now();
    seen = now;
    if (performance.now() - movedAt > patienceMs) {
      tell(`nothing has moved for ${Math.round(patienceMs / 1000)} s: ${now}`);
      return;
    }
    await sleep(LOOK_EVERY_MS, undefined, { signal });
  }
}

/** Stops worker and inbox as a person would. Answers the ends that were not in order. */
async function endAll({ worker, inbox, watch }: Stage): Promise<string[]> {
  const last = await worker.stop('SIGTERM');
  await inbox.process.stop('SIGTERM');
  watch.look();
  return [
    ...worker.failures.map((how) => `worker: ${how}`),
    ...inbox.process.failures.map((how) => `inbox: ${how}`),
    ...(last.code === 0 ? [] : [`worker at its end: ${last.signal ?? `exit code ${last.code}`}`]),
  ];
}

function tellOnAndOff({ stateRoot, watch }: Stage, kills: Tally, { tell }: ChaosOptions): NodeJS.Timeout {
  const startedAt = performance.now();
  const timer = setInterval(async () => {
    const books = await readBooks(stateRoot).catch(() => undefined);
    const s = Math.round((performance.now() - startedAt) / 1000);
    tell(
      `${s} s: ${books?.known ?? 0} taken in, ${books?.unsettled ?? 0} open, ${watch.messages.length} sent; kills: ${kills}`,
    );
  }, TELL_EVERY_MS);
  return timer.unref();
}
