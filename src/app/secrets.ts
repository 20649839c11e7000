// The literals that must not reach a log, a file or a trace: keys of the inbox, of Claude, of webhooks, and our own.
import type { ResolvedInbox, Settings } from '../config/index.js';
import { secretsOf } from '../inbox/index.js';
import { tellSecrets } from './tell-parts.js';

const SECRET_NAME = /key|token|secret|passw|credential|auth/i;

/**
 * The list is read whenever something is told, so tokens that are made later are pushed onto it.
 * @param claude Claude's whole environment: its login is there
 * @param token of the private listener
 */
export function knownSecrets(
  settings: Settings,
  inbox: Pick<ResolvedInbox, 'key' | 'server'>,
  claude: Readonly<Record<string, string>>,
  token: string,
): string[] {
  const login = Object.entries(claude).flatMap(([name, value]) => (SECRET_NAME.test(name) ? [value] : []));
  const { databaseUrl = '', webhookSecret } = settings;
  const database = URL.canParse(databaseUrl) ? [new URL(databaseUrl).password] : [];
  const ours = [token, inbox.key, ...webhookSecret, ...tellSecrets(settings)];
  const all = [...ours, ...secretsOf(inbox.server), ...database, ...login];
  return [...new Set(all.filter((secret) => secret !== undefined && secret !== ''))] as string[];
}
