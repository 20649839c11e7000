// A line about a running program: its shape on disk, and reading it from whatever a file holds.
import type { ProcessHome } from '../lib/process-identity.js';

export type RunningKind = 'worker' | 'rehearsal' | 'inbox';

const KINDS: readonly string[] = ['worker', 'rehearsal', 'inbox'] satisfies RunningKind[];

export interface RunningEntry {
  readonly kind: RunningKind;
  readonly pid: number;
  /** Start time of that pid as the system counts it: pids come again. */
  readonly processStart: string;
  readonly startedAt: number;
  /** The agent's folder; for an inbox, the folder it was started in. */
  readonly folder: string;
  /** The inbox identity of the state folder. */
  readonly identity: string;
  /** The inbox's name in .mcp.json. */
  readonly inboxName: string;
  /** The root of its state, where it has a store: a rehearsal keeps its own. */
  readonly stateRoot?: string;
  /** The agent's own name: always there where one process runs several. */
  readonly name?: string;
  /** The private listener (of several agents in one process: with this one's path), and the token of this run. */
  readonly control?: { readonly url: string; readonly token: string };
  /** An embedded inbox and the keys of its aliases (`@you` → key). */
  readonly inbox?: { readonly url: string; readonly keys: Readonly<Record<string, string>> };
  /** The agent's own name in that inbox. */
  readonly agentAlias?: string;
  /** Where it runs; filled in when it is written. */
  readonly home?: ProcessHome;
}

/** The entry that `text` holds, or undefined when it is anything else. Unknown fields are dropped. */
export function parseEntry(text: string): RunningEntry | undefined {
  const value = record(parsed(text));
  const { kind, pid, startedAt } = value;
  const control = record(value.control);
  const inbox = record(value.inbox);
  const home = record(value.home);
  if (typeof kind !== 'string' || !KINDS.includes(kind)) return undefined;
  if (typeof pid !== 'number' || !Number.isInteger(pid) || pid <= 0) return undefined;
  if (typeof startedAt !== 'number') return undefined;
  const texts = [value.processStart, value.folder, value.identity, value.inboxName];
  if (!texts.every((text) => typeof text === 'string')) return undefined;
  return {
    kind: kind as RunningKind,
    pid,
    startedAt,
    processStart: String(value.processStart),
    folder: String(value.folder),
    identity: String(value.identity),
    inboxName: String(value.inboxName),
    ...(typeof value.stateRoot === 'string' ? { stateRoot: value.stateRoot } : {}),
    ...(typeof value.name === 'string' ? { name: value.name } : {}),
    ...(typeof control.url === 'string' && typeof control.token === 'string'
      ? { control: { url: control.url, token: control.token } }
      : {}),
    ...(typeof inbox.url === 'string' ? { inbox: { url: inbox.url, keys: strings(inbox.keys) } } : {}),
    ...(typeof value.agentAlias === 'string' ? { agentAlias: value.agentAlias } : {}),
    ...(typeof home.host === 'string'
      ? {
          home: {
            host: home.host,
            bootId: String(home.bootId ?? ''),
            pidNamespace: String(home.pidNamespace ?? ''),
          },
        }
      : {}),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function strings(value: unknown): Record<string, string> {
  const entries = Object.entries(record(value));
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
