// The SDK's transport for an inbox: Streamable HTTP, or a program on stdin and stdout.
import { StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { AttendedTransport } from './attended-transport.js';
import type { HttpServer, InboxServer, StdioServer } from './options.js';
import { ProgramTransport } from './program-transport.js';
import type { StandingStreamOptions } from './standing-stream.js';
import { wireFetch } from './wire.js';

export interface OpenTransport {
  readonly transport: Transport;
  /** Asks the server to forget the session; nothing where there are no sessions. */
  terminate(): Promise<void>;
  /** What the inbox program last said on stderr; empty for HTTP. */
  lastWords(): string;
}

export function openTransport(
  server: InboxServer,
  standing: StandingStreamOptions | undefined,
): OpenTransport {
  if (server.type === 'stdio') return program(server);
  const { url, headers } = addressOf(server);
  const http = new StreamableHTTPClientTransport(url, {
    requestInit: { headers },
    fetch: wireFetch(standing),
  });
  return {
    transport: new AttendedTransport(http),
    terminate: () => http.terminateSession(),
    lastWords: () => '',
  };
}

function program(server: StdioServer): OpenTransport {
  const terminate = async () => {};
  if (process.platform === 'win32') {
    // Only the SDK's own transport finds `npx.cmd` there.
    const { command, args, env, cwd } = server;
    const transport = new StdioClientTransport({
      command,
      args: [...(args ?? [])],
      stderr: 'ignore',
      ...(env && { env: { ...env } }),
      ...(cwd !== undefined && { cwd }),
    });
    // Attended, it does not look like the SDK's own any more, which would be started a second time to be asked its era.
    return { transport: new AttendedTransport(transport), terminate, lastWords: () => '' };
  }
  const transport = new ProgramTransport(server);
  return { transport: new AttendedTransport(transport), terminate, lastWords: () => transport.lastWords };
}

/** `fetch` refuses an address with a user in it: it becomes the header that it stands for. */
function addressOf(server: HttpServer): { url: URL; headers: Record<string, string> } {
  const url = new URL(server.url);
  const headers = { ...server.headers };
  if (url.username !== '' || url.password !== '') {
    const user = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
    if (!Object.keys(headers).some((name) => name.toLowerCase() === 'authorization')) {
      headers.Authorization = `Basic ${Buffer.from(user).toString('base64')}`;
    }
    url.username = '';
    url.password = '';
  }
  return { url, headers };
}
