// The built worker, with the real Claude Code, on inboxes of other vocabularies and kinds.
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type FakeTool, startFakeServer } from '../inbox/fake-server.js';
import { type Lab, openLab } from '../support/agent-lab.js';

const PROGRAM = resolve(import.meta.dirname, '../fixtures/inbox/stdio-server.mjs');

/** A laboratory whose agent has another inbox than the embedded one. */
async function labWith(entry: object, env: Record<string, string>, settings: Record<string, unknown>) {
  const lab: Lab = await openLab({ settings });
  onTestFinished(() => lab.close());
  await writeFile(join(lab.folder, '.mcp.json'), JSON.stringify({ mcpServers: { mail: entry } }));
  const lines = Object.entries(env).map(([name, value]) => `${name}=${value}\n`);
  await writeFile(join(lab.folder, '.env'), lines.join(''));
  return lab;
}

describe('an inbox described by a preset', () => {
  it('mcp-agent-mail: by its bare name; read, answered in the thread, marked as read', async () => {
    const asked: [string, Record<string, unknown>][] = [];
    const mail = [
      {
        id: 7,
        from: 'RedFox',
        subject: 's',
        body_md: 'What is up?',
        created_ts: '2026-11-30T12:00:00+00:00',
      },
    ];
    const answers: Record<string, (args: Record<string, unknown>) => unknown> = {
      fetch_inbox: ({ since_ts }) => ({ result: since_ts === undefined ? mail : [] }),
      mark_message_read: () => ({ read: true }),
      send_message: () => ({ deliveries: [] }),
      reply_message: () => ({ id: 8 }),
    };
    const tools: FakeTool[] = Object.entries(answers).map(([name, answer]) => ({
      name,
      call(args) {
        asked.push([name, args]);
        return answer(args);
      },
    }));
    const server = await startFakeServer({ tools });
    const lab = await labWith(
      { type: 'http', url: server.url },
      { AGENT_MAIL_PROJECT: '/example/project', AGENT_MAIL_AGENT: 'BlueLake' },
      { profile: 'mcp-agent-mail' },
    );
    const worker = lab.run(['--once']);
    expect(await worker.ended()).toMatchObject({ exitCode: 0 });
    const of = (name: string) => asked.filter(([tool]) => tool === name).map(([, args]) => args);
    expect(of('mark_message_read')).toMatchObject([{ message_id: 7, agent_name: 'BlueLake' }]);
    expect(of('reply_message')).toMatchObject([
      { message_id: '7', body_md: expect.stringContaining('What is up?') },
    ]);
    expect(of('send_message')).toEqual([]);
    expect(lab.turnCalls).toHaveLength(1);
  });

  it('with a variable that is unset does not start, and says which', async () => {
    const lab = await labWith({ type: 'http', url: 'http://127.0.0.1:9/mcp' }, {}, { profile: 'agentmail' });
    const { exitCode, stderr } = await lab.command('run', '--once');
    expect(exitCode).toBe(2);
    expect(stderr).toContain(
      'The profile in the preset agentmail uses ${AGENTMAIL_INBOX}, which is not set.',
    );
  });
});

it('an inbox that is a program on stdin and stdout is answered like any other', async () => {
  const lab = await labWith({ command: process.execPath, args: [PROGRAM, 'plain'] }, {}, {});
  const worker = lab.run(['--once']);
  expect(await worker.ended()).toMatchObject({ exitCode: 0 });
  expect(lab.turnCalls).toHaveLength(1);
  expect(worker.lines.join('\n')).toMatch(/answered/i);
});
