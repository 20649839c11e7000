// Wakes: reasons to look. They carry no truth and may be merged, doubled or lost without harm.

export type WakeKind =
  | 'start'
  | 'timer'
  | 'webhook'
  | 'stream'
  | 'notification'
  | 'signal'
  | 'manual'
  | 'file';

export interface Wake {
  readonly kind: WakeKind;
  /** When it came, epoch ms. */
  readonly at: number;
}

/** Wakes that arrive by themselves when mail does; mail found without one is a missed wake. */
const ANNOUNCING: readonly WakeKind[] = ['webhook', 'stream', 'notification'];

export const announces = (kind: WakeKind): boolean => ANNOUNCING.includes(kind);

/** Why a webhook post is refused. */
export type WebhookRefusal =
  | 'method'
  | 'path'
  | 'too-large'
  | 'malformed'
  | 'unsigned'
  | 'stale'
  | 'signature';

/** A wake that comes this soon after its mail was found had merely lost the race: not a missed one. */
export const LATE_WAKE_MS = 10_000;

/** The kinds in `wakes`, each once, in order of first arrival: what a look says it was woken by. */
export function mergeWakes(wakes: readonly Wake[]): WakeKind[] {
  return [...new Set(wakes.map((wake) => wake.kind))];
}
