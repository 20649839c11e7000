// SIGKILL of the real worker at each step that writes or sends, with both vocabularies; then an ordinary restart.
import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStore, type Store } from '../../src/mailbox/index.js';
import { type Lab, openLab, processesWith, type WorkerProcess } from '../support/agent-lab.js';

const CRASH_WORKER = resolve(import.meta.dirname, '../support/crash-worker.mjs');

/** What becomes of the two questions that wait when the worker dies. Everything else about a case is the same. */
interface Fate {
  /** Turns that begin for both questions together: 3 where one had begun in vain, 2 where nothing was. */
  readonly turns: number;
  /** Sending does not wait for turns: on a slow machine the other question's one may have begun, and begins again. */
  readonly orOneMore?: true;
  /** Answers that arrive; both questions have one unless said otherwise. */
  readonly answers?: number;
  /** Sends of which nobody can tell whether they arrived: held, and shown. */
  readonly unsure?: number;
  /** Questions that the upstream had counted as read before they were on our disk. */
  readonly neverReceived?: number;
  /** Claude answers with its tools. */
  readonly pull?: true;
  /** The model answers only after the crash. */
  readonly held?: true;
}

/** In the order of a message's life. */
const EVERYWHERE: Record<string, Fate> = {
  'answer-received': { turns: 2 },
  spooled: { turns: 2 },
  acknowledged: { turns: 2 },
  claimed: { turns: 2 },
  'prompt-asked': { turns: 3 },
  'prompt-written': { turns: 3 },
  'mid-turn': { turns: 3 },
  'session-noted': { turns: 3, held: true },
  'tool-call-received': { turns: 3, pull: true },
  'outbox-queued': { turns: 2, pull: true },
  'settle-asked': { turns: 3 },
  settled: { turns: 2 },
  'ledger-ended': { turns: 2 },
  'upstream-asked': { turns: 2, orOneMore: true },
  'upstream-accepted': { turns: 2, orOneMore: true },
  recorded: { turns: 2, orOneMore: true },
};

/**
 * What reading consumes and what cannot be sent twice without harm leave two windows, and no others: the mail of one
 * answer is lost before it is on our disk, and one send is in doubt between asking and hearing.
 */
const WITH_AGENTDM: Record<string, Fate> = {
  ...EVERYWHERE,
  'answer-received': { turns: 0, answers: 0, neverReceived: 2 },
  'upstream-asked': { turns: 2, orOneMore: true, answers: 1, unsure: 1 },
  'upstream-accepted': { turns: 2, orOneMore: true, unsure: 1 },
};

for (const [vocabulary, fates] of [
  ['dms', EVERYWHERE],
  ['agentdm', WITH_AGENTDM],
] as const) {
  describe(`with the tools of ${vocabulary}, killed at`, () => {
    let lab: Lab;
    beforeAll(async () => {
      lab = await openLab({
        vocabularies: { dms: vocabulary === 'dms', agentdm: vocabulary === 'agentdm' },
      });
    });
    afterAll(() => lab.close());

    it.each(Object.entries(fates))('%s', async (point, fate) => {
      await crashAndRestart(lab, [point], fate);
    });

    it('one point after the other, twice in the recovery itself', async () => {
      await crashAndRestart(lab, ['mid-turn', 'settle-asked', 'settled', 'recorded'], {
        turns: 3,
        orOneMore: true,
      });
    });

    if (vocabulary === 'dms') {
      it('upstream-accepted, with an answer in three pieces: all arrive once, in order', async () => {
        const pieces = ['a', 'b', 'c'].map((letter) => letter.repeat(10_000));
        lab.api.setScript(() => ({ content: [{ type: 'text', text: pieces.join('') }] }));
        lab.say('@long', 'tell me much');
        await dies(lab, 'upstream-accepted');
        await restarts(lab);
        lab.api.reset();
        expect(lab.answers('@long').map(({ text }) => text)).toEqual(pieces);
      });
    } else {
      it('upstream-accepted, and told to resend what is in doubt: a second copy, by choice', async () => {
        lab.say('@chosen', 'twice if need be');
        await dies(lab, 'upstream-accepted');
        await restarts(lab, ['--on-unsure', 'resend']);
        expect(lab.answers('@chosen')).toHaveLength(2);
      });
    }
  });
}

/** Two questions wait; the worker is started and dies, once for each point; an ordinary worker takes it up. */
async function crashAndRestart(lab: Lab, points: readonly string[], fate: Fate): Promise<void> {
  const { answers = 2, unsure = 0, neverReceived = 0 } = fate;
  const senders = ['first', 'second'].map((which) => `@${which}-${points.join('-').slice(0, 20)}`);
  const before = await countsOf(lab);
  const hold = fate.held ? lab.api.hold() : undefined;
  for (const sender of senders) lab.say(sender, `the question of ${sender}`);
  const env: Record<string, string> = fate.pull ? { DELIVERY: 'pull' } : {};
  for (const point of points) await dies(lab, point, env);
  hold?.release();
  const next = await restarts(lab, [], env);

  const given = senders.map((sender) => lab.answers(sender));
  for (const [index, sender] of senders.entries()) {
    expect(given[index]?.length, `answers to ${sender}`).toBeLessThanOrEqual(1);
    for (const answer of given[index] ?? []) expect(answer.text).toContain(sender);
  }
  expect(given.flat()).toHaveLength(answers);
  const after = await countsOf(lab);
  expect(after.unsettled).toBe(0);
  expect(after.answered - before.answered).toBe(2 - neverReceived);
  expect(after.unsure - before.unsure).toBe(unsure);
  const allowed = fate.orOneMore ? [fate.turns, fate.turns + 1] : [fate.turns];
  expect(allowed).toContain(after.turns - before.turns);
  if (unsure > 0) await next.says(/1 message\(s\) may or may not have been sent/);
}

async function dies(lab: Lab, point: string, env: Record<string, string> = {}): Promise<void> {
  const doomed = lab.start(CRASH_WORKER, [point], env);
  expect(await doomed.ended(), doomed.lines.slice(-5).join('\n')).toMatchObject({ signal: 'SIGKILL' });
  await doomed.says(new RegExp(`^dies at ${point}$`));
}

/** Runs the built worker until nothing is left to do. */
async function restarts(
  lab: Lab,
  args: readonly string[] = [],
  env: Record<string, string> = {},
): Promise<WorkerProcess> {
  const next = lab.run(['--once', ...args], env);
  expect(await next.ended(), next.lines.slice(-5).join('\n')).toMatchObject({ exitCode: 0 });
  expect(await processesWith(lab.root)).toEqual([]);
  return next;
}

async function countsOf(
  lab: Lab,
): Promise<{ unsettled: number; answered: number; unsure: number; turns: number }> {
  const store = await openWorkerStore(lab);
  if (!store) return { unsettled: 0, answered: 0, unsure: 0, turns: 0 };
  try {
    const { messages } = await store.mailbox.counts();
    const sends = await store.outbox.counts();
    const { turns } = await store.ledger.totals(0);
    return {
      unsettled:
        messages.waiting + messages.claimed + messages.retry + messages.dead + sends.queued + sends.sending,
      answered: messages.answered,
      unsure: sends.unsure,
      turns,
    };
  } finally {
    await store.close();
  }
}

/** The worker's own store, to read; undefined before the first worker has made it. */
async function openWorkerStore(lab: Lab): Promise<Store | undefined> {
  const root = join(lab.stateRoot, 'inbox-worker');
  const files = await readdir(root, { recursive: true }).catch(() => []);
  const database = files.find((name) => name.endsWith('worker.db'));
  if (database === undefined) return undefined;
  return openStore({
    path: join(root, database),
    clock: { now: Date.now, sleepUntil: async () => {} },
    owner: { owner: 'test', host: '', bootId: '', pidNamespace: '', pid: 0, processStart: '', folder: '' },
    readOnly: true,
  });
}
