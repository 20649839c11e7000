// Claude Code: is it there, does it start and see our tools, has it a login. Never a model call.
import { type FoundClaude, findClaude, LOGGED_OUT } from '../agent/index.js';
import { agentEnvironment } from '../app/agent-parts.js';
import { type TrialWish, tryAgent } from '../app/agent-trial.js';
import type { ResolvedInbox, Settings } from '../config/index.js';
import { ERROR_KINDS, EXIT } from '../domain/errors.js';
import { type Finding, fail, failure, ok, warn } from './check.js';

export async function claudeProgram(settings: Settings, env: NodeJS.ProcessEnv): Promise<Finding> {
  const environment = await agentEnvironment(settings, env);
  return programFinding(await findClaude({ setting: settings.claudePath, environment, cwd: settings.dir }));
}

function programFinding({ path, version, note }: FoundClaude): Finding {
  const found = `Claude Code ${version ?? 'of an unknown version'} at ${path}`;
  if (note !== undefined) return warn(`${found}. ${note}`, 'Update Claude Code: claude update');
  return ok(`${found}, fully supported.`);
}

/** @param inbox where it is not known yet, Claude is tried without the other servers it may name */
export async function claudeStart(
  settings: Settings,
  inbox: ResolvedInbox | undefined,
  surroundings: Pick<TrialWish, 'env' | 'version' | 'signal'>,
): Promise<Finding> {
  const { outcome, notes } = await tryAgent({
    settings,
    inbox: inbox ?? { name: 'inbox', otherServers: {} },
    ...surroundings,
  });
  if (outcome.kind === 'unusable') return failure(outcome.error);
  if (outcome.kind === 'not-ready') {
    return fail(outcome.message, ERROR_KINDS['claude-failed'].hint, EXIT.agentUnusable);
  }
  if (notes.includes(LOGGED_OUT)) {
    const { hint, exitCode } = ERROR_KINDS['claude-unauthorised'];
    return fail(LOGGED_OUT, hint, exitCode);
  }
  const server = notes.find((note) => note.startsWith('The MCP server '));
  if (server !== undefined)
    return warn(server, 'Look at its entry in .mcp.json, or take it out of allow_servers.');
  return ok(
    'Claude Code starts, sees the tools of the inbox, and has a key or a login (only a turn can tell whether it is valid).',
  );
}
