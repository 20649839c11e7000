import { describe, expect, it } from 'vitest';
import type { OpenTurn } from '../../src/ports/turns.js';
import { type Answer, says } from '../support/fake-agent.js';
import { WorkerLab } from '../support/worker-lab.js';

const turnOf = (lab: WorkerLab): OpenTurn => {
  const turn = lab.desk.of(lab.token);
  if (typeof turn === 'string') throw new Error(`the desk is ${turn}`);
  return turn;
};

describe('answering', () => {
  it('finds a message by its timer and sends the final text as the one reply', async () => {
    const lab = new WorkerLab();
    const { end } = await lab.start();
    expect(lab.agent.prompts).toHaveLength(0);
    lab.upstream.arrive('@alice', 'What is six times seven?');
    lab.agent.answer = says('42');
    await lab.clock.advance(60_000);
    expect(lab.agent.prompts).toHaveLength(1);
    expect(lab.agent.prompts[0]).toContain('What is six times seven?');
    expect(lab.upstream.sent).toMatchObject([{ to: '@alice', text: '42', replyToId: 'm1' }]);
    expect((await lab.store.mailbox.show('m1'))?.state).toBe('answered');
    expect(await lab.drain(end)).toMatchObject({ exitCode: 0 });
    expect(lab.agent.stopped).toBe(true);
  });

  it('spends no turn on any number of empty looks', async () => {
    const lab = new WorkerLab();
    const { end } = await lab.start();
    await lab.clock.advance(6 * 3_600_000);
    expect(lab.upstream.looks).toBeGreaterThan(300);
    expect(lab.agent.prompts).toHaveLength(0);
    await lab.drain(end);
  });

  it('answers a wake at once, and every wake of a storm with few looks', async () => {
    const lab = new WorkerLab();
    const { end } = await lab.start();
    lab.upstream.arrive('@alice', 'hi');
    for (let storm = 0; storm < 100; storm += 1) lab.worker.wake('webhook');
    await lab.clock.settle();
    expect(lab.sentTexts()).toEqual(['hello']);
    expect(lab.upstream.looks).toBeLessThan(5);
    await lab.drain(end);
  });

  it('puts all that waits of one sender into one turn, and two senders into two', async () => {
    const lab = new WorkerLab();
    lab.upstream.arrive('@alice', 'first of alice');
    lab.upstream.arrive('@bob', 'only of bob');
    lab.upstream.arrive('@alice', 'second of alice');
    await lab.once();
    expect(lab.agent.prompts).toHaveLength(2);
    expect(lab.agent.prompts[0]).toMatch(/first of alice[\s\S]*second of alice/);
    expect(lab.agent.prompts[0]).not.toContain('bob');
    expect(lab.agent.prompts[1]).not.toContain('alice');
    expect(lab.agent.wishes.filter((wish) => wish.kind === 'fresh')).toHaveLength(2);
  });

  it('keeps the session of a conversation, and carries its memory into a new one', async () => {
    const lab = new WorkerLab();
    const { end } = await lab.start();
    const tell = async (sender: string, text: string): Promise<void> => {
      lab.upstream.arrive(sender, text);
      lab.worker.wake('manual');
      await lab.clock.settle();
    };
    await tell('@alice', 'I am Alice');
    await tell('@alice', 'again');
    expect(lab.agent.wishes.at(-1)).toEqual({ kind: 'same', sessionId: 's2' });
    expect(lab.agent.prompts[1]).not.toContain('I am Alice');
    await tell('@bob', 'I am Bob');
    await tell('@alice', 'who am I?');
    expect(lab.agent.wishes.at(-1)).toEqual({ kind: 'fresh' });
    expect(lab.agent.prompts[3]).toMatch(/I am Alice[\s\S]*hello[\s\S]*again[\s\S]*who am I/);
    expect(lab.agent.prompts[3]).not.toContain('Bob');
    await lab.drain(end);
  });

  it('ends a session that has grown too long, and carries the memory over', async () => {
    const lab = new WorkerLab({
      sessionLimits: { turns: 2, ageMs: 'unlimited', contextTokens: 'unlimited' },
    });
    const { end } = await lab.start();
    for (const text of ['one', 'two', 'three', 'four']) {
      lab.upstream.arrive('@alice', text);
      lab.worker.wake('manual');
      await lab.clock.settle();
    }
    // The first wish warms the process up.
    expect(lab.agent.wishes.slice(1).map((wish) => wish.kind)).toEqual(['fresh', 'same', 'fresh', 'same']);
    expect(lab.agent.prompts[2]).toMatch(/one[\s\S]*two[\s\S]*three/);
    await lab.drain(end);
  });

  it('counts the turns and the age of a session over a restart', async () => {
    const limits = { sessionLimits: { turns: 3, ageMs: 'unlimited', contextTokens: 'unlimited' } } as const;
    const answer = async (lab: WorkerLab, texts: readonly string[]) => {
      const { end } = await lab.start();
      for (const text of texts) {
        lab.upstream.arrive('@alice', text);
        lab.worker.wake('manual');
        await lab.clock.settle();
      }
      await lab.drain(end);
      return lab.agent.wishes.slice(1).map((wish) => wish.kind);
    };
    const first = new WorkerLab(limits);
    expect(await answer(first, ['one', 'two'])).toEqual(['fresh', 'same']);
    const second = new WorkerLab(limits, first);
    expect(await answer(second, ['three', 'four'])).toEqual(['same', 'fresh']);
  });

  it('looks, spools and counts new mail while a turn runs', async () => {
    const lab = new WorkerLab();
    const { end } = await lab.start();
    let finish = (): void => {};
    lab.agent.answer = (request, signal, agent) =>
      new Promise((resolve) => {
        finish = () => resolve(says('late')(request, signal, agent));
      });
    lab.upstream.arrive('@alice', 'one');
    await lab.clock.advance(60_000);
    expect((await lab.worker.status()).health).toBe('working');
    lab.upstream.arrive('@alice', 'two');
    lab.upstream.arrive('@bob', 'three');
    await lab.clock.advance(3_600_000);
    expect((await lab.store.mailbox.counts()).messages).toMatchObject({ claimed: 1, waiting: 2 });
    const first = finish;
    first();
    await lab.clock.settle();
    // Bob waits as long as Alice's second message does: one turn each, and never the three together.
    finish();
    await lab.clock.settle();
    finish();
    await lab.clock.settle();
    expect(lab.agent.prompts).toHaveLength(3);
    await lab.drain(end);
  });

  it('records what nobody may answer without a turn: our own, system, denied and not admitted', async () => {
    const lab = new WorkerLab({ admission: { allow: ['@alice', '@agent', '@eve'], deny: ['@eve'] } });
    lab.upstream.arrive('@agent', 'an echo of ours');
    lab.upstream.arrive('@alice', 'joined', { kind: 'system' });
    lab.upstream.arrive('@eve', 'denied');
    lab.upstream.arrive('@mallory', 'a stranger');
    await lab.once();
    expect(lab.agent.prompts).toEqual([]);
    expect((await lab.store.mailbox.counts()).messages).toMatchObject({ silent: 4, waiting: 0 });
    expect(lab.upstream.sent).toEqual([]);
  });

  it('answers a channel only where it is named, and to the channel', async () => {
    const lab = new WorkerLab();
    lab.upstream.arrive('@bob', 'morning all', { conversation: '#ops' });
    lab.upstream.arrive('@alice', '@agent how is the build?', { conversation: '#ops' });
    await lab.once();
    expect(lab.agent.prompts).toHaveLength(1);
    expect(lab.agent.prompts[0]).toContain('how is the build');
    expect(lab.upstream.sent).toMatchObject([{ to: '#ops' }]);
    expect((await lab.store.mailbox.counts()).messages).toMatchObject({ silent: 1, answered: 1 });
  });

  it('stays silent on NO_REPLY and on no_reply', async () => {
    const lab = new WorkerLab();
    lab.agent.answer = says('NO_REPLY');
    lab.upstream.arrive('@alice', 'thanks');
    await lab.once();
    expect(lab.verdicts()).toEqual(['silent']);
    expect(lab.upstream.sent).toEqual([]);
  });

  it('splits a long reply into what the upstream takes, in order', async () => {
    const lab = new WorkerLab();
    lab.agent.answer = says('x'.repeat(25_000));
    lab.upstream.arrive('@alice', 'long');
    await lab.once();
    expect(lab.sentTexts().map((text) => text.length)).toEqual([10_000, 10_000, 5_000]);
  });
});

describe('the tools of a turn', () => {
  const withTools = (use: (turn: OpenTurn) => Promise<void>, lab: WorkerLab, text: string): Answer => {
    return async (request, signal, agent) => {
      await use(turnOf(lab));
      return says(text)(request, signal, agent);
    };
  };

  it('settle by send_dm: the final text is not sent then, an interim send settles nothing', async () => {
    const lab = new WorkerLab();
    lab.upstream.arrive('@alice', 'do it');
    lab.agent.answer = withTools(
      async (turn) => {
        await turn.send({ to: '@alice', text: 'on it', interim: true });
        await turn.send({ to: 'Alice', text: 'done', interim: false });
      },
      lab,
      'I have answered.',
    );
    await lab.once();
    expect(lab.sentTexts()).toEqual(['on it', 'done']);
  });

  it('send an interim word and still send the final text', async () => {
    const lab = new WorkerLab();
    lab.upstream.arrive('@alice', 'do it');
    lab.agent.answer = withTools(
      async (turn) => {
        await turn.send({ to: '@alice', text: 'on it', interim: true });
      },
      lab,
      'done',
    );
    await lab.once();
    expect(lab.sentTexts()).toEqual(['on it', 'done']);
  });

  it('refuse sends to others unless allowed, empty ones, and more than fifty', async () => {
    const lab = new WorkerLab({ sendTo: ['@carol'] });
    lab.upstream.arrive('@alice', 'do it');
    const results: string[] = [];
    lab.agent.answer = withTools(
      async (turn) => {
        for (const [to, text] of [
          ['@bob', 'psst'],
          ['@carol', 'hello'],
          ['@alice', ' '],
        ] as const) {
          results.push((await turn.send({ to, text, interim: false })).kind);
        }
        for (let n = 0; n < 60; n += 1)
          results.push((await turn.send({ to: '@alice', text: `${n}`, interim: true })).kind);
      },
      lab,
      'ok',
    );
    await lab.once();
    expect(results.slice(0, 3)).toEqual(['refused', 'accepted', 'refused']);
    expect(results.filter((kind) => kind === 'accepted')).toHaveLength(50);
    expect(lab.sentTexts().slice(0, 1)).toEqual(['hello']);
  });

  it('show the claimed conversation alone, and read a long message in pieces', async () => {
    const lab = new WorkerLab({ maxInlineChars: 10 });
    lab.upstream.arrive('@alice', 'abcdefghijklmnopqrstuvwxyz');
    lab.upstream.arrive('@bob', 'other');
    const seen: unknown[] = [];
    lab.agent.answer = withTools(
      async (turn) => {
        if (seen.length > 0) return;
        seen.push(await turn.list());
        seen.push(await turn.read({ with: '@alice', id: 'm1', offset: 10 }));
        seen.push((await turn.read({ with: '@bob' })).kind);
        seen.push((await turn.read({ with: '@alice', id: 'm2' })).kind);
      },
      lab,
      'ok',
    );
    await lab.once();
    expect(seen[0]).toMatchObject([{ with: '@alice', unread: 1 }]);
    expect(seen[1]).toMatchObject({ messages: [{ text: 'klmnopqrst', nextOffset: 20 }] });
    expect(seen.slice(2)).toEqual(['refused', 'refused']);
  });

  it('are closed outside a turn, and unknown to a revoked token', async () => {
    const lab = new WorkerLab();
    expect(lab.desk.of(lab.token)).toBe('closed');
    expect(lab.desk.of('forged')).toBe('unknown');
    lab.desk.revokeToken(lab.token);
    expect(lab.desk.of(lab.token)).toBe('unknown');
  });

  it('end the session by task_done, and the next prompt carries the memory again', async () => {
    const lab = new WorkerLab();
    const { end } = await lab.start();
    lab.agent.answer = withTools(
      async (turn) => {
        await turn.taskDone();
      },
      lab,
      'finished',
    );
    for (const text of ['my task', 'next task']) {
      lab.upstream.arrive('@alice', text);
      lab.worker.wake('manual');
      await lab.clock.settle();
    }
    expect(lab.agent.wishes.map((wish) => wish.kind)).toEqual(['fresh', 'fresh', 'fresh']);
    expect(lab.agent.prompts[1]).toContain('my task');
    await lab.drain(end);
  });
});
