// The worker's events as lines of a story; what happens all the time is left out.
import type { WorkerEvent } from '../../src/ports/observer.js';

export function tellEvent(event: WorkerEvent): string | undefined {
  switch (event.type) {
    case 'looked':
      return event.fresh > 0 ? `looked: ${event.fresh} new, ${event.known} known` : undefined;
    case 'look-failed':
      return `look failed: ${event.outcome}`;
    case 'hold-began':
      return `hold ${event.hold.reason} began`;
    case 'hold-ended':
      return `hold ${event.hold.reason} ended`;
    case 'turn-began':
      return `prompt for claim ${event.claimId} of ${event.conversation} (${event.mode}, attempt ${event.attempt})`;
    case 'turn-ended':
      return `claim ${event.claimId}: ${event.verdict}, the turn ${event.outcome}`;
    case 'send-failed':
      return `send to ${event.to}: ${event.state} (${event.text})`;
    case 'rescued':
      return `rescued claim ${event.claimId}: ${event.how}`;
    case 'agent-not-ready':
      return `agent not ready: ${event.text}`;
    case 'stopping':
      return `stopping by ${event.how}: ${event.text}`;
    case 'notice':
      return event.text;
    default:
      return undefined;
  }
}
