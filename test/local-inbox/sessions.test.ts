import { describe, expect, it } from 'vitest';
import { Sessions } from '../../src/local-inbox/sessions.js';
import { INITIALIZE } from './support.js';

async function open(sessions: Sessions, alias: string): Promise<string> {
  const transport = await sessions.create(alias);
  const response = await transport.handleRequest(
    new Request('http://127.0.0.1/', {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    }),
    { parsedBody: INITIALIZE },
  );
  await response.text();
  return response.headers.get('mcp-session-id') ?? '';
}

describe('the MCP sessions', () => {
  it('give way by least recent use, since clients rarely end theirs', async () => {
    const sessions = new Sessions([], () => {}, 2);
    const first = await open(sessions, '@bob');
    const second = await open(sessions, '@bob');
    expect(sessions.find(first, '@bob')).toBeDefined();
    const third = await open(sessions, '@bob');
    expect(sessions.find(second, '@bob')).toBeUndefined();
    expect(sessions.find(first, '@bob')).toBeDefined();
    expect(sessions.find(third, '@bob')).toBeDefined();
    await sessions.drop();
    expect(sessions.find(first, '@bob')).toBeUndefined();
  });
});
