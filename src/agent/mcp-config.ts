// The generated MCP configuration: which servers a Claude process gets, and the gateway's token for it.
import { randomBytes } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomic } from '../lib/atomic-file.js';
import { processStart } from '../lib/process-identity.js';

export interface McpConfigFile {
  readonly path: string;
  /** Never rejects; may be repeated. */
  remove(): Promise<void>;
}

const NAME = /^claude-mcp-(\d+)-[0-9a-f]+\.json$/;

/** Writes the file (mode 0600) into `folder`. Rejects when the folder cannot be written. */
export async function writeMcpConfig(
  folder: string,
  gateway: { readonly name: string; readonly url: string; readonly token: string },
  otherServers: Readonly<Record<string, unknown>> = {},
): Promise<McpConfigFile> {
  await removeStale(folder);
  const servers = {
    ...otherServers,
    // Without `type` an entry is ignored in silence, and the agent has no inbox.
    [gateway.name]: {
      type: 'http',
      url: gateway.url,
      headers: { Authorization: `Bearer ${gateway.token}` },
    },
  };
  const path = join(folder, `claude-mcp-${process.pid}-${randomBytes(6).toString('hex')}.json`);
  await writeFileAtomic(path, `${JSON.stringify({ mcpServers: servers }, null, 2)}\n`, { mode: 0o600 });
  return { path, remove: () => rm(path, { force: true }).catch(() => undefined) };
}

/** Files of workers that were killed: their tokens are worth nothing, but a secret should not lie about. */
async function removeStale(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names) {
    const pid = Number(NAME.exec(name)?.[1]);
    if (pid > 0 && pid !== process.pid && processStart(pid) === undefined) {
      await rm(join(folder, name), { force: true }).catch(() => undefined);
    }
  }
}
