// Every way in: both vocabularies × both deliveries × every wake, with the real Claude Code; and channels.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Lab, type LogLine, openLab, type WorkerProcess } from '../support/agent-lab.js';

const SECRET = `whsec_${Buffer.from('a secret of this test').toString('base64')}`;
/** Sleeps so long that only the wake under test can have found the message. */
const ASLEEP = ['--min-sleep', '1h', '--max-sleep', '1h'];

/** What one message costs at the model. `pull`: list_dms, read_dm, send_dm, and the word that ends the turn. */
const MODEL_CALLS = { inline: 1, pull: 4 } as const;

interface Wake {
  readonly flags: readonly string[];
  /** Resolves when this wake, and nothing else, is ready to be heard. */
  ready(lab: Lab, worker: WorkerProcess): Promise<unknown>;
  /** What the look that finds the message says it was woken by. */
  readonly kind: string;
}

const WAKES: Record<'poll' | 'webhook' | 'stream', Wake> = {
  poll: { flags: [], kind: 'timer', ready: (_lab, worker) => worker.says(/looked/i) },
  webhook: {
    flags: [...ASLEEP, '--webhook', 'on', '--webhook-port', '0'],
    kind: 'webhook',
    async ready(lab, worker) {
      const line = await worker.says(/webhook.*127\.0\.0\.1:\d+/i);
      await worker.says(/looked/i);
      const port = /127\.0\.0\.1:(\d+)/.exec(line.msg)?.[1];
      lab.inbox.setWebhook('@agent', { url: `http://127.0.0.1:${port}/webhook`, secret: SECRET });
    },
  },
  stream: {
    flags: [...ASLEEP, '--wake-stream', 'auto'],
    kind: 'stream',
    // Opening the stream wakes, too: the look that this causes is not the one under test.
    ready: (_lab, worker) => worker.log.first((line) => wokenBy(line, 'stream'), 'the look after opening'),
  },
};

const wokenBy = ({ event, wokenBy }: LogLine, kind: string): boolean =>
  event === 'looked' && Array.isArray(wokenBy) && wokenBy.includes(kind);

const modelCalls = (lab: Lab): number =>
  lab.api.calls().filter(({ kind }) => kind === 'turn' || kind === 'side').length;

async function drained(worker: WorkerProcess): Promise<void> {
  worker.signal('SIGTERM');
  expect(await worker.ended()).toEqual({ exitCode: 0, signal: undefined });
}

describe.each([
  ['dms', { dms: true, agentdm: false }],
  ['agentdm', { dms: false, agentdm: true }],
] as const)('an inbox that speaks %s only', (_name, vocabularies) => {
  let lab: Lab;
  // One inbox, one agent, one disk for all cells: what one cell leaves behind would be seen in the next.
  beforeAll(async () => {
    lab = await openLab({
      vocabularies,
      settings: { webhook_secret: SECRET, own_alias: '@agent', max_sleep: '200ms' },
    });
  });
  afterAll(() => lab.close());

  describe.each(['inline', 'pull'] as const)('delivery %s', (delivery) => {
    it.each(['poll', 'webhook', 'stream'] as const)('answers once what comes by %s', async (way) => {
      const wake = WAKES[way];
      const before = modelCalls(lab);
      const worker = lab.run(['--delivery', delivery, ...wake.flags]);
      await worker.says(/is ready/);
      await wake.ready(lab, worker);
      const sender = `@${delivery}-${way}`;
      lab.say(sender, `hello by ${way}`);
      expect((await lab.answerTo(sender)).text).toContain(`hello by ${way}`);
      const found = worker.log.items.filter((line) => line.event === 'looked' && Number(line.fresh) > 0);
      expect(found).toHaveLength(1);
      expect(found[0]?.wokenBy).toEqual([wake.kind]);
      lab.inbox.setWebhook('@agent', undefined);
      await drained(worker);
      expect(modelCalls(lab) - before).toBe(MODEL_CALLS[delivery]);
    });
  });

  it('has answered each sender once, and nobody else, when all is done', async () => {
    const worker = lab.run(['--once']);
    expect(await worker.ended()).toMatchObject({ exitCode: 0 });
    const senders = ['inline', 'pull'].flatMap((delivery) =>
      ['poll', 'webhook', 'stream'].map((way) => `@${delivery}-${way}`),
    );
    expect(lab.answers().map(({ to }) => to)).toEqual(senders);
  });
});

describe('a channel', () => {
  it.each(['inline', 'pull'] as const)(
    'gets an answer where our alias is named, and silence where it is not (%s)',
    async (delivery) => {
      const lab = await openLab({
        vocabularies: { dms: false, agentdm: true },
        settings: { own_alias: '@agent', delivery },
      });
      try {
        for (const alias of ['@agent', '@alice', '@bob']) lab.inbox.ensureAlias(alias);
        lab.inbox.createChannel('#team', ['@agent', '@alice', '@bob']);
        const worker = lab.run();
        await worker.says(/looked/i);
        lab.inbox.post({ from: '@bob', to: '#team', text: 'lunch-secret at noon, everybody' });
        await worker.says(/looked.*1 new message/);
        lab.inbox.post({ from: '@alice', to: '#team', text: '@agent are you with us?' });
        expect((await lab.answerTo('#team')).text).toContain('are you with us?');
        // Its answer is a message of the channel, too: it must not be taken for one to be answered.
        const looks = worker.log.items.length;
        await worker.says(/looked: nothing new/, looks);
        await drained(worker);
        expect(lab.answers().map(({ to }) => to)).toEqual(['#team']);
        expect(modelCalls(lab)).toBe(MODEL_CALLS[delivery]);
        expect(JSON.stringify(lab.turnCalls.map(({ body }) => body))).not.toContain('lunch-secret');
      } finally {
        await lab.close();
      }
    },
  );
});
