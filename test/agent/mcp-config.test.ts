import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeMcpConfig } from '../../src/agent/mcp-config.js';

const gateway = { name: 'inbox', url: 'http://127.0.0.1:1/mcp', token: 'secret-token' };
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mcp-config-'));
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

describe('the generated MCP configuration', () => {
  it('holds the gateway and what is carried along, for our eyes only', async () => {
    const others = { docs: { type: 'stdio', command: 'docs' }, inbox: { url: 'https://the.real.inbox' } };
    const file = await writeMcpConfig(folder, gateway, others);
    expect(JSON.parse(await readFile(file.path, 'utf8'))).toEqual({
      mcpServers: {
        docs: { type: 'stdio', command: 'docs' },
        inbox: { type: 'http', url: gateway.url, headers: { Authorization: 'Bearer secret-token' } },
      },
    });
    expect((await stat(file.path)).mode & 0o777).toBe(0o600);
    await file.remove();
    await file.remove();
    expect(await readdir(folder)).toEqual([]);
  });

  it('takes away those of workers that are gone, and nothing else', async () => {
    // The pid of a process that cannot exist: above the kernel's limit.
    await writeFile(join(folder, 'claude-mcp-4194999-aa.json'), '{}');
    await writeFile(join(folder, `claude-mcp-${process.ppid}-bb.json`), '{}');
    await writeFile(join(folder, 'worker.db'), '');
    const file = await writeMcpConfig(folder, gateway);
    const names = await readdir(folder);
    expect(names).not.toContain('claude-mcp-4194999-aa.json');
    expect(names).toHaveLength(3);
    await file.remove();
  });
});
