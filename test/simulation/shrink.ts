// Shrinks a broken story: fewer faults, fewer messages, a plainer setting, less time, as long as the same thing breaks.
import type { Plan, Setting } from './plan.js';
import { runPlan, type Story, type StoryOptions } from './story.js';

/** Each is plainer than what chance would give. */
const PLAIN: readonly Partial<Setting>[] = [
  { lively: false },
  { once: false },
  { live: false },
  { maxTurns: 'unlimited' },
  { session: 'conversation' },
  { pullScope: 'conversation' },
  { budget: 'none' },
  { loopTurns: 'unlimited' },
  { sessionTurns: 'unlimited' },
  { waitNotice: false },
  { delivery: 'inline' },
  { upstream: 'peek' },
  { idempotent: true },
  { onUnsure: 'hold' },
  { maxChars: 10_000 },
  { maxAttempts: 5 },
  { channels: 'all' },
  { minSleepMs: 60_000 },
  { tellsSession: true },
];

/**
 * The shortest story found that breaks the same invariant.
 * @param story one that broke
 * @param most stories played on the way
 */
export async function shrink(story: Story, options: StoryOptions, most = 600): Promise<Story> {
  let best = story;
  let left = most;
  for (let before: Story | undefined; before !== best && left > 0; ) {
    before = best;
    for (const candidate of candidates(best.plan)) {
      if (left <= 0) break;
      left -= 1;
      const shorter = await runPlan(candidate(best.plan), options);
      if (shorter.violation?.invariant === story.violation?.invariant) best = shorter;
    }
  }
  return best;
}

type Change = (plan: Plan) => Plan;

/** Made for one plan and applied to those that followed from it, so each takes away by identity. */
function* candidates(plan: Plan): Generator<Change> {
  for (let size = plan.faults.length; size >= 1; size = Math.floor(size / 2)) {
    for (let from = 0; from < plan.faults.length; from += size) {
      const gone = new Set(plan.faults.slice(from, from + size));
      yield (now) => ({ ...now, faults: now.faults.filter((fault) => !gone.has(fault)) });
    }
  }
  for (let size = plan.mail.length >> 1; size >= 1; size = Math.floor(size / 2)) {
    for (let from = 0; from < plan.mail.length; from += size) {
      const gone = new Set(plan.mail.slice(from, from + size));
      yield (now) => ({ ...now, mail: now.mail.filter((mail) => !gone.has(mail)) });
    }
  }
  for (const mail of plan.mail) {
    if (mail.wakes.length === 0) continue;
    yield (now) => ({ ...now, mail: now.mail.map((one) => (one === mail ? { ...one, wakes: [] } : one)) });
  }
  for (const plain of PLAIN) yield (now) => ({ ...now, setting: { ...now.setting, ...plain } });
  for (const part of [0.25, 0.5, 0.75]) yield (now) => ({ ...now, healAt: Math.ceil(now.healAt * part) });
}
