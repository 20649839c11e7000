// The human sentence of each event: the `msg` of a log line.
import type { WakeKind } from '../domain/wake.js';
import { counted, humanDollars, humanDuration } from '../lib/human.js';
import { oneLine } from '../lib/one-line.js';
import type { WorkerEvent } from '../ports/observer.js';

const WAKES: Record<WakeKind, string> = {
  start: 'the start',
  timer: 'the timer',
  webhook: 'a webhook',
  stream: 'the wake stream',
  notification: 'a notification',
  signal: 'a signal',
  manual: 'a command',
  file: 'a control file',
};

export const wakeName = (kind: WakeKind): string => WAKES[kind];

export type Ended = Extract<WorkerEvent, { type: 'turn-ended' }>;

/** `in 1.2 s for $0.003 with 1 model call`. @param free what it would cost is nobody's money */
export function effort(turn: Ended, free = false): string {
  const { costUsd, modelCalls } = turn.usage;
  const cost = free ? '' : ` for ${humanDollars(costUsd)}`;
  return `in ${humanDuration(turn.durationMs)}${cost} with ${counted(modelCalls, 'model call')}`;
}

/** One sentence about a turn: what became of its conversation, and what it took. */
export function turnSentence(turn: Ended, free = false): string {
  const took = effort(turn, free);
  const who = oneLine(turn.conversation, 80);
  const why = oneLine(turn.outcome);
  switch (turn.verdict) {
    case 'answered':
      return `answered ${who} ${took}`;
    case 'silent':
      return `left ${who} without an answer, as the agent chose, ${took}`;
    case 'retry':
      return `will try ${who} again (${why}) after a turn ${took}`;
    case 'dead':
      return `gave up on ${who} (${why}) after a turn ${took}`;
  }
}

/** Never holds a message body, since no event does. */
export function sentence(event: WorkerEvent): string {
  switch (event.type) {
    case 'started':
      return `watching the inbox ${oneLine(event.inbox)} for the agent in ${oneLine(event.folder)}`;
    case 'woken':
      return `woken by ${wakeName(event.kind)}`;
    case 'look-began':
      return `looking, woken by ${event.wokenBy.map(wakeName).join(' and ') || 'the timer'}`;
    case 'look-due':
      return 'the next look is sooner, since mail is likely';
    case 'looked': {
      if (event.fresh === 0) return 'looked: nothing new';
      const by = event.wokenBy.map(wakeName).join(' and ') || 'the timer';
      const missed = event.missed ? '; no wake had announced it' : '';
      return `looked, woken by ${by}: ${counted(event.fresh, 'new message')}${missed}`;
    }
    case 'look-failed':
      return `could not look (${event.outcome}): ${oneLine(event.text, 1000)}`;
    case 'hold-began':
      return `on hold, ${event.hold.reason}: ${oneLine(event.hold.why, 1000)}`;
    case 'hold-ended':
      return `hold over, ${event.hold.reason}, after ${humanDuration(event.at - event.hold.since)}`;
    case 'turn-began': {
      const again = event.attempt > 1 ? `, attempt ${event.attempt}` : '';
      return `answering ${counted(event.messages, 'message')} of ${oneLine(event.conversation, 80)}${again}`;
    }
    case 'turn-progress':
      return event.progress.tool === undefined
        ? `${counted(event.progress.outputTokens, 'token')} so far`
        : `running ${oneLine(event.progress.tool, 80)}`;
    case 'turn-ended':
      return turnSentence(event);
    case 'dead':
      return `${counted(event.messages.length, 'message')} of ${oneLine(event.conversation, 80)} dead after ${counted(event.attempts, 'attempt')}: ${oneLine(event.error)}`;
    case 'sent':
      return `sent ${event.kind}${event.part > 0 ? `, part ${event.part + 1},` : ''} to ${oneLine(event.to, 80)}`;
    case 'send-failed':
      return `not sent to ${oneLine(event.to, 80)}, now ${event.state}: ${oneLine(event.text)}`;
    case 'rescued':
      return `took up ${oneLine(event.conversation, 80)} where the last run broke off: ${oneLine(event.how)}`;
    case 'capped': {
      const { why, until } = event;
      const who = oneLine(event.conversation, 80);
      if (event.verdict === 'dead') return `gave up on ${who}: ${oneLine(why, 1000)}`;
      return `${who} waits${until === undefined ? '' : ` until ${new Date(until).toISOString()}`}: ${oneLine(why, 1000)}`;
    }
    case 'webhook-refused':
      return `refused a webhook post (${event.reason})`;
    case 'agent-ready':
      return 'Claude Code is ready';
    case 'agent-not-ready':
      return `Claude Code is not ready: ${oneLine(event.text)}`;
    case 'stopping':
      return `stopping (${event.how}): ${oneLine(event.text, 1000)}`;
    case 'stopped':
      return `stopped: ${oneLine(event.text, 1000)}`;
    case 'notice':
    case 'standing-by':
      return oneLine(event.text, 1000);
  }
}
