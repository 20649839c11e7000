// Sends beside the reply: to others where that is allowed, a sign of life before it, a notice to those who wait.
import { afterEach, describe, expect, it } from 'vitest';
import { prompts, toolSteps } from '../../src/rehearsal/conversation.js';
import type { Script } from '../../src/rehearsal/index.js';
import { type Lab, openLab } from '../support/agent-lab.js';

const labs: Lab[] = [];
async function lab(settings: Record<string, unknown>): Promise<Lab> {
  const opened = await openLab({ settings });
  labs.push(opened);
  return opened;
}
afterEach(async () => {
  for (const one of labs.splice(0)) await one.close();
});

interface Send {
  readonly to: string;
  readonly message: string;
  readonly interim?: boolean;
}

/** A model that makes these sends, one in each call, and then says `last`; what the tools answered goes to `heard`. */
function sends(all: readonly Send[], last: string, heard: string[] = []): Script {
  return (request) => {
    const steps = toolSteps(request);
    heard.splice(
      0,
      heard.length,
      ...steps.map(({ result, failed }) => `${failed ? 'refused: ' : ''}${result}`),
    );
    const next = all[steps.length];
    if (!next) return { content: [{ type: 'text', text: last }] };
    return { content: [{ type: 'tool_use', name: 'mcp__agentdm__send_dm', input: next }] };
  };
}

const posts = (it: Lab): string[] => it.answers().map(({ to, text }) => `${to}: ${text}`);

describe('a send to somebody else', () => {
  it('goes out where send_to names him, and is refused in words where it does not', async () => {
    const it = await lab({ send_to: ['@bob'] });
    for (const alias of ['@bob', '@carol']) it.inbox.ensureAlias(alias);
    const heard: string[] = [];
    const both = [
      { to: '@bob', message: 'Alice asks for you.' },
      { to: '@carol', message: 'Alice asks for you.' },
    ];
    it.api.setScript(sends(both, 'I have asked Bob.', heard));
    it.say('@alice', 'please ask Bob and Carol');
    expect(await it.run(['--once']).ended()).toMatchObject({ exitCode: 0 });
    expect(posts(it).sort()).toEqual(['@alice: I have asked Bob.', '@bob: Alice asks for you.']);
    expect(heard[1]).toMatch(/^refused: .*@carol is not allowed/);
  });

  it('is remembered in the conversation with him, and with nobody else', async () => {
    const it = await lab({ send_to: 'anyone' });
    it.inbox.ensureAlias('@bob');
    const worker = it.run();
    it.api.setScript(sends([{ to: '@bob', message: 'Is the boat ready?' }], 'I have asked.'));
    it.say('@alice', 'secret-of-alice: ask Bob about the boat');
    await it.answerTo('@alice');
    it.api.setScript((request) => ({ content: [{ type: 'text', text: prompts(request).join('\n') }] }));
    it.say('@bob', 'yes, since noon');
    const echoed = await it.answerTo('@bob', 1);
    expect(echoed.text).toMatch(/Is the boat ready\?[\s\S]*yes, since noon/);
    expect(echoed.text).not.toContain('secret-of-alice');
    worker.signal('SIGTERM');
    expect(await worker.ended()).toMatchObject({ exitCode: 0 });
  });
});

describe('an interim send', () => {
  it('goes out in the middle of the turn, and the final text is still the one reply', async () => {
    const it = await lab({});
    const worker = it.run();
    await worker.says(/looked/);
    it.api.setScript(sends([{ to: '@alice', message: 'On it.', interim: true }], 'It is done.'));
    // The call after the send: the turn stands still until the sign of life has arrived.
    const hold = it.api.hold((call) => JSON.stringify(call.body).includes('message_id'));
    it.say('@alice', 'build me a house');
    expect((await it.answerTo('@alice')).text).toBe('On it.');
    await hold.reached;
    expect(posts(it)).toEqual(['@alice: On it.']);
    hold.release();
    await it.answerTo('@alice', 1);
    worker.signal('SIGTERM');
    expect(await worker.ended()).toMatchObject({ exitCode: 0 });
    expect(posts(it)).toEqual(['@alice: On it.', '@alice: It is done.']);
  });
});

describe('a question to the sender and its answer', () => {
  it.each(['inline', 'pull'] as const)('stay in one session (%s)', async (delivery) => {
    const it = await lab({ delivery });
    const worker = it.run();
    it.say('@alice', 'book a table');
    await it.answerTo('@alice');
    it.say('@alice', 'for two');
    await it.answerTo('@alice', 1);
    expect(new Set(it.turnCalls.map(({ session }) => session)).size).toBe(1);
    expect(JSON.stringify(it.turnCalls.at(-1)?.body)).toMatch(/book a table[\s\S]*for two/);
    worker.signal('SIGTERM');
    expect(await worker.ended()).toMatchObject({ exitCode: 0 });
  });
});

describe('a sender who waits', () => {
  it('is told once, in the middle of a turn, also over a restart', async () => {
    const it = await lab({ wait_notice_after: '1s', wait_notice_text: 'Still at work.' });
    const first = it.run();
    const hold = it.api.hold();
    it.say('@alice', 'hello');
    await hold.reached;
    expect((await it.answerTo('@alice')).text).toBe('Still at work.');
    await first.kill();
    const second = it.run();
    await it.answerTo('@alice', 1);
    hold.release();
    second.signal('SIGTERM');
    expect(await second.ended()).toMatchObject({ exitCode: 0 });
    expect(it.answers('@alice')).toHaveLength(2);
    expect(it.answers('@alice')[1]?.text).toContain('hello');
  });
});
