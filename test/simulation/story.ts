// One seed, one story: played, and told.

import type { Tally, Violation } from './chronicle.js';
import { drawPlan } from './draw-plan.js';
import { clockOf, describeFault, type Plan } from './plan.js';
import type { Sabotage } from './worker-life.js';
import { World } from './world.js';

export interface Story {
  readonly plan: Plan;
  readonly violation: Violation | undefined;
  /** What happened, in order. */
  readonly lines: readonly string[];
  readonly tally: Tally;
  readonly steps: number;
  /** Virtual time, ms. */
  readonly lastedMs: number;
}

export interface StoryOptions {
  /** Breaks a part of every worker on purpose. */
  readonly sabotage?: Sabotage | undefined;
}

export function runSeed(seed: number, options: StoryOptions = {}): Promise<Story> {
  return runPlan(drawPlan(seed), options);
}

export async function runPlan(plan: Plan, options: StoryOptions = {}): Promise<Story> {
  const world = new World(plan, options.sabotage);
  await world.play();
  const { violation, lines, tally } = world.record;
  return { plan, violation, lines, tally, steps: world.steps, lastedMs: world.agenda.elapsed };
}

/** The story for people: setting, mail, faults, what happened, what broke. */
export function tellStory(story: Story): string {
  const { plan, violation, lines } = story;
  const mail = plan.mail.map(
    ({ at, sender, conversation, wakes }) =>
      `  ${clockOf(at)} ${sender} writes in ${conversation}, ${wakes.length} wake(s)`,
  );
  return [
    `seed ${plan.seed}: ${violation ? `${violation.invariant}: ${violation.text}` : 'all is well'}`,
    `setting: ${JSON.stringify(plan.setting)}`,
    `mail:`,
    ...mail,
    `faults (until ${clockOf(plan.healAt)}):`,
    ...plan.faults.map((fault) => `  ${describeFault(fault)}`),
    'story:',
    ...shortened(lines).map((line) => `  ${line}`),
  ].join('\n');
}

/** The beginning and the end; nobody reads the middle of a long story. */
function shortened(lines: readonly string[]): string[] {
  const [head, tail] = [20, 130];
  if (lines.length <= head + tail) return [...lines];
  const left = lines.length - head - tail;
  return [...lines.slice(0, head), `(${left} lines left out)`, ...lines.slice(-tail)];
}
