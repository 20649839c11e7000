import { describe, expect, it } from 'vitest';
import { childEnvironment } from '../../src/agent/index.js';

describe("Claude's environment", () => {
  it('keeps what a program, a login and a provider need', () => {
    const needed = {
      PATH: '/bin',
      HOME: '/home/me',
      LANG: 'C.UTF-8',
      LC_ALL: 'C',
      TMPDIR: '/tmp',
      https_proxy: 'http://proxy',
      NO_PROXY: 'localhost',
      NODE_EXTRA_CA_CERTS: '/ca.pem',
      ANTHROPIC_API_KEY: 'k',
      ANTHROPIC_BASE_URL: 'http://127.0.0.1',
      CLAUDE_CONFIG_DIR: '/c',
      IS_SANDBOX: '1',
      DISABLE_AUTOUPDATER: '1',
      CLAUDE_CODE_OAUTH_TOKEN: 't',
      CLAUDE_CODE_MAX_RETRIES: '2',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    };
    expect(childEnvironment(needed)).toEqual(needed);
  });

  it('drops the marks of a surrounding session, and the keys of everything else', () => {
    const foreign = {
      CLAUDECODE: '1',
      CLAUDE_CODE_ENTRYPOINT: 'cli',
      CLAUDE_CODE_SSE_PORT: '1234',
      CLAUDE_CODE_SESSION_ID: 'x',
      CLAUDE_CODE_RESUME_INTERRUPTED_TURN: '1',
      AGENTDM_API_KEY: 'k',
      DATABASE_URL: 'postgres://',
      AWS_SECRET_ACCESS_KEY: 's',
      GITHUB_TOKEN: 't',
      NODE_OPTIONS: '--inspect',
      INBOX_WORKER_WEBHOOK_SECRET: 'w',
      EMPTY: undefined,
    };
    expect(childEnvironment(foreign)).toEqual({});
  });

  it("takes a provider's credentials along only where it is chosen", () => {
    const keys = { AWS_PROFILE: 'p', GOOGLE_APPLICATION_CREDENTIALS: '/g.json', AZURE_CLIENT_ID: 'a' };
    expect(childEnvironment({ ...keys, CLAUDE_CODE_USE_BEDROCK: '1' })).toEqual({
      AWS_PROFILE: 'p',
      CLAUDE_CODE_USE_BEDROCK: '1',
    });
    expect(childEnvironment({ ...keys, CLAUDE_CODE_USE_BEDROCK: '0' })).not.toHaveProperty('AWS_PROFILE');
    expect(childEnvironment({ ...keys, CLAUDE_CODE_USE_VERTEX: 'true' })).toHaveProperty(
      'GOOGLE_APPLICATION_CREDENTIALS',
    );
    expect(childEnvironment({ ...keys, CLAUDE_CODE_USE_FOUNDRY: '1' })).toHaveProperty('AZURE_CLIENT_ID');
  });

  it('takes along what is named', () => {
    expect(childEnvironment({ MY_TOOL_KEY: 'k', OTHER: 'o' }, ['MY_TOOL_KEY', 'UNSET'])).toEqual({
      MY_TOOL_KEY: 'k',
    });
  });
});
