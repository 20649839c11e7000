// What a store tells, as rows of a page: the same for a worker that runs and for one that does not.
import type { BudgetState } from '../domain/budget.js';
import type { SessionReport, StoreReport } from '../domain/status.js';
import { counted, humanCount, humanDollars, humanDuration } from '../lib/human.js';
import { oneLine } from '../lib/one-line.js';
import { budgetShares } from './budget-words.js';

/** A name and what stands beside it; without a text there is nothing to tell. */
export type Row = readonly [name: string, text: string | undefined];

export function page(headline: string, rows: readonly Row[]): string {
  const lines = rows.flatMap(([name, text]) => (text === undefined ? [] : [`  ${name.padEnd(8)} ${text}`]));
  return [headline, ...lines].join('\n');
}

export function storeRows(report: StoreReport, now: number): Row[] {
  return [
    ['waiting', waiting(report, now)],
    ['dead', dead(report)],
    ['outbox', outbox(report)],
    ['today', today(report)],
  ];
}

function waiting({ messages, oldestWaitingAt }: StoreReport, now: number): string {
  const { waiting, claimed, retry } = messages;
  const all = waiting + claimed + retry;
  if (all === 0) return 'nothing';
  const parts = [
    ...(claimed > 0 ? [`${claimed} in work`] : []),
    ...(retry > 0 ? [`${retry} to be tried again`] : []),
  ];
  const detail = parts.length > 0 ? ` (${parts.join(', ')})` : '';
  const oldest =
    oldestWaitingAt === undefined ? '' : `, the oldest for ${humanDuration(now - oldestWaitingAt)}`;
  return `${counted(all, 'message')}${detail}${oldest}`;
}

function dead({ messages }: StoreReport): string | undefined {
  return messages.dead > 0 ? `${counted(messages.dead, 'message')} given up` : undefined;
}

/** Sent ones are no news; what is on its way or did not get out is. */
function outbox({ outbox }: StoreReport): string | undefined {
  const parts = (['queued', 'sending', 'unsure', 'refused'] as const).flatMap((state) =>
    outbox[state] > 0 ? [`${outbox[state]} ${state}`] : [],
  );
  return parts.length > 0 ? parts.join(', ') : undefined;
}

function today({ today }: StoreReport): string {
  const { in: came, answered, silent, dead } = today.messages;
  const cost = humanDollars(today.costUsd);
  const turns = `${counted(today.turns, 'turn')}, ${cost}, ${counted(today.modelCalls, 'model call')}`;
  return `${came} in, ${answered} answered, ${silent} silent, ${dead} dead; ${turns}`;
}

export function budgetRow(budgets: readonly BudgetState[], now: number): Row {
  const parts = budgets.map((state) => {
    const spent = budgetShares(state).map(({ text }) => text);
    const anew = state.endsAt === undefined ? '' : ` (resets in ${humanDuration(state.endsAt - now)})`;
    return `${state.window} ${spent.join(' and ')}${anew}`;
  });
  return ['budget', parts.length > 0 ? parts.join('; ') : 'no limit'];
}

export function sessionRow(session: SessionReport | undefined, now: number): Row {
  if (!session) return ['session', 'none'];
  const { id, conversation, turns, startedAt, contextTokens } = session;
  const whose = conversation === undefined ? '' : ` with ${oneLine(conversation, 80)}`;
  const size = contextTokens > 0 ? `, ${humanCount(contextTokens)} tokens` : '';
  return [
    'session',
    `${id}${whose}, ${counted(turns, 'turn')}, ${humanDuration(now - startedAt)} old${size}`,
  ];
}
