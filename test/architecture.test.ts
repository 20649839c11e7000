// Holds src/ to its map: who may import whom, which packages live where, how long a file may be.
import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { describe, expect, it } from 'vitest';

interface Room {
  readonly rooms: readonly string[];
  readonly packages: readonly string[];
  /** Rooms that touch neither time nor disk nor randomness may not even import Node's own modules. */
  readonly pure?: true;
}

const MCP = '@modelcontextprotocol/sdk';
const NODE_SERVER = '@hono/node-server';
const PARTS = [
  'wake',
  'inbox',
  'agent',
  'gateway',
  'mailbox',
  'observe',
  'tell',
  'service',
  'control',
  'config',
  'local-inbox',
  'rehearsal',
];
const BASE = ['domain', 'lib', 'ports'];

/** The living copy of the table of rooms. A new edge between folders needs a reason in the change that makes it. */
const TABLE: Record<string, Room> = {
  domain: { rooms: [], packages: [], pure: true },
  lib: { rooms: [], packages: [] },
  ports: { rooms: ['domain'], packages: [], pure: true },
  worker: { rooms: BASE, packages: [], pure: true },
  wake: { rooms: BASE, packages: ['hono', NODE_SERVER, 'standardwebhooks', 'eventsource'] },
  inbox: { rooms: BASE, packages: ['@modelcontextprotocol/client', 'zod'] },
  agent: { rooms: BASE, packages: ['execa', 'zod'] },
  gateway: { rooms: BASE, packages: [MCP, 'hono', 'zod'] },
  mailbox: { rooms: BASE, packages: ['kysely', 'better-sqlite3', 'pg'] },
  observe: { rooms: BASE, packages: ['pino', 'pino-pretty', 'prom-client', '@opentelemetry/api'] },
  // Starts programs and posts to addresses of the user's choice, which no other observer does: a room of its own.
  tell: { rooms: BASE, packages: ['execa', 'standardwebhooks'] },
  // Speaks to whoever started the process, of which there is one however many agents run: no part of an agent.
  service: { rooms: BASE, packages: ['execa'] },
  control: { rooms: BASE, packages: ['hono', 'uplot'] },
  config: { rooms: ['domain', 'lib'], packages: ['zod', 'dotenv'] },
  'local-inbox': {
    rooms: ['lib'],
    packages: [MCP, 'hono', NODE_SERVER, 'better-sqlite3', 'standardwebhooks', 'zod'],
  },
  rehearsal: { rooms: ['lib'], packages: ['hono', NODE_SERVER] },
  bridge: { rooms: BASE, packages: [MCP] },
  app: { rooms: [...BASE, 'worker', ...PARTS], packages: ['hono', NODE_SERVER] },
  // Looks at what the composition root would put together, with its own parts, and so stands above it.
  doctor: { rooms: [...BASE, 'app', 'agent', 'config', 'control', 'inbox', 'tell', 'wake'], packages: [] },
  cli: { rooms: [...BASE, 'app', 'bridge', 'doctor', ...PARTS], packages: ['commander', 'execa'] },
  main: { rooms: ['cli', 'lib'], packages: [] },
};

const MAX_LINES = 250;
const root = resolve(import.meta.dirname, '../src');
const builtins = new Set(builtinModules);

interface Source {
  readonly path: string;
  readonly room: string;
  readonly text: string;
}

const sources: Source[] = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => ({
    path: name,
    room: name.includes(sep) ? (name.split(sep)[0] ?? '') : 'main',
    text: readFileSync(join(root, name), 'utf8'),
  }));

function importsOf(text: string): string[] {
  const found = [
    ...text.matchAll(/^\s*(?:import|export)\b[^;'"]*?from\s*['"]([^'"]+)['"]/gms),
    ...text.matchAll(/^\s*import\s*['"]([^'"]+)['"]/gm),
    ...text.matchAll(/\bimport\(\s*['"]([^'"]+)['"]\s*\)/g),
  ];
  return found.map((match) => match[1] ?? '');
}

function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

/** Why this import is not allowed, or undefined when it is. */
function objection(source: Source, specifier: string): string | undefined {
  const room = TABLE[source.room];
  if (!room) return `the room ${source.room} is not in the table`;
  if (specifier.startsWith('.')) {
    const target = relative(root, resolve(root, dirname(source.path), specifier));
    if (target.startsWith('..')) return `${specifier} leaves src/`;
    const other = target.includes(sep) ? (target.split(sep)[0] ?? '') : 'main';
    return other === source.room || room.rooms.includes(other)
      ? undefined
      : `${source.room} may not import ${other}`;
  }
  if (specifier.startsWith('node:'))
    return room.pure ? `${source.room} is pure and imports ${specifier}` : undefined;
  if (builtins.has(specifier)) return `write node:${specifier}`;
  const name = packageOf(specifier);
  return room.packages.includes(name) ? undefined : `${source.room} may not import the package ${name}`;
}

describe('the rooms of src/', () => {
  it('import only what the table allows', () => {
    const objections = sources.flatMap((source) =>
      importsOf(source.text).flatMap((specifier) => {
        const why = objection(source, specifier);
        return why ? [`${source.path}: ${why}`] : [];
      }),
    );
    expect(objections).toEqual([]);
  });

  it('keep the pure rooms free of clock, timers and chance', () => {
    const impure =
      /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(|\bset(?:Timeout|Interval|Immediate)\(|\bprocess\.|\bcrypto\./;
    const found = sources.filter((source) => TABLE[source.room]?.pure && impure.test(source.text));
    expect(found.map((source) => source.path)).toEqual([]);
  });

  it('are small files that say their job in the first line', () => {
    const faults = sources.flatMap((source) => {
      const lines = source.text.split('\n');
      const caption = lines[0]?.startsWith('#!') ? lines[1] : lines[0];
      return [
        ...(lines.length - 1 > MAX_LINES ? [`${source.path} has ${lines.length - 1} lines`] : []),
        ...(caption?.match(/^\/\/ \S.{10,}/) ? [] : [`${source.path} has no caption`]),
      ];
    });
    expect(faults).toEqual([]);
  });

  it('would object: the checks themselves can fail', () => {
    const source: Source = { path: join('domain', 'x.ts'), room: 'domain', text: '' };
    expect(objection(source, '../worker/loop.js')).toBe('domain may not import worker');
    expect(objection(source, 'zod')).toBe('domain may not import the package zod');
    expect(objection(source, 'node:fs')).toContain('pure');
    expect(
      importsOf("import {\n  a,\n} from './b.js';\nexport * from './c.js';\nawait import('./d.js');"),
    ).toEqual(['./b.js', './c.js', './d.js']);
  });
});
