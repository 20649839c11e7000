// What a worker is doing, followed from its events: the content of progress.json.
import type { Hold } from '../domain/hold.js';
import { oneLine } from '../lib/one-line.js';
import type { WorkerEvent } from '../ports/observer.js';

/** Instants are ISO text here, not epoch ms: people and Claude read this. */
export interface Progress {
  state: 'starting' | 'idle' | 'working' | 'on hold' | 'stopping' | 'stopped';
  updatedAt: string;
  startedAt: string;
  holds: { reason: string; why: string; since: string; until?: string }[];
  turn?: {
    conversation: string;
    messages: number;
    attempt: number;
    startedAt: string;
    tool?: string;
    outputTokens: number;
  };
  lastTurn?: { conversation: string; verdict: string; endedAt: string; seconds: number; costUsd: number };
  look?: { at: string; newMessages: number; nextAt?: string };
  /** Of this run. */
  totals: { turns: number; costUsd: number; modelCalls: number };
}

/** Follows the events. `follow` answers whether the file should be written; `snapshot` is what to write. */
export interface ProgressTracker {
  follow(event: WorkerEvent, at: number): boolean;
  snapshot(): Progress;
}

export function progressTracker(startedAt: number): ProgressTracker {
  const holds = new Map<string, Hold>();
  const totals = { turns: 0, costUsd: 0, modelCalls: 0 };
  let phase: 'starting' | 'running' | 'stopping' | 'stopped' = 'starting';
  let updatedAt = startedAt;
  let turn: Progress['turn'];
  let lastTurn: Progress['lastTurn'];
  let look: Progress['look'];

  const take = (event: WorkerEvent, at: number): boolean => {
    switch (event.type) {
      case 'started':
        phase = 'running';
        return true;
      case 'looked':
        look = { at: iso(at), newMessages: event.fresh, ...when('nextAt', event.nextAt) };
        return true;
      case 'look-due':
        if (!look) return false;
        look = { at: look.at, newMessages: look.newMessages, ...when('nextAt', event.nextAt) };
        return true;
      case 'hold-began':
        holds.set(event.hold.reason, event.hold);
        return true;
      case 'hold-ended':
        return holds.delete(event.hold.reason);
      case 'turn-began': {
        const { messages, attempt } = event;
        turn = {
          conversation: name(event.conversation),
          messages,
          attempt,
          startedAt: iso(at),
          outputTokens: 0,
        };
        return true;
      }
      case 'turn-progress':
        return progressed(event.progress.tool && name(event.progress.tool), event.progress.outputTokens);
      case 'turn-ended': {
        const { verdict, durationMs, usage } = event;
        turn = undefined;
        lastTurn = {
          conversation: name(event.conversation),
          verdict,
          endedAt: iso(at),
          seconds: durationMs / 1000,
          costUsd: usage.costUsd,
        };
        totals.turns += 1;
        totals.costUsd += usage.costUsd;
        totals.modelCalls += usage.modelCalls;
        return true;
      }
      case 'stopping':
      case 'stopped':
        phase = event.type;
        return true;
      default:
        return false;
    }
  };

  /** Tokens alone come with every frame, and a synced write for each would be more work than the turn. */
  const progressed = (tool: string | undefined, outputTokens: number): boolean => {
    if (!turn) return false;
    const changed = turn.tool !== tool;
    const { tool: _before, ...rest } = turn;
    turn = { ...rest, ...(tool === undefined ? {} : { tool }), outputTokens };
    return changed;
  };

  const state = (): Progress['state'] => {
    if (phase !== 'running') return phase;
    if (turn) return 'working';
    return holds.size > 0 ? 'on hold' : 'idle';
  };

  return {
    follow(event, at) {
      const changed = take(event, at);
      if (changed) updatedAt = at;
      return changed;
    },
    snapshot: () => ({
      state: state(),
      updatedAt: iso(updatedAt),
      startedAt: iso(startedAt),
      holds: [...holds.values()].map(({ reason, why, since, until }) => ({
        reason,
        why: oneLine(why, 1000),
        since: iso(since),
        ...when('until', until),
      })),
      ...(turn ? { turn } : {}),
      ...(lastTurn ? { lastTurn } : {}),
      ...(look ? { look } : {}),
      totals: { ...totals },
    }),
  };
}

/** Others choose names, and may choose long ones. */
const name = (text: string): string => oneLine(text, 200);

const iso = (at: number): string => new Date(at).toISOString();

/** A field that is left out where the instant is unknown or never comes. */
function when<Name extends string>(name: Name, at: number | undefined): Partial<Record<Name, string>> {
  if (at === undefined || !Number.isFinite(at)) return {};
  return { [name]: iso(at) } as Record<Name, string>;
}
