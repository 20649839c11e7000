// Login and provider variables that stand in .env: settings for Claude, not for us.
import type { Settings } from './load.js';
import { readDotenv } from './sources.js';

/** Broad on purpose: the agent's own allowlist decides in the end, and drops the marks of a surrounding session. */
const FOR_CLAUDE = [
  /^(ANTHROPIC|CLAUDE)_/,
  /^(API_TIMEOUT_MS|IS_SANDBOX|DISABLE_AUTOUPDATER)$/,
  // The credentials of the providers that Claude Code can be pointed at.
  /^(AWS|AZURE|VERTEX)_|^(CLOUD_ML_REGION|GCLOUD_PROJECT|GOOGLE_CLOUD_PROJECT|GOOGLE_APPLICATION_CREDENTIALS)$/,
  /^(HTTPS?|ALL|NO)_PROXY$/i,
  /^(NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR)|(REQUESTS|CURL)_CA_BUNDLE)$/,
];
/** Ours, though named like Claude's. */
const OURS = ['CLAUDE_PATH'];

/**
 * What `.env` of the agent's folder holds for Claude: login, provider, proxy, and what `pass_env` names. The inbox's
 * key is not among it unless `pass_env` says so. The real environment goes before it: `{ ...this, ...process.env }`,
 * then the agent's allowlist.
 * @throws WorkerError `file-unreadable`
 */
export async function loginEnvironment(
  settings: Pick<Settings, 'dir' | 'passEnv'>,
): Promise<Record<string, string>> {
  const entries = Object.entries(await readDotenv(settings.dir));
  return Object.fromEntries(
    entries.filter(
      ([name]) =>
        settings.passEnv.includes(name) ||
        (FOR_CLAUDE.some((pattern) => pattern.test(name)) && !OURS.includes(name)),
    ),
  );
}
