// What a worker is doing, in words for one line: followed from its events, told for any instant.
import { blocking, type Hold, type HoldReason } from '../domain/hold.js';
import { counted, humanCount, humanDollars, humanDuration } from '../lib/human.js';
import { oneLine } from '../lib/one-line.js';
import type { WorkerEvent } from '../ports/observer.js';

interface OpenTurn {
  readonly who: string;
  readonly beganAt: number;
  /** Its conversations that have not ended. */
  left: number;
  tool: string | undefined;
  tokens: number;
}

export class LiveState {
  readonly #turns = new Map<string, OpenTurn>();
  readonly #holds = new Map<HoldReason, Hold>();
  #phase: 'starting' | 'running' | 'stopping' | 'stopped' = 'starting';
  /** Why it has not started yet, where it waits for another worker. */
  #waits: string | undefined;
  #ready = false;
  #looking = false;
  #nextAt: number | undefined;
  #done = { turns: 0, costUsd: 0 };

  follow(event: WorkerEvent, now: number): void {
    switch (event.type) {
      case 'standing-by':
        this.#waits = event.text;
        break;
      case 'started':
        this.#phase = 'running';
        break;
      case 'agent-ready':
        this.#ready = true;
        break;
      case 'look-began':
        this.#looking = true;
        break;
      case 'looked':
      case 'look-failed':
        this.#looking = false;
        this.#nextAt = event.nextAt;
        break;
      case 'look-due':
        this.#nextAt = event.nextAt;
        break;
      case 'hold-began':
        this.#holds.set(event.hold.reason, event.hold);
        break;
      case 'hold-ended':
        this.#holds.delete(event.hold.reason);
        break;
      case 'turn-began':
        this.#began(event.turnId, event.conversation, now);
        break;
      case 'turn-progress': {
        const turn = this.#turns.get(event.turnId);
        if (turn) Object.assign(turn, { tool: event.progress.tool, tokens: event.progress.outputTokens });
        break;
      }
      case 'turn-ended':
        this.#ended(event.turnId, event.usage.costUsd);
        break;
      case 'stopping':
      case 'stopped':
        this.#phase = event.type;
        break;
    }
  }

  /** One line without controls; nothing once the worker has stopped. */
  line(now: number): string {
    if (this.#phase === 'stopped') return '';
    const doing = this.#doing(now);
    const { turns, costUsd } = this.#done;
    const done = turns > 0 ? ` · ${counted(turns, 'turn')}, ${humanDollars(costUsd)}` : '';
    return `${this.#phase === 'stopping' ? 'stopping: ' : ''}${doing}${done}`;
  }

  #doing(now: number): string {
    const [turn] = this.#turns.values();
    if (turn) return this.#working(turn, now);
    if (this.#phase === 'stopping') return 'ending Claude Code';
    const hold = blocking(this.#holds, now) ?? [...this.#holds.values()][0];
    if (hold) return `on hold, ${hold.reason}${until(hold, now)}: ${oneLine(hold.why, 200)}`;
    if (this.#phase === 'starting') {
      return this.#waits === undefined ? 'starting' : `standing by: ${oneLine(this.#waits, 200)}`;
    }
    if (this.#looking) return 'looking into the inbox';
    if (!this.#ready) return 'starting Claude Code';
    return `idle: ${nextLook(this.#nextAt, now)}`;
  }

  #working(turn: OpenTurn, now: number): string {
    const facts = [
      ...(turn.tool === undefined ? [] : [`tool ${toolName(turn.tool)}`]),
      `${humanCount(turn.tokens)} ${turn.tokens === 1 ? 'token' : 'tokens'}`,
      wholeSeconds(now - turn.beganAt),
    ];
    const others = turn.left > 1 ? ` and ${turn.left - 1} more` : '';
    const beside = this.#turns.size > 1 ? `; ${counted(this.#turns.size - 1, 'other turn')}` : '';
    return `working on ${turn.who}${others}: ${facts.join(', ')}${beside}`;
  }

  #began(turnId: string, conversation: string, now: number): void {
    const known = this.#turns.get(turnId);
    if (known) known.left += 1;
    else {
      const who = oneLine(conversation, 80);
      this.#turns.set(turnId, { who, beganAt: now, left: 1, tool: undefined, tokens: 0 });
    }
  }

  #ended(turnId: string, costUsd: number): void {
    const turn = this.#turns.get(turnId);
    this.#done.costUsd += costUsd;
    if (turn) turn.left -= 1;
    if (turn && turn.left > 0) return;
    this.#turns.delete(turnId);
    this.#done.turns += 1;
  }
}

function nextLook(at: number | undefined, now: number): string {
  if (at === undefined || !Number.isFinite(at)) return 'waiting for a message';
  return at <= now ? 'next look now' : `next look in ${wholeSeconds(at - now)}`;
}

function until({ until }: Hold, now: number): string {
  if (until === undefined) return '';
  return until <= now ? ', trying again' : `, tried again in ${wholeSeconds(until - now)}`;
}

/** A line that is drawn anew each second has no use for fractions of one. */
const wholeSeconds = (ms: number): string =>
  ms < 1000 ? `${Math.max(0, Math.ceil(ms / 1000))} s` : humanDuration(Math.round(ms / 1000) * 1000);

/** `send_dm` of `mcp__agentdm__send_dm`: the server is the inbox, or the name would not fit anyway. */
const toolName = (tool: string): string => oneLine(tool.replace(/^mcp__.+?__/, ''), 40);
