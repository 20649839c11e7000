// The control files of the agent's folder: did-work, clear-session, wake, stop, pause.

export type EventFlag = 'did-work' | 'clear-session' | 'wake' | 'stop';

export interface Flags {
  /** Takes away an event flag; true when one of this run was there. Older ones are reported and ignored. */
  take(flag: EventFlag): Promise<boolean>;
  /** `pause` is a state, not an event: it stays until somebody removes it. */
  paused(): Promise<boolean>;
}
