import { describe, expect, it } from 'vitest';
import { chooseProfile } from '../../src/inbox/profiles/choose.js';

const named = (...names: string[]) => names.map((name) => ({ name }));
const DMS = ['list_dms', 'read_dm', 'send_dm'];
const AGENTDM = ['read_messages', 'send_message'];
const plain = (text: string, maxChars = 300) => text.slice(0, maxChars);

describe('choosing the profile', () => {
  it.each([
    [DMS, 'auto', 'dms'],
    [AGENTDM, 'auto', 'agentdm'],
    [[...AGENTDM, ...DMS], 'auto', 'dms'],
    [[...AGENTDM, ...DMS], 'agentdm', 'agentdm'],
    [[...AGENTDM, 'list_dms', 'read_dm'], 'auto', 'agentdm'],
  ] as const)('%j with the wish %s is %s', (tools, wish, name) => {
    expect(chooseProfile(named(...tools), wish, plain)).toMatchObject({ kind: 'chosen', profile: { name } });
  });

  it('names the tools that are there and those that are missing', () => {
    const choice = chooseProfile(named('read_messages', 'echo'), 'auto', plain);
    expect(choice).toEqual({
      kind: 'none',
      message:
        'The inbox offers the tools read_messages, echo. The profile dms misses list_dms, read_dm, send_dm; the profile agentdm misses send_message.',
    });
    expect(chooseProfile([], 'auto', plain)).toMatchObject({ message: expect.stringContaining('no tools') });
    expect(chooseProfile(named(...AGENTDM), 'dms', plain)).toMatchObject({
      kind: 'none',
      message: expect.not.stringContaining('agentdm'),
    });
  });

  it('does not choose a profile whose required arguments it cannot fill', () => {
    const tools = [
      {
        name: 'read_messages',
        inputSchema: { type: 'object', properties: { room: {} }, required: ['room'] },
      },
      {
        name: 'send_message',
        inputSchema: { type: 'object', properties: { to: {}, message: {} }, required: ['to', 'message'] },
      },
    ];
    expect(chooseProfile(tools, 'auto', plain)).toMatchObject({
      kind: 'none',
      message: expect.stringContaining('room of read_messages'),
    });
  });

  it('lists not more than twenty tools', () => {
    const many = named(...Array.from({ length: 40 }, (_, index) => `tool${index}`));
    expect(chooseProfile(many, 'auto', plain)).toMatchObject({
      message: expect.stringContaining('and 20 more'),
    });
  });
});
