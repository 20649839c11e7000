// Stands in for systemd: a real datagram socket that hears what `systemd-notify` sends. Python has such sockets, Node has not.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lineFramer } from '../../src/lib/line-framer.js';
import { Feed } from '../support/agent-lab.js';

/** Descriptors that come along are closed by being left out: that is what `systemd-notify` waits for. */
const LISTEN = `
import json, socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1])
print("listening", flush=True)
while True:
    data = s.recv(65536).decode()
    if "BARRIER=1" not in data:
        print(json.dumps(data.split("\\n")), flush=True)
`;

const runs = (file: string, ...args: string[]): boolean => {
  try {
    execFileSync(file, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

/** Both are in packages of Debian (`systemd`, `python3`); without them these tests are skipped, and said to be. */
export const CAN_LISTEN =
  process.platform === 'linux' && runs('systemd-notify', '--version') && runs('python3', '--version');

export interface SystemdSocket {
  readonly path: string;
  /** Every assignment, in order. */
  readonly heard: Feed<string>;
  close(): Promise<void>;
}

export async function listenAsSystemd(): Promise<SystemdSocket> {
  const folder = await mkdtemp(join(tmpdir(), 'notify-'));
  const path = join(folder, 'socket');
  const child = spawn('python3', ['-c', LISTEN, path], { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = new Feed<string>();
  const heard = new Feed<string>();
  const framer = lineFramer({
    onLine: (line) => {
      lines.add(line);
      if (line !== 'listening')
        for (const one of JSON.parse(line) as string[]) if (one !== '') heard.add(one);
    },
  });
  child.stdout.on('data', (chunk: Buffer) => framer.push(chunk));
  await lines.first((line) => line === 'listening', 'the socket');
  return {
    path,
    heard,
    close: async () => {
      child.kill('SIGKILL');
      await rm(folder, { recursive: true, force: true });
    },
  };
}
