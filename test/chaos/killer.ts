// Whoever SIGKILLs: the worker, its Claude, the inbox; at any time, or at a moment that matters.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Dice } from '../simulation/chance.js';
import { processesWith } from '../support/agent-lab.js';
import type { Tally } from './options.js';
import type { Supervised } from './supervised.js';

export interface KillerOptions {
  readonly dice: Dice;
  readonly tally: Tally;
  readonly everyMs: number;
  readonly worker: Supervised;
  readonly inbox: Supervised;
  /** Stands in the command line of everything the run has started; for Claude, which is not ours to start. */
  readonly mark: string;
  /** Claude is in the middle of a turn. */
  inTurn(): boolean;
  /** Resolves at the next model call. */
  modelCall(): Promise<unknown>;
  /** Resolves at the next message that the agent has sent. */
  agentSent(): Promise<unknown>;
}

/** So many in a row without an answer in between, then one must come first: a worker that never lives proves nothing. */
const MOST_IN_A_ROW = 4;
const LONGEST_WAIT_MS = 30_000;

/** Kills until `signal` aborts. */
export async function killOnAndOff(options: KillerOptions, signal: AbortSignal): Promise<void> {
  const { dice, everyMs } = options;
  let inARow = 0;
  const watch = (): void => {
    void options.agentSent().then(() => {
      inARow = 0;
      if (!signal.aborted) watch();
    });
  };
  watch();
  while (!signal.aborted) {
    await pause(dice.between(everyMs * 0.4, everyMs * 1.6), signal);
    if (inARow >= MOST_IN_A_ROW) await atMost(options.agentSent(), LONGEST_WAIT_MS, signal);
    await moment(options, signal);
    if (signal.aborted) return;
    if (await killOne(options)) inARow += 1;
    if (!dice.chance(0.2)) continue;
    // Once more, while it is still getting up.
    await pause(dice.rather(100, 3_000), signal);
    if (!signal.aborted && (await killOne(options))) inARow += 1;
  }
}

/** Half of the time any moment will do; else shortly after a prompt has gone out, or after something was sent. */
async function moment(options: KillerOptions, signal: AbortSignal): Promise<void> {
  const { dice } = options;
  const fate = dice.next();
  if (fate < 0.5) return;
  await atMost(fate < 0.8 ? options.modelCall() : options.agentSent(), 5_000, signal);
  await pause(dice.between(0, 300), signal);
}

async function killOne({ dice, tally, worker, inbox, mark, inTurn }: KillerOptions): Promise<boolean> {
  const fate = dice.next();
  const when = inTurn() ? ' in a turn' : '';
  if (fate < 0.45) return counted(`worker${when}`, worker.kill(), tally);
  if (fate < 0.65) return counted(`inbox${when}`, inbox.kill(), tally);
  const ours = [worker.pid, inbox.pid];
  const claude = (await processesWith(mark)).filter((pid) => !ours.includes(pid)).at(-1);
  return counted(`claude${when}`, claude !== undefined && kill(claude), tally);
}

function counted(who: string, killed: boolean, tally: Tally): boolean {
  if (killed) tally.add(who);
  return killed;
}

function kill(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself in the meantime.
    return false;
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {});
}

async function atMost(event: Promise<unknown>, ms: number, signal: AbortSignal): Promise<void> {
  const enough = new AbortController();
  await Promise.race([event, pause(ms, AbortSignal.any([signal, enough.signal]))]);
  enough.abort();
}
