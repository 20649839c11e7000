import { appendFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sessionHolds } from '../../src/agent/index.js';
import { sessionComesToHold } from '../../src/agent/transcript.js';

const TURN = '11111111-1111-4111-8111-111111111111';
let home: string;
let record: string;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'transcript-'));
  const folder = join(home, '.claude', 'projects', '-some-folder');
  await mkdir(folder, { recursive: true });
  record = join(folder, 'session.jsonl');
});

afterEach(async () => {
  await rm(home, { recursive: true, force: true });
});

const write = (entry: object): Promise<void> => appendFile(record, `${JSON.stringify(entry)}\n`);

describe('the record of a session', () => {
  it('holds a prompt when it has a user message of its name', async () => {
    expect(await sessionHolds({ HOME: home }, 'session', TURN)).toBe(false);
    await write({ type: 'queue-operation', uuid: TURN });
    await write({ type: 'user', uuid: 'other', message: { content: `mentions ${TURN}` } });
    expect(await sessionHolds({ HOME: home }, 'session', TURN)).toBe(false);
    await write({ type: 'user', uuid: TURN, message: { content: 'x'.repeat(100_000) } });
    await appendFile(record, '{"type":"assistant","cut off in the mid');
    expect(await sessionHolds({ HOME: home }, 'session', TURN)).toBe(true);
    expect(await sessionHolds({ CLAUDE_CONFIG_DIR: join(home, '.claude') }, 'session', TURN)).toBe(true);
    expect(await sessionHolds({ HOME: home }, 'another', TURN)).toBe(false);
    expect(await sessionHolds({ HOME: '/nowhere' }, 'session', TURN)).toBe(false);
  });

  it('is found even when it is very long', async () => {
    const entry = `${JSON.stringify({ type: 'user', uuid: 'old', message: 'y'.repeat(1_000_000) })}\n`;
    await appendFile(record, entry.repeat(6));
    await write({ type: 'user', uuid: TURN });
    expect(await sessionHolds({ HOME: home }, 'session', TURN)).toBe(true);
  });

  it('is waited for', async () => {
    const off = new AbortController();
    const holds = sessionComesToHold({ HOME: home }, 'session', TURN, off.signal);
    await write({ type: 'user', uuid: TURN });
    expect(await holds).toBe(true);
    expect(await sessionComesToHold({ HOME: home }, 'session', TURN, AbortSignal.abort())).toBe(false);
  });
});
