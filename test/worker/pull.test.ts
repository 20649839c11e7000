import { describe, expect, it } from 'vitest';
import type { OpenTurn } from '../../src/ports/turns.js';
import { type Answer, says } from '../support/fake-agent.js';
import { WorkerLab } from '../support/worker-lab.js';

/** Runs `use` on the open turn, then ends with a text that nobody may see. */
const using =
  (lab: WorkerLab, use: (turn: OpenTurn) => Promise<unknown>): Answer =>
  async (request, signal, agent) => {
    const turn = lab.desk.of(lab.token);
    if (typeof turn === 'string') throw new Error(`the desk is ${turn}`);
    await use(turn);
    return says('the final text')(request, signal, agent);
  };

describe('delivery pull', () => {
  it("prompts with the user's own words and never sends the final text", async () => {
    const lab = new WorkerLab({ delivery: 'pull' });
    lab.upstream.arrive('@alice', 'hi');
    lab.agent.answer = using(lab, (turn) => turn.send({ to: '@alice', text: 'by hand', interim: false }));
    await lab.once();
    expect(lab.agent.prompts).toEqual(['Call list_dms.']);
    expect(lab.sentTexts()).toEqual(['by hand']);
  });

  it('sees one conversation a turn', async () => {
    const lab = new WorkerLab({ delivery: 'pull' });
    const seen: string[][] = [];
    lab.agent.answer = using(lab, async (turn) => {
      seen.push((await turn.list()).map((dm) => dm.with));
      await turn.noReply();
    });
    for (const sender of ['@alice', '@bob']) lab.upstream.arrive(sender, 'hi');
    await lab.once();
    expect(seen).toEqual([['@alice'], ['@bob']]);
  });
});

describe('pull_scope all', () => {
  const all = { delivery: 'pull', pullScope: 'all' } as const;

  it('sees all that waits in one turn, and settles each conversation by its own sends', async () => {
    const lab = new WorkerLab(all);
    for (const sender of ['@alice', '@bob', '@carol']) lab.upstream.arrive(sender, `from ${sender}`);
    const seen: unknown[] = [];
    lab.agent.answer = using(lab, async (turn) => {
      if (seen.length > 0) return;
      seen.push((await turn.list()).map((dm) => dm.with));
      seen.push(await turn.read({ with: '@bob' }));
      await turn.send({ to: '@alice', text: 'to alice', interim: false });
      await turn.send({ to: '@bob', text: 'on it', interim: true });
      seen.push((await turn.send({ to: '@dave', text: 'psst', interim: false })).kind);
    });
    await lab.once();
    expect(seen[0]).toEqual(['@alice', '@bob', '@carol']);
    expect(seen[1]).toMatchObject({ messages: [{ text: 'from @bob' }] });
    expect(seen[2]).toBe('refused');
    expect(lab.upstream.sent.map(({ to, text }) => [to, text])).toEqual([
      ['@alice', 'to alice'],
      ['@bob', 'on it'],
    ]);
    // An interim word settles nothing: Bob and Carol are tried again.
    expect(lab.verdicts()).toEqual(['answered', 'retry', 'retry']);
    // One prompt; in the ledger a row for each conversation, the cost on the first alone.
    expect(lab.agent.prompts[0]).toBe('Call list_dms.');
    expect((await lab.store.ledger.recent(10)).map((row) => row.usage?.costUsd).slice(-3)).toEqual([
      0, 0, 0.01,
    ]);
  });

  it('silences what was not answered when no_reply is called', async () => {
    const lab = new WorkerLab(all);
    for (const sender of ['@alice', '@bob']) lab.upstream.arrive(sender, 'thanks');
    lab.agent.answer = using(lab, async (turn) => {
      await turn.send({ to: '@alice', text: 'welcome', interim: false });
      await turn.noReply();
    });
    await lab.once();
    expect(lab.verdicts()).toEqual(['answered', 'silent']);
  });

  it('gives all claims back when Claude is not ready', async () => {
    const lab = new WorkerLab(all);
    lab.agent.readyFaults.push({ kind: 'not-ready', message: 'no gateway' });
    for (const sender of ['@alice', '@bob']) lab.upstream.arrive(sender, 'hi');
    await lab.once();
    expect((await lab.store.mailbox.counts()).messages).toMatchObject({ retry: 2, claimed: 0 });
  });
});
