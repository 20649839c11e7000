// A PostgreSQL of the tests' own: a cluster in a temporary folder, on a loopback port, ended with the tests.
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa, execaSync, type ResultPromise } from 'execa';
import pg from 'pg';
import { untilText } from './until-text.js';

const DEBIAN = '/usr/lib/postgresql';

/** The folder of the server's programs; undefined where there are none. */
const BIN = findBin();

/** Why tests on PostgreSQL are skipped here; undefined where they run. */
export const postgresMissing =
  BIN === undefined ? 'PostgreSQL is not installed here (initdb and postgres were not found)' : undefined;

export interface TestPostgres {
  readonly url: string;
  readonly port: number;
  /** Ends the server as `how` says (`immediate` is a crash), and starts it again unless told otherwise. */
  stop(how?: 'fast' | 'immediate'): Promise<void>;
  start(): Promise<void>;
  /** Empties every table of a schema but those of the migrations. */
  truncate(schema: string): Promise<void>;
  /** Ends the server and removes its folder. */
  close(): Promise<void>;
}

export async function startPostgres(): Promise<TestPostgres> {
  if (BIN === undefined) throw new Error(postgresMissing);
  const bin = BIN;
  const folder = mkdtempSync(join(tmpdir(), 'postgres-'));
  const who = unprivileged();
  if (who) chownSync(folder, who.uid, who.gid);
  const data = join(folder, 'data');
  const as = { ...who, cwd: folder, env: { LC_ALL: 'C', PATH: process.env.PATH }, extendEnv: false } as const;
  await execa(join(bin, 'initdb'), ['-D', data, '-U', 'worker', '-A', 'trust', '-E', 'UTF8', '-N'], as);
  const port = await freePort();

  let server: ResultPromise | undefined;
  const start = async (): Promise<void> => {
    const settings = {
      listen_addresses: '127.0.0.1',
      port,
      unix_socket_directories: '',
      fsync: 'off',
      max_connections: 60,
    };
    const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const process = execa(join(bin, 'postgres'), ['-D', data, ...args], {
      ...as,
      reject: false,
      buffer: false,
    });
    server = process;
    await untilText(process.stderr, /ready to accept connections/);
    process.stderr?.resume();
  };
  const stop = async (how: 'fast' | 'immediate' = 'fast'): Promise<void> => {
    server?.kill(how === 'fast' ? 'SIGINT' : 'SIGQUIT');
    await server;
    server = undefined;
  };
  await start();
  const url = `postgres://worker@127.0.0.1:${port}/postgres`;
  return {
    url,
    port,
    start,
    stop,
    async truncate(schema) {
      const client = new pg.Client(url);
      await client.connect();
      const { rows } = await client.query(
        "select tablename from pg_tables where schemaname = $1 and tablename not like 'kysely%'",
        [schema],
      );
      const tables = rows.map((row) => `${schema}.${row.tablename}`);
      await client.query(`truncate ${tables.join(', ')}`);
      await client.end();
    },
    async close() {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function findBin(): string | undefined {
  const folders = existsSync(DEBIAN)
    ? readdirSync(DEBIAN)
        .sort((a, b) => Number(b) - Number(a))
        .map((version) => join(DEBIAN, version, 'bin'))
    : [];
  const inPath = (process.env.PATH ?? '').split(':');
  return [...folders, ...inPath].find(
    (folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')),
  );
}

/** The server refuses to run as root. */
function unprivileged(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string): number | undefined => {
    const { stdout, exitCode } = execaSync('id', [flag, 'postgres'], { reject: false });
    return exitCode === 0 ? Number(stdout) : undefined;
  };
  const nobody = 65_534;
  return { uid: id('-u') ?? nobody, gid: id('-g') ?? nobody };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}
