// What several agents of one process must not share, and what they must agree on.
import type { Settings } from '../../config/index.js';
import type { AgentPlan } from './plan.js';

/** One sentence for each clash. */
export function clashes(plans: readonly AgentPlan[]): string[] {
  return [
    ...shared(plans, ({ name }) => name.toLowerCase()).map(
      (same) =>
        `${files(same)} are ${all(same)} named "${same[0]?.name}"; write a "name" of its own into each.`,
    ),
    ...shared(plans, ({ account }) => account).map(
      (same) =>
        `${files(same)} answer one inbox, "${same[0]?.inbox.name}", with the same key: an inbox has one agent. ` +
        'Leave one out, or give each its own key (one in the environment goes before those of .env).',
    ),
    ...shared(distinct(plans), ({ store }) => store).map(
      (same) =>
        `${files(same)} have one inbox_id, "${same[0]?.identity}", for different inboxes; give each its own.`,
    ),
    ...shared(plans, ({ folder }) => folder).map(
      (same) =>
        `${files(same)} have one agent's folder, ${same[0]?.folder}, and so one .orchestrator; give each its own.`,
    ),
    ...(['webhookHost', 'webhookPort'] as const).flatMap((name) => disagreement(withWebhook(plans), name)),
    ...(['controlPort', 'controlToken'] as const).flatMap((name) => disagreement(plans, name)),
  ];
}

/** Of the two listeners, public and private. */
const KEYS = {
  webhookHost: 'webhook_host',
  webhookPort: 'webhook_port',
  controlPort: 'control_port',
  controlToken: 'control_token',
} as const;

type Shared = keyof typeof KEYS;

/** The value of a setting that is the process's: of whoever sets it, else its default. */
export function agreed<Name extends Shared>(
  plans: readonly AgentPlan[],
  name: Name,
): Settings[Name] | undefined {
  const [first] = [...setters(plans, name), ...plans];
  return first?.settings[name];
}

export const withWebhook = (plans: readonly AgentPlan[]): AgentPlan[] =>
  plans.filter(({ settings }) => settings.webhook);

function disagreement(plans: readonly AgentPlan[], name: Shared): string[] {
  const said = setters(plans, name);
  if (new Set(said.map(({ settings }) => settings[name])).size <= 1) return [];
  // A token is nobody's to read here.
  const value = ({ settings }: AgentPlan) => (name === 'controlToken' ? 'one' : settings[name]);
  const values = said.map((plan) => `${value(plan)} in ${plan.file}`);
  return [
    `${KEYS[name]} is ${values.join(name === 'controlToken' ? ', another ' : ', ')}: the agents of one process share one listener; write the same, or write it in one file.`,
  ];
}

function setters(plans: readonly AgentPlan[], name: Shared): AgentPlan[] {
  return plans.filter(({ settings }) => settings.origins[name].from !== 'default');
}

/** Groups of two or more that have one key. */
function shared(plans: readonly AgentPlan[], keyOf: (plan: AgentPlan) => string): AgentPlan[][] {
  const groups = new Map<string, AgentPlan[]>();
  for (const plan of plans) groups.set(keyOf(plan), [...(groups.get(keyOf(plan)) ?? []), plan]);
  return [...groups.values()].filter((group) => group.length > 1);
}

/** One plan of each inbox: that two are the same is told already. */
const distinct = (plans: readonly AgentPlan[]): AgentPlan[] => [
  ...new Map(plans.map((plan) => [plan.account, plan])).values(),
];

const files = (plans: readonly AgentPlan[]): string => plans.map(({ file }) => file).join(' and ');
const all = (plans: readonly AgentPlan[]): string => (plans.length === 2 ? 'both' : 'all');
