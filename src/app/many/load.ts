// Loads the settings files of `run --all` and checks them, each alone and all together; tells everything at once.
import { relative } from 'node:path';
import { WorkerError } from '../../domain/errors.js';
import { WebhookHub } from '../../wake/index.js';
import { systemClock } from '../system.js';
import { agreed, clashes, withWebhook } from './clashes.js';
import { agentFiles } from './files.js';
import { type AgentPlan, type PlanWish, planAgent } from './plan.js';

export interface LoadWish extends Pick<PlanWish, 'flags' | 'env' | 'cwd'> {
  /** As on the command line; none: `config/agents`. */
  readonly words: readonly string[];
}

/** @throws WorkerError of exit code 2, with every fault of every file */
export async function loadAgents({ words, flags, env, cwd }: LoadWish): Promise<AgentPlan[]> {
  const paths = await agentFiles(words, cwd);
  const plans: AgentPlan[] = [];
  const faults: string[] = [];
  for (const file of paths) {
    const shownAs = relative(cwd, file).startsWith('..') ? file : relative(cwd, file);
    try {
      plans.push(await planAgent({ file, shownAs, flags, env, cwd }));
    } catch (error) {
      faults.push(...toldOf(shownAs, error));
    }
  }
  faults.push(...clashes(plans), ...doorFaults(plans));
  if (faults.length === 0) return plans;
  throw new WorkerError(
    'setting-invalid',
    [`Nothing was started, since this is wrong:`, ...faults.map((fault) => `- ${fault}`)].join('\n'),
    { hint: 'Correct what is listed; inbox-worker doctor --config FILE looks closely at one of them.' },
  );
}

/** Makes doors that never open: the listener's own rules about hosts and secrets speak. */
function doorFaults(plans: readonly AgentPlan[]): string[] {
  const takers = withWebhook(plans);
  const nobody = { on: () => {} };
  const hub = new WebhookHub({ host: agreed(takers, 'webhookHost'), clock: systemClock, observer: nobody });
  return takers.flatMap(({ name, file, settings }) => {
    try {
      hub.door(name, settings.webhookSecret);
      return [];
    } catch (error) {
      return toldOf(file, error);
    }
  });
}

/** The sentences of an error, each beginning with the file. What is no WorkerError is a fault of ours. */
function toldOf(file: string, error: unknown): string[] {
  if (!(error instanceof WorkerError)) throw error;
  // Of several faults the first line counts them, and each has a line of its own.
  const [first = '', ...more] = error.message.split('\n');
  const sentences = more.length > 0 ? more.map((line) => line.replace(/^- /, '')) : [first];
  return sentences.map((sentence) => `${file}: ${sentence}`);
}
