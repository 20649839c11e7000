import { describe, expect, it } from 'vitest';
import { explain, runSeeds } from './run-seeds.js';
import { SABOTAGES } from './sabotage.js';
import { shrink } from './shrink.js';
import { runPlan, runSeed, type Story, tellStory } from './story.js';

const SEEDS = 500;
const CHUNK = 50;

/** Times for a slow, busy machine; all of it takes some 20 s on an idle one. */
const SLOW = { timeout: 180_000 };

async function firstBroken(stories: readonly Story[]): Promise<string | undefined> {
  const [story] = stories;
  return story && explain(story);
}

describe('the simulation', () => {
  it.each(Array.from({ length: SEEDS / CHUNK }, (_, chunk) => 1 + chunk * CHUNK))(
    'finds no broken invariant in the stories from seed %i on',
    SLOW,
    async (from) => {
      const { broken, tally } = await runSeeds(from, CHUNK);
      expect(await firstBroken(broken)).toBeUndefined();
      // It did play: mail was answered, workers died in the middle of it.
      expect(tally.answered).toBeGreaterThan(CHUNK);
      expect(tally.deaths).toBeGreaterThan(5);
    },
  );

  it('tells one story for one seed, always', SLOW, async () => {
    for (const seed of [1, 2, 3, 5, 8, 13, 21]) {
      const [once, again] = [await runSeed(seed), await runSeed(seed)];
      expect(again.lines).toEqual(once.lines);
      expect(again.tally).toEqual(once.tally);
    }
  });

  it('spends no turn on a quiet inbox', SLOW, async () => {
    const { plan } = await runSeed(1);
    const quiet = await runPlan({ ...plan, mail: [], faults: [], healAt: 6 * 3_600_000 });
    expect(quiet.violation).toBeUndefined();
    expect(quiet.lastedMs).toBeGreaterThan(6 * 3_600_000 - 1);
    expect(quiet.tally).toMatchObject({ turns: 0, delivered: 0 });
  });
});

describe('the invariants can break', () => {
  it.each(SABOTAGES)('by $what', SLOW, async ({ breaks, sabotage, from = 1 }) => {
    const { broken } = await runSeeds(from, 600, { sabotage });
    expect(breaks).toContain(broken[0]?.violation?.invariant);
  });

  it('and the story that shows it is told as short as it can be made', SLOW, async () => {
    const sabotage = SABOTAGES.find(({ breaks }) => breaks.includes('privacy'))?.sabotage;
    const { broken } = await runSeeds(1, 200, { sabotage });
    const [story] = broken;
    if (!story) throw new Error('nothing broke');
    const shortest = await shrink(story, { sabotage }, 150);
    expect(shortest.violation?.invariant).toBe(story.violation?.invariant);
    expect(shortest.plan.faults.length).toBeLessThanOrEqual(1);
    expect(shortest.plan.mail.length).toBeLessThanOrEqual(3);
    expect(shortest.lines.length).toBeLessThan(40);
    expect(tellStory(shortest)).toContain('privacy: the prompt of turn');
  });
});
