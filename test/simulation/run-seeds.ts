// Any number of seeds: what they found, how fast, and the shortest story of the first that broke.
import type { Tally } from './chronicle.js';
import { shrink } from './shrink.js';
import { runSeed, type Story, type StoryOptions, tellStory } from './story.js';

export interface Sum {
  readonly seeds: number;
  readonly messages: number;
  readonly steps: number;
  /** Virtual time of all stories together, ms. */
  readonly lastedMs: number;
  readonly tally: Tally;
  /** The stories that broke an invariant. */
  readonly broken: readonly Story[];
}

/** @param most ends early when so many stories have broken */
export async function runSeeds(
  from: number,
  count: number,
  options: StoryOptions & { readonly most?: number; onStory?(story: Story): void } = {},
): Promise<Sum> {
  const tallies: Tally[] = [];
  const broken: Story[] = [];
  let steps = 0;
  let messages = 0;
  let lastedMs = 0;
  let seeds = 0;
  for (let seed = from; seed < from + count && broken.length < (options.most ?? 1); seed += 1) {
    const story = await runSeed(seed, options);
    seeds += 1;
    steps += story.steps;
    messages += story.plan.mail.length;
    lastedMs += story.lastedMs;
    tallies.push(story.tally);
    if (story.violation) broken.push(story);
    options.onStory?.(story);
  }
  return { seeds, messages, steps, lastedMs, tally: sumOf(tallies), broken };
}

/** A broken story, as short as it could be made, for people. */
export async function explain(story: Story, options: StoryOptions = {}): Promise<string> {
  const shortest = await shrink(story, options);
  const before = `${story.plan.faults.length} faults and ${story.plan.mail.length} messages`;
  return `Seed ${story.plan.seed} broke "${story.violation?.invariant}" with ${before}. The shortest story found:\n${tellStory(shortest)}`;
}

function sumOf(tallies: readonly Tally[]): Tally {
  const keys = Object.keys(tallies[0] ?? {}) as (keyof Tally)[];
  const sums = keys.map((key) => [key, tallies.reduce((sum, tally) => sum + tally[key], 0)]);
  return Object.fromEntries(sums) as Tally;
}
