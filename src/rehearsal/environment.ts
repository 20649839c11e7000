// The whole environment in which Claude Code runs against the scripted API, and nothing of the caller's but PATH.

export interface ClaudeEnvironmentOptions {
  /** `ScriptedApi.url`. */
  readonly apiUrl: string;
  /** A HOME of its own: Claude Code writes its settings and sessions there. */
  readonly home: string;
  /** `token` logs in as a subscriber (with a dummy), which is how Claude Code reads `unified-limit`. Default `key`. */
  readonly login?: 'key' | 'token';
}

export function claudeEnvironment(options: ClaudeEnvironmentOptions): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin',
    HOME: options.home,
    ANTHROPIC_BASE_URL: options.apiUrl,
    ...(options.login === 'token'
      ? { CLAUDE_CODE_OAUTH_TOKEN: 'rehearsal-token' }
      : { ANTHROPIC_API_KEY: 'rehearsal-key' }),
    DISABLE_AUTOUPDATER: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    ENABLE_TOOL_SEARCH: 'false',
  };
}
