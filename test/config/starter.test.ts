// The first files of an agent's folder: what is taken as an answer, and that the rest of the program can read them.
import { describe, expect, it } from 'vitest';
import {
  LOCAL_INBOX_PORT,
  missingIgnores,
  STARTER_DEFAULTS,
  starterFault,
  starterFiles,
} from '../../src/config/starter.js';

describe('the answers', () => {
  it('are sound by default', () => {
    for (const [name, answer] of Object.entries(STARTER_DEFAULTS)) {
      expect(starterFault(name as keyof typeof STARTER_DEFAULTS, answer)).toBeUndefined();
    }
  });

  it.each([
    ['inboxUrl', 'agentdm.ai', 'https://'],
    ['inboxUrl', 'file:///etc/passwd', 'https://'],
    ['keyEnv', 'agentdm_4f9c2a', 'in .env'],
    ['keyEnv', 'A B', 'capitals'],
    ['preset', 'all', 'everything'],
    ['budgetDay', '0', '$5'],
    ['budgetDay', '$0', 'unlimited'],
  ] as const)('%s is not %s', (name, answer, hint) => {
    expect(starterFault(name, answer)).toContain(hint);
  });
});

it('make files that name the variable and never hold a key', () => {
  const files = starterFiles({ ...STARTER_DEFAULTS, keyEnv: 'MY_KEY', preset: 'read' });
  const text = (path: string): string => files.find((file) => file.path === path)?.text ?? '';
  expect(JSON.parse(text('.mcp.json'))).toEqual({
    mcpServers: {
      agentdm: {
        type: 'http',
        url: 'https://api.agentdm.ai/mcp/v1/grid',
        headers: { Authorization: 'Bearer ${MY_KEY}' },
      },
    },
  });
  expect(text('.env')).toBe('MY_KEY=\n');
  expect(JSON.parse(text('config/worker.json'))).toMatchObject({ preset: 'read', budget_day: '$10' });
});

it('call the inbox of anybody else by no name of AgentDM', () => {
  const [file] = starterFiles({ ...STARTER_DEFAULTS, inboxUrl: 'https://mail.example/agentdm.ai' });
  expect(Object.keys(JSON.parse(file?.text ?? '').mcpServers)).toEqual(['inbox']);
});

it('know the inbox of this machine by a name', () => {
  const [file] = starterFiles({ ...STARTER_DEFAULTS, inboxUrl: 'local' });
  expect(JSON.parse(file?.text ?? '').mcpServers).toMatchObject({
    agentdm: { url: `http://127.0.0.1:${LOCAL_INBOX_PORT}/mcp/v1/grid` },
  });
});

it('add to .gitignore only what it lacks, however that is written there', () => {
  expect(missingIgnores('')).toEqual(['.env', '.orchestrator/']);
  expect(missingIgnores('node_modules\n/.env\n')).toEqual(['.orchestrator/']);
  expect(missingIgnores('.env\r\n.orchestrator\r\n')).toEqual([]);
});
