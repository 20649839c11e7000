// The row of facts below the headline: what waits, what was done today, how the inbox is watched.
import type { Status } from '../../../domain/status.js';
import { counted, humanDollars } from '../../../lib/human.js';
import { oneLine } from '../../../lib/one-line.js';
import { make, must, setAttribute, setText } from './dom.js';
import { ago, ahead, type Tone } from './words.js';

interface Fact {
  readonly name: string;
  readonly value: string;
  readonly more: string;
  readonly tone?: Tone | undefined;
}

export function showFacts(status: Status, now: number): void {
  const place = must('facts');
  const facts = factsOf(status, now);
  if (place.children.length !== facts.length) {
    place.replaceChildren(
      ...facts.map(({ name }) =>
        make(
          'div',
          { class: 'fact' },
          make('dt', {}, name),
          make('dd', { class: 'value' }),
          make('dd', { class: 'more' }),
        ),
      ),
    );
  }
  for (const [n, { value, more, tone }] of facts.entries()) {
    const [, first, second] = place.children[n]?.children ?? [];
    if (!first || !second) continue;
    setText(first, value);
    setText(second, more);
    setAttribute(first, 'data-tone', tone);
  }
}

function factsOf(status: Status, now: number): Fact[] {
  const { messages, oldestWaitingAt, today, look, outbox, agent } = status;
  const open = messages.waiting + messages.claimed + messages.retry;
  const onItsWay = outbox.queued + outbox.sending;
  return [
    {
      name: 'Waiting',
      value: String(open),
      more: oldestWaitingAt === undefined ? 'nothing waits' : `oldest ${ago(oldestWaitingAt, now)}`,
    },
    {
      name: 'Answered',
      value: String(messages.answered),
      more: `${messages.silent} silent, ${messages.dead} given up`,
      tone: undefined,
    },
    {
      name: 'Turns today',
      value: String(today.turns),
      more: counted(today.modelCalls, 'model call'),
    },
    { name: 'Spent today', value: humanDollars(today.costUsd), more: perTurn(status) },
    {
      name: 'Outbox',
      value: onItsWay > 0 ? `${onItsWay} to go` : 'empty',
      more: [`${outbox.sent} sent`, ...(outbox.refused > 0 ? [`${outbox.refused} refused`] : [])]
        .concat(outbox.unsure > 0 ? [`${outbox.unsure} unsure`] : [])
        .join(', '),
      tone: outbox.unsure > 0 ? 'wait' : undefined,
    },
    {
      name: 'Next look',
      value: look.nextAt === undefined ? 'none planned' : ahead(look.nextAt, now),
      more: `${counted(look.count, 'look')}, ${counted(look.missedWakes, 'missed wake')}${lastLook(status, now)}`,
    },
    {
      name: 'Claude Code',
      value: agent.version === undefined ? 'not started' : oneLine(agent.version, 20),
      more: agent.pid === undefined ? 'no process' : `pid ${agent.pid}`,
    },
  ];
}

function perTurn({ today }: Status): string {
  return today.turns === 0 ? 'no turn yet' : `${humanDollars(today.costUsd / today.turns)} a turn`;
}

/** Only where looks fail: else the last one is no news. */
function lastLook({ look }: Status, now: number): string {
  const { lastAt, lastSuccessAt } = look;
  if (lastAt === undefined || lastSuccessAt === undefined || lastSuccessAt >= lastAt) return '';
  return `, last success ${ago(lastSuccessAt, now)}`;
}
