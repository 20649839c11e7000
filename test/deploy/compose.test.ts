// compose.yaml: of the shape that Compose reads, shut to the outside, and understood by the program as it is meant.
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { webhookOf } from '../../src/cli/inbox-options.js';
import { LOCAL_INBOX_PORT as DEFAULT_PORT, loadSettings, resolveInbox } from '../../src/config/index.js';
import { SETTINGS } from '../../src/config/schema.js';
import { parseDuration } from '../../src/config/values.js';
import { webhookReceiver } from '../../src/wake/index.js';
import { folderWith } from '../config/folder.js';
import { VirtualClock } from '../support/virtual-clock.js';
import { AFTER_DRAIN_MS, badWords, objection, ourVariables, textOf } from './known.js';

interface Service {
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes: readonly string[];
  readonly ports: readonly string[];
  readonly hostname: string;
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly [key: string]: unknown;
}

interface Compose {
  readonly services: { readonly inbox: Service; readonly worker: Service };
  readonly volumes: Readonly<Record<string, unknown>>;
}

const TEXT = textOf('config/deploy/compose.yaml');
const compose = parse(TEXT, { merge: true }) as Compose;
const { inbox, worker } = compose.services;
const WEBHOOK_PORT = SETTINGS.webhookPort.defaultOf({ cwd: '', home: '', env: {} });

/** The part of the Compose specification that this file uses, closed: a key it does not know is an error. */
const SHAPE = {
  type: 'object',
  required: ['services', 'volumes'],
  additionalProperties: false,
  patternProperties: { '^x-': true },
  properties: {
    name: { type: 'string', pattern: '^[a-z0-9][a-z0-9_-]*$' },
    volumes: { type: 'object', additionalProperties: { type: 'null' } },
    services: { type: 'object', additionalProperties: { $ref: '#/$defs/service' } },
  },
  $defs: {
    texts: { type: 'array', items: { type: 'string' }, uniqueItems: true },
    duration: { type: 'string', pattern: '^([0-9]+(ms|s|m|h))+$' },
    service: {
      type: 'object',
      additionalProperties: false,
      required: ['image', 'read_only', 'cap_drop', 'security_opt'],
      properties: {
        image: { type: 'string' },
        build: {
          type: 'object',
          additionalProperties: false,
          properties: { context: { type: 'string' }, dockerfile: { type: 'string' } },
        },
        command: { $ref: '#/$defs/texts' },
        hostname: { type: 'string' },
        restart: { enum: ['no', 'always', 'on-failure', 'unless-stopped'] },
        read_only: { const: true },
        tmpfs: { $ref: '#/$defs/texts' },
        cap_drop: { const: ['ALL'] },
        security_opt: { const: ['no-new-privileges:true'] },
        environment: { type: 'object', additionalProperties: { type: 'string' } },
        env_file: { $ref: '#/$defs/texts' },
        volumes: { $ref: '#/$defs/texts' },
        ports: { type: 'array', items: { type: 'string', pattern: '^127\\.0\\.0\\.1:[0-9]+:[0-9]+$' } },
        stop_grace_period: { $ref: '#/$defs/duration' },
        depends_on: {
          type: 'object',
          additionalProperties: {
            type: 'object',
            additionalProperties: false,
            properties: { condition: { enum: ['service_started', 'service_healthy'] } },
          },
        },
        healthcheck: {
          type: 'object',
          additionalProperties: false,
          properties: {
            test: { type: 'array', items: { type: 'string' }, minItems: 2 },
            interval: { $ref: '#/$defs/duration' },
            timeout: { $ref: '#/$defs/duration' },
            retries: { type: 'integer' },
          },
        },
      },
    },
  },
};

it('has the shape that Compose reads; every port is published to this machine alone', () => {
  const valid = new Ajv2020({ allErrors: true }).compile(SHAPE);
  valid(compose);
  expect(valid.errors ?? []).toEqual([]);
  // It would object.
  expect(valid({ services: { a: { ...inbox, ports: ['8790:8790'] } }, volumes: {} })).toBe(false);
});

it('names only variables and volumes that there are', () => {
  const variables = [inbox, worker].flatMap(({ environment = {} }) => Object.entries(environment));
  const faults = variables.map(([name, value]) =>
    objection(name, value.startsWith('${') ? undefined : value),
  );
  expect(faults.filter(Boolean)).toEqual([]);
  expect(
    ourVariables(TEXT)
      .map((name) => objection(name))
      .filter(Boolean),
  ).toEqual([]);
  const named = [inbox, worker].flatMap(({ volumes }) => volumes.map((volume) => volume.split(':')[0] ?? ''));
  expect(named.filter((name) => !name.startsWith('./')).sort()).toEqual(Object.keys(compose.volumes).sort());
});

it('tells in its head only what can be typed', async () => {
  const typed = [
    ...TEXT.matchAll(/^# .*docker compose (?:run .*?|exec \w+ )(?:inbox-worker )?(inbox|send) (.*)$/gm),
  ];
  const faults = typed.map(([, command, rest]) =>
    badWords([command ?? '', ...(rest ?? '').replace(/ >>.*|"[^"]*"/g, '').split(' ')]),
  );
  expect(typed).toHaveLength(2);
  expect((await Promise.all(faults)).flat()).toEqual([]);
});

describe('the inbox', () => {
  it('is started by words that there are, for the network and with a webhook to the worker', async () => {
    const words = inbox.command ?? [];
    expect(await badWords(words)).toEqual([]);
    expect(words[words.indexOf('--host') + 1]).toBe('0.0.0.0');
    expect(words).toContain('--quiet');
    const { url } = webhookOf(words[words.indexOf('--webhook') + 1] ?? '', 'whsec_x');
    expect(url).toBe(`http://${worker.hostname}:${WEBHOOK_PORT}/webhook`);
  });

  it('is published and looked after on the port it listens on', () => {
    expect(inbox.ports).toEqual([`127.0.0.1:${DEFAULT_PORT}:${DEFAULT_PORT}`]);
    expect(inbox.healthcheck?.test.at(-1)).toBe(`http://127.0.0.1:${DEFAULT_PORT}/healthz`);
  });
});

describe('the worker', () => {
  /** What stands in the container: the files of the agent, the variables, and a `.env` as the head says. */
  async function inContainer(env: Record<string, string>) {
    const dir = await folderWith({
      '.mcp.json': textOf('config/deploy/agent/mcp.json'),
      'config/worker.json': textOf('config/deploy/agent/worker.json'),
    });
    const all = { HOME: dir, ...worker.environment, ...env };
    const settings = await loadSettings({ flags: {}, env: all, cwd: dir });
    return { settings, inbox: await resolveInbox(settings, all) };
  }

  it('finds the inbox by its entry, and understands its settings', async () => {
    const { settings, inbox: entry } = await inContainer({ AGENTDM_API_KEY: 'agentdm_x' });
    expect(settings.warnings).toEqual([]);
    expect(entry).toMatchObject({
      name: 'agentdm',
      server: { type: 'http', url: `http://${inbox.hostname}:${DEFAULT_PORT}/mcp/v1/grid` },
    });
    expect(worker.volumes).toContain('./agent/mcp.json:/agent/.mcp.json:ro');
    expect(worker.volumes).toContain('./agent/worker.json:/agent/config/worker.json:ro');
  });

  it('is reached by the inbox, and refuses to be without a secret', async () => {
    const receive = async (env: Record<string, string>) => {
      const { settings } = await inContainer({ AGENTDM_API_KEY: 'agentdm_x', ...env });
      expect(settings.webhookHost).toBe('0.0.0.0');
      return webhookReceiver({
        host: settings.webhookHost,
        secrets: settings.webhookSecret,
        deliveries: { remember: async () => true },
        clock: new VirtualClock(),
        observer: { on: () => {} },
      });
    };
    await expect(receive({})).rejects.toThrow('without a secret');
    expect(
      await receive({ WEBHOOK_SECRET: `whsec_${Buffer.alloc(32, 1).toString('base64')}` }),
    ).toBeDefined();
    expect(worker.ports).toEqual([`127.0.0.1:${WEBHOOK_PORT}:${WEBHOOK_PORT}`]);
  });

  it('has time to end', () => {
    const drainMs = SETTINGS.drainMs.defaultOf({ cwd: '', home: '', env: {} });
    expect(parseDuration(worker.stop_grace_period)).toBeGreaterThanOrEqual(drainMs + AFTER_DRAIN_MS);
  });
});
