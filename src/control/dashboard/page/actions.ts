// What the buttons do, in words that say what will come of it.
import { counted } from '../../../lib/human.js';
import { oneLine } from '../../../lib/one-line.js';
import { reportPaths } from '../../report-paths.js';
import type { Reopened } from '../../wire.js';
import type { Api } from './api.js';
import { confirmed } from './confirm.js';
import { perform } from './said.js';

export interface Actions {
  wake(): void;
  pause(paused: boolean): void;
  retry(id: string): void;
  drop(id: string, sender: string): void;
  resend(send: string, to: string): void;
  giveUp(send: string, to: string): void;
}

export interface Hearers {
  /** Something was done: look at everything again. */
  changed(): void;
  paused(paused: boolean): void;
}

export function actionsOver(api: Api, { changed, paused: onPaused }: Hearers): Actions {
  const act = async (name: string, work: () => Promise<string>): Promise<void> => {
    if (await perform(name, work)) changed();
  };
  /** `out-12` → `outbox/12`. */
  const row = (send: string): string => `outbox/${send.replace(/^out-/, '')}`;

  return {
    wake: () =>
      void act('wake', async () => {
        await api.post('wake');
        return 'Woken: the inbox is looked at now.';
      }),
    pause: (paused) =>
      void act('pause', async () => {
        await api.post(paused ? 'pause' : 'resume');
        onPaused(paused);
        return paused ? 'Paused: no turn starts; mail is still stored.' : 'Resumed.';
      }),
    retry: (id) =>
      void act(`message ${id}`, async () => {
        const { messages, waits } = await api.post<Reopened>(`${reportPaths.message(id)}/retry`);
        const when = waits ? 'after what its conversation has in work' : 'now';
        return `${counted(messages, 'message')} tried again ${when}.`;
      }),
    async drop(id, sender) {
      const yes = await confirmed({
        title: 'Drop this message?',
        text: `Nobody will answer it, and ${oneLine(sender, 80)} is not told. The other messages of its claim go with it. This cannot be taken back.`,
        yes: 'Drop it',
      });
      if (!yes) return;
      await act(`message ${id}`, async () => {
        const { messages } = await api.post<{ messages: number }>(`${reportPaths.message(id)}/drop`);
        return `${counted(messages, 'message')} dropped.`;
      });
    },
    async resend(send, to) {
      const yes = await confirmed({
        title: 'Send it again?',
        text: `If the first one had arrived, ${oneLine(to, 80)} gets it twice.`,
        yes: 'Send again',
      });
      if (!yes) return;
      await act(send, async () => {
        await api.post(`${row(send)}/resend`);
        return `${send} is sent again.`;
      });
    },
    async giveUp(send, to) {
      const yes = await confirmed({
        title: 'Give this send up?',
        text: `If it had not arrived, ${oneLine(to, 80)} never gets it, nor the later parts of its text. This cannot be taken back.`,
        yes: 'Give it up',
      });
      if (!yes) return;
      await act(send, async () => {
        await api.post(`${row(send)}/drop`);
        return `${send} is given up.`;
      });
    },
  };
}
