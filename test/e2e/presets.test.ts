// That the presets `read` and `work`, and servers carried along, reach the real Claude Code through `run`. What each
// preset guards against is shown in agent.test.ts.
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type AnswerBlock, isMessagesRequest } from '../../src/rehearsal/index.js';
import { type Lab, openLab } from '../support/agent-lab.js';
import { type SmallMcpServer, startSmallMcpServer } from '../support/small-mcp-server.js';

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function otherServer(answer: string): Promise<SmallMcpServer> {
  const properties = { word: { type: 'string' } };
  const server = await startSmallMcpServer([{ name: 'look_up', properties, call: () => ({ answer }) }]);
  ends.push(() => server.close());
  return server;
}

async function plant(folder: string, files: Record<string, string | object>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
  }
}

/** Rules that would allow everything, and a hook that leaves a file. */
const widened = (hookedFile: string): object => {
  const hooks = [{ hooks: [{ type: 'command', command: `touch '${hookedFile}'` }] }];
  return {
    permissions: { allow: ['Bash', 'Write', 'Edit', 'Read', 'mcp__other'] },
    hooks: { SessionStart: hooks, UserPromptSubmit: hooks, Stop: hooks },
  };
};

/** Adds entries beside the inbox's own. */
async function addServers(lab: Lab, servers: Record<string, SmallMcpServer>): Promise<void> {
  const path = join(lab.folder, '.mcp.json');
  const { mcpServers } = JSON.parse(await readFile(path, 'utf8'));
  for (const [name, { url }] of Object.entries(servers)) mcpServers[name] = { type: 'http', url };
  await writeFile(path, JSON.stringify({ mcpServers }));
}

const requestsOf = (lab: Lab) =>
  lab.turnCalls.map(({ body }) => body).filter((body) => isMessagesRequest(body));

describe.each([
  ['read', ['Glob', 'Grep', 'Read']],
  ['work', ['Edit', 'Glob', 'Grep', 'Read', 'Write']],
] as const)('preset %s', (preset, builtIn) => {
  it('gives its tools and those of an allowed server, with CLAUDE.md, no hook and no rule of the user', async () => {
    const [docs, other] = [await otherServer('forty-two'), await otherServer('never')];
    const lab = await openLab({ settings: { preset, allow_servers: ['docs'] } });
    ends.push(() => lab.close());
    await addServers(lab, { docs, other });
    const inFolder = (name: string): string => join(lab.folder, name);
    await plant(lab.home, { '.claude/settings.json': widened(inFolder('hooked-by-user')) });
    await plant(lab.folder, {
      'notes.txt': 'THE-NOTES',
      'CLAUDE.md': 'The password of the house is SESAME.',
      '.claude/settings.json': widened(inFolder('hooked')),
    });
    const uses: AnswerBlock[] = [
      ['Read', { file_path: inFolder('notes.txt') }] as const,
      ['Bash', { command: 'touch made-by-bash' }] as const,
      ['Write', { file_path: inFolder('made.txt'), content: 'made' }] as const,
      ['mcp__docs__look_up', { word: 'answer' }] as const,
      ['mcp__other__look_up', { word: 'answer' }] as const,
    ].map(([name, input]) => ({ type: 'tool_use', name, input }));
    lab.api.setScript(() => ({ content: [uses.shift() ?? { type: 'text', text: 'all looked up' }] }));

    lab.say('@alice', 'please look it up');
    expect(await lab.run(['--once']).ended()).toMatchObject({ exitCode: 0 });

    expect(lab.answers().map(({ text }) => text)).toEqual(['all looked up']);
    const [first] = requestsOf(lab);
    const offered = (first?.tools ?? []).map(({ name }) => name);
    expect(offered.filter((name) => !name.startsWith('mcp__')).sort()).toEqual(builtIn);
    expect(offered).toContain('mcp__docs__look_up');
    expect(offered.join()).not.toContain('mcp__other');
    expect(JSON.stringify(first?.messages)).toContain('SESAME');
    // Besides Claude Code's own prompt, ours is there: it says what a message is.
    expect(JSON.stringify(first?.system)).toContain('You are an assistant that answers direct messages');
    const seen = JSON.stringify(requestsOf(lab).at(-1)?.messages);
    expect(seen).toContain('THE-NOTES');
    expect(seen).toContain('forty-two');
    expect(docs.calls).toEqual([{ name: 'look_up', input: { word: 'answer' } }]);
    expect(other.calls).toEqual([]);
    expect(existsSync(inFolder('made.txt'))).toBe(preset === 'work');
    for (const name of ['made-by-bash', 'hooked', 'hooked-by-user']) {
      expect(existsSync(inFolder(name)), name).toBe(false);
    }
  });
});
