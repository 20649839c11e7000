// What waits for a person's word: dead messages and unsure sends, each with its buttons.
import { oneLine } from '../../../lib/one-line.js';
import type { DeadList, DeadMessage, UnsureSend } from '../../wire.js';
import type { Actions } from './actions.js';
import { must } from './dom.js';
import { type Table, table } from './table.js';
import { ago, whole } from './words.js';

/** More than these are worked off by filter, or by the command line. */
const SHOWN = 20;

export interface Attention {
  show(list: DeadList, now: number): void;
  tick(now: number): void;
}

export function attention(actions: Actions, open: (id: string) => void): Attention {
  const dead = table<DeadMessage>('Messages that were given up', 'No message was given up.', ({ id }) => id, [
    { title: '', kind: 'sign', text: () => 'given up', mark: () => 'dead' },
    {
      title: 'Message of',
      kind: 'name',
      text: ({ sender, conversation }) => nameOf(sender, conversation),
      press: ({ id }) => open(id),
      label: (_message, who) => `Show the message of ${who} that was given up`,
    },
    {
      title: 'When',
      text: ({ diedAt, spooledAt }, now) => ago(diedAt ?? spooledAt, now),
      hint: ({ diedAt }) => (diedAt === undefined ? undefined : whole(diedAt)),
    },
    { title: 'Why', kind: 'wide', text: ({ lastError }) => oneLine(lastError ?? '', 200) },
    {
      title: '',
      kind: 'act',
      text: () => 'Retry',
      press: ({ id }) => actions.retry(id),
      label: ({ sender }) => `Retry the message of ${oneLine(sender, 80)}`,
      button: 'small',
    },
    {
      title: '',
      kind: 'act',
      text: () => 'Drop…',
      press: ({ id, sender }) => actions.drop(id, sender),
      label: ({ sender }) => `Drop the message of ${oneLine(sender, 80)}`,
      button: 'small quiet',
    },
  ]);
  const unsure = table<UnsureSend>(
    'Sends that may or may not have arrived',
    'No send is unsure.',
    ({ id }) => id,
    [
      { title: '', kind: 'sign', text: () => 'unsure', mark: () => 'unsure' },
      {
        title: 'Send to',
        kind: 'name',
        text: ({ to, kind, part }) => `${oneLine(to, 80)}, ${kind}${part > 0 ? `, part ${part + 1}` : ''}`,
        press: ({ replyToId }) => replyToId !== undefined && open(replyToId),
        label: (_send, to) => `Show what the unsure send to ${to} answers`,
      },
      {
        title: 'When',
        kind: 'when',
        text: ({ queuedAt }, now) => ago(queuedAt, now),
        hint: ({ queuedAt }) => whole(queuedAt),
      },
      { title: 'Why', kind: 'wide', text: ({ lastError }) => oneLine(lastError ?? '', 200) },
      {
        title: '',
        kind: 'act',
        text: () => 'Send again…',
        press: ({ id, to }) => actions.resend(id, to),
        label: ({ to }) => `Send again to ${oneLine(to, 80)}`,
        button: 'small',
      },
      {
        title: '',
        kind: 'act',
        text: () => 'Give up…',
        press: ({ id, to }) => actions.giveUp(id, to),
        label: ({ to }) => `Give up the send to ${oneLine(to, 80)}`,
        button: 'small quiet',
      },
    ],
  );
  const rest = document.createElement('p');
  rest.className = 'muted';
  must('attention-list').replaceChildren(dead.element, unsure.element, rest);

  const part = <T>(of: Table<T>, items: readonly T[], now: number): void => {
    of.element.hidden = items.length === 0;
    of.show(items.slice(0, SHOWN), now);
  };
  return {
    show({ messages, sends, total }, now) {
      must('attention').hidden = total.messages + total.sends === 0;
      part(dead, messages, now);
      part(unsure, sends, now);
      const hidden =
        total.messages + total.sends - Math.min(SHOWN, messages.length) - Math.min(SHOWN, sends.length);
      rest.hidden = hidden === 0;
      rest.textContent = `${hidden} more: \`inbox-worker dead\` lists them.`;
    },
    tick(now) {
      dead.tick(now);
      unsure.tick(now);
    },
  };
}

function nameOf(sender: string, conversation: string): string {
  const name = oneLine(sender, 80);
  return sender === conversation ? name : `${name} in ${oneLine(conversation, 80)}`;
}
