// The Kubernetes example: of the shape that the API takes, locked, with time to end, and understood by the program.
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { loadSettings, resolveInbox } from '../../src/config/index.js';
import { SETTINGS } from '../../src/config/schema.js';
import { folderWith } from '../config/folder.js';
import { AFTER_DRAIN_MS, badWords, objection, ourVariables, textOf } from './known.js';

const TEXT = textOf('config/deploy/kubernetes/inbox-worker.yaml');
const SECRET_TEXT = textOf('config/deploy/kubernetes/secret.example.yaml');

interface Mount {
  readonly name: string;
  readonly mountPath: string;
  readonly subPath?: string;
}

interface Probe {
  readonly exec?: { readonly command: readonly string[] };
  readonly httpGet?: { readonly path: string; readonly port: string };
  readonly periodSeconds: number;
  readonly failureThreshold?: number;
}

interface Container {
  readonly image: string;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly startupProbe: Probe;
  readonly readinessProbe: Probe;
  readonly livenessProbe: Probe;
  readonly volumeMounts: readonly Mount[];
}

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly data: Readonly<Record<string, string>>;
  readonly stringData: Readonly<Record<string, string>>;
  // biome-ignore lint/suspicious/noExplicitAny: the shape is what these tests are about.
  readonly spec: any;
}

const documents = [...parseAllDocuments(TEXT), ...parseAllDocuments(SECRET_TEXT)];
const manifests = documents.map((document) => document.toJS() as Manifest);
const the = (kind: string): Manifest => {
  const found = manifests.filter((manifest) => manifest.kind === kind);
  if (found.length !== 1 || !found[0]) throw new Error(`${found.length} of kind ${kind}`);
  return found[0];
};
const set = the('StatefulSet').spec;
const pod = set.template.spec;
const [worker] = pod.containers as readonly [Container];
const WEBHOOK_PORT = SETTINGS.webhookPort.defaultOf({ cwd: '', home: '', env: {} });

/** No schema of Kubernetes is among our packages: what matters of a pod, by hand, and closed where a typo would hide. */
const probe = {
  type: 'object',
  additionalProperties: false,
  properties: {
    exec: {
      type: 'object',
      required: ['command'],
      additionalProperties: false,
      properties: { command: { type: 'array' } },
    },
    httpGet: {
      type: 'object',
      required: ['path', 'port'],
      additionalProperties: false,
      properties: { path: {}, port: {} },
    },
    ...Object.fromEntries(
      ['periodSeconds', 'timeoutSeconds', 'failureThreshold'].map((name) => [
        name,
        { type: 'integer', minimum: 1 },
      ]),
    ),
  },
};
const POD = {
  type: 'object',
  additionalProperties: false,
  required: ['terminationGracePeriodSeconds', 'securityContext', 'containers', 'volumes'],
  properties: {
    terminationGracePeriodSeconds: { type: 'integer' },
    automountServiceAccountToken: { const: false },
    enableServiceLinks: { const: false },
    securityContext: {
      type: 'object',
      additionalProperties: false,
      required: ['runAsNonRoot', 'runAsUser', 'fsGroup', 'seccompProfile'],
      properties: {
        runAsNonRoot: { const: true },
        runAsUser: { const: 1000 },
        runAsGroup: { const: 1000 },
        fsGroup: { const: 1000 },
        fsGroupChangePolicy: { enum: ['OnRootMismatch', 'Always'] },
        seccompProfile: { const: { type: 'RuntimeDefault' } },
      },
    },
    volumes: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['name'],
        properties: { name: {}, configMap: { type: 'object' }, emptyDir: { type: 'object' } },
      },
    },
    containers: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: [
          'name',
          'image',
          'args',
          'securityContext',
          'startupProbe',
          'livenessProbe',
          'readinessProbe',
        ],
        properties: {
          ...Object.fromEntries(['name', 'image'].map((name) => [name, { type: 'string' }])),
          ...Object.fromEntries(
            ['args', 'env', 'envFrom', 'ports', 'volumeMounts'].map((name) => [name, { type: 'array' }]),
          ),
          startupProbe: probe,
          livenessProbe: probe,
          readinessProbe: probe,
          resources: { type: 'object', required: ['requests', 'limits'] },
          securityContext: {
            const: {
              allowPrivilegeEscalation: false,
              readOnlyRootFilesystem: true,
              capabilities: { drop: ['ALL'] },
            },
          },
        },
      },
    },
  },
};

it('is YAML without an error, and a pod of the shape that the API takes', () => {
  expect(documents.flatMap(({ errors, warnings }) => [...errors, ...warnings])).toEqual([]);
  const valid = new Ajv2020({ allErrors: true }).compile(POD);
  valid(pod);
  expect(valid.errors ?? []).toEqual([]);
  expect(valid({ ...pod, containers: [{ ...worker, livenessprobe: {} }] })).toBe(false);
});

it('is one worker, which is gone before the next one comes', () => {
  expect([set.replicas, set.updateStrategy.type, set.serviceName]).toEqual([
    1,
    'RollingUpdate',
    the('Service').metadata.name,
  ]);
  const labels = set.template.metadata.labels;
  expect([set.selector.matchLabels, the('Service').spec.selector]).toEqual([labels, labels]);
  const drainMs = SETTINGS.drainMs.defaultOf({ cwd: '', home: '', env: {} });
  expect(pod.terminationGracePeriodSeconds * 1000).toBeGreaterThanOrEqual(drainMs + AFTER_DRAIN_MS);
  expect(set.volumeClaimTemplates[0].spec.accessModes).toEqual(['ReadWriteOnce']);
});

it('runs the image of this version, by words and with variables that there are', async () => {
  const { version } = JSON.parse(textOf('package.json')) as { version: string };
  expect(worker.image).toBe(`inbox-worker:${version}`);
  expect(await badWords(worker.args)).toEqual([]);
  expect(worker.env.map(({ name, value }) => objection(name, value)).filter(Boolean)).toEqual([]);
  expect(
    Object.keys(the('Secret').stringData)
      .map((name) => objection(name))
      .filter(Boolean),
  ).toEqual([]);
  expect(Object.values(the('Secret').stringData)).toEqual(['', '', '']);
  expect(
    ourVariables(TEXT)
      .map((name) => objection(name))
      .filter(Boolean),
  ).toEqual([]);
});

describe('the probes', () => {
  it('ask where the receiver listens, which others reach and which therefore has a secret', () => {
    expect(worker.env).toContainEqual({ name: 'INBOX_WORKER_WEBHOOK_HOST', value: '0.0.0.0' });
    expect(Object.keys(the('Secret').stringData)).toContain('WEBHOOK_SECRET');
    expect(worker.ports).toEqual([{ name: 'webhook', containerPort: WEBHOOK_PORT }]);
    expect(worker.readinessProbe.httpGet).toEqual({ path: '/healthz', port: 'webhook' });
    expect(the('Service').spec.ports[0].targetPort).toBe('webhook');
  });

  it('do not restart what waits, and give a standby the time until a lease is stale', () => {
    const path = '/app/config/deploy/healthcheck.mjs';
    for (const { exec } of [worker.startupProbe, worker.livenessProbe]) {
      expect(exec?.command).toEqual(['node', path, '--alive']);
    }
    const { periodSeconds, failureThreshold = 3 } = worker.startupProbe;
    const stale = /INBOX_WORKER_LEASE_STALE=(\d+)s/.exec(textOf('config/deploy/Dockerfile'))?.[1];
    expect(periodSeconds * failureThreshold).toBeGreaterThanOrEqual(Number(stale) + 180);
  });
});

it('gives the worker an agent folder that it understands, and room to write', async () => {
  const { data } = the('ConfigMap');
  const mounts = worker.volumeMounts;
  const inFolder = mounts.filter(({ name }) => name === 'agent');
  const files = Object.fromEntries(
    inFolder.map(({ mountPath, subPath }) => [mountPath.replace('/agent/', ''), data[subPath ?? '']]),
  );
  expect(Object.keys(files)).toEqual(['.mcp.json', 'config/worker.json', 'CLAUDE.md']);
  const dir = await folderWith(files);
  const env = { HOME: dir, AGENTDM_API_KEY: 'agentdm_x' };
  const settings = await loadSettings({ flags: {}, env, cwd: dir });
  expect((await resolveInbox(settings, env))?.server).toMatchObject({
    url: JSON.parse(textOf('.mcp.json.example')).mcpServers.agentdm.url,
  });
  // The root file system is read-only: these are what the image and Claude Code write to.
  const writable = mounts.filter(({ name }) => name !== 'agent').map(({ mountPath }) => mountPath);
  expect(writable.sort()).toEqual(['/agent', '/home/node', '/state', '/tmp']);
  for (const wanted of ['INBOX_WORKER_STATE_DIR=/state', 'INBOX_WORKER_DIR=/agent', 'HOME=/home/node']) {
    expect(textOf('config/deploy/Dockerfile')).toContain(wanted);
  }
  const names = [
    ...pod.volumes.map(({ name }: { name: string }) => name),
    set.volumeClaimTemplates[0].metadata.name,
  ];
  expect(mounts.filter(({ name }) => !names.includes(name))).toEqual([]);
});
