// Claude's environment: an allowlist, so that the keys of other programs never reach it.

/** What any program needs, on any system. */
const PLAIN = [
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LANGUAGE', 'TZ', 'TERM'],
  ...['TMPDIR', 'TMP', 'TEMP'],
  // Windows does not start a program without some of these.
  ...['SYSTEMROOT', 'SYSTEMDRIVE', 'COMSPEC', 'PATHEXT', 'WINDIR', 'USERPROFILE', 'USERNAME', 'HOMEDRIVE'],
  ...['HOMEPATH', 'APPDATA', 'LOCALAPPDATA', 'PROGRAMDATA', 'PROGRAMFILES'],
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY'],
  ...['SSL_CERT_FILE', 'SSL_CERT_DIR', 'NODE_EXTRA_CA_CERTS', 'REQUESTS_CA_BUNDLE', 'CURL_CA_BUNDLE'],
];

/** Claude Code's own that concern login, provider, retries and traffic. All else named CLAUDE_CODE_… is left out. */
const CLAUDE = [
  ...['CLAUDE_CONFIG_DIR', 'IS_SANDBOX', 'DISABLE_AUTOUPDATER', 'API_TIMEOUT_MS'],
  ...['CLAUDE_CODE_OAUTH_TOKEN', 'CLAUDE_CODE_API_KEY_HELPER_TTL_MS'],
  ...['CLAUDE_CODE_CLIENT_CERT', 'CLAUDE_CODE_CLIENT_KEY', 'CLAUDE_CODE_CLIENT_KEY_PASSPHRASE'],
  ...['CLAUDE_CODE_USE_BEDROCK', 'CLAUDE_CODE_USE_VERTEX', 'CLAUDE_CODE_USE_FOUNDRY'],
  ...['CLAUDE_CODE_SKIP_BEDROCK_AUTH', 'CLAUDE_CODE_SKIP_VERTEX_AUTH', 'CLAUDE_CODE_SKIP_FOUNDRY_AUTH'],
  ...['CLAUDE_CODE_MAX_RETRIES', 'CLAUDE_CODE_MAX_OUTPUT_TOKENS', 'CLAUDE_CODE_PROXY_RESOLVES_HOSTS'],
  ...['CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC'],
];

const PREFIXES = ['LC_', 'ANTHROPIC_'];

/** A provider's credentials go along only when that provider is chosen. */
const PROVIDERS: readonly { readonly switch: string; readonly names: RegExp }[] = [
  { switch: 'CLAUDE_CODE_USE_BEDROCK', names: /^AWS_/ },
  {
    switch: 'CLAUDE_CODE_USE_VERTEX',
    names: /^(CLOUD_ML_REGION|VERTEX_|GOOGLE_(APPLICATION_CREDENTIALS|CLOUD_PROJECT)$|GCLOUD_PROJECT$)/,
  },
  { switch: 'CLAUDE_CODE_USE_FOUNDRY', names: /^AZURE_/ },
];

/**
 * The part of `env` that Claude gets. The marks of a surrounding session (CLAUDECODE, CLAUDE_CODE_ENTRYPOINT, …) are
 * on no list and so fall away; `passEnv` adds names, even those.
 */
export function childEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  passEnv: readonly string[] = [],
): Record<string, string> {
  const chosen = PROVIDERS.filter((provider) => isOn(env[provider.switch]));
  const wanted = (name: string): boolean => {
    // Proxies are written in small letters too, and Windows does not care about case.
    const upper = name.toUpperCase();
    return (
      passEnv.includes(name) ||
      PLAIN.includes(upper) ||
      CLAUDE.includes(name) ||
      PREFIXES.some((prefix) => name.startsWith(prefix)) ||
      chosen.some((provider) => provider.names.test(name))
    );
  };
  const kept = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && wanted(entry[0]),
  );
  return Object.fromEntries(kept);
}

const isOn = (value: string | undefined): boolean =>
  value !== undefined && !['', '0', 'false', 'no', 'off'].includes(value.toLowerCase());
