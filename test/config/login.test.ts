// What of .env is handed to Claude.
import { expect, it } from 'vitest';
import { loginEnvironment } from '../../src/config/login.js';
import { folderWith } from './folder.js';

it('login, provider and proxy, and what pass_env names; never the inbox key or our settings', async () => {
  const dir = await folderWith({
    '.env': [
      'ANTHROPIC_API_KEY=a',
      'ANTHROPIC_AUTH_TOKEN=b',
      'ANTHROPIC_BASE_URL=http://127.0.0.1:1',
      'CLAUDE_CODE_OAUTH_TOKEN="c"',
      'CLAUDE_CONFIG_DIR=/d',
      'CLAUDE_CODE_USE_BEDROCK=1',
      'AWS_REGION=eu',
      'https_proxy=http://127.0.0.1:2',
      'AGENTDM_API_KEY=agentdm_secret',
      'WEBHOOK_SECRET=whsec_x',
      'CLAUDE_PATH=/usr/bin/claude',
      'MODEL=m',
      'GITHUB_TOKEN=g',
      'MY_ANTHROPIC_KEY=m',
    ].join('\n'),
  });
  const always = {
    ANTHROPIC_API_KEY: 'a',
    ANTHROPIC_AUTH_TOKEN: 'b',
    ANTHROPIC_BASE_URL: 'http://127.0.0.1:1',
    CLAUDE_CODE_OAUTH_TOKEN: 'c',
    CLAUDE_CONFIG_DIR: '/d',
    CLAUDE_CODE_USE_BEDROCK: '1',
    AWS_REGION: 'eu',
    https_proxy: 'http://127.0.0.1:2',
  };
  expect(await loginEnvironment({ dir, passEnv: [] })).toEqual(always);
  expect(await loginEnvironment({ dir, passEnv: ['GITHUB_TOKEN', 'ABSENT'] })).toEqual({
    ...always,
    GITHUB_TOKEN: 'g',
  });
});

it('is empty without .env', async () => {
  expect(await loginEnvironment({ dir: await folderWith(), passEnv: ['HOME'] })).toEqual({});
});
