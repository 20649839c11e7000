// Says which inbox a run will answer, before it does.
import type { ResolvedInbox } from '../config/index.js';

/** `"agentdm" (by its name) at https://…`. */
export function describeInbox({ name, chosen, server }: ResolvedInbox): string {
  const where = server.type === 'http' ? new URL(server.url).origin : server.command;
  const why = { named: 'as asked', agentdm: 'by its name', only: 'the only entry' }[chosen];
  return `"${name}" (${why}) at ${where}`;
}
