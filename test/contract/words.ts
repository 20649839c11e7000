// Words that documents use, written out once more: a word that is renamed in src/ must be seen to break a contract.
export const HOLD_REASONS = [
  'limited',
  'credit-exhausted',
  'over-budget',
  'max-iterations',
  'paused',
  'agent-unauthorised',
  'inbox-unauthorised',
  'inbox-down',
  'agent-not-ready',
  'disk-full',
  'store-down',
  'lease-lost',
  'done',
] as const;

export const WAKE_KINDS = [
  'start',
  'timer',
  'webhook',
  'stream',
  'notification',
  'signal',
  'manual',
  'file',
] as const;

export const MESSAGE_STATES = ['waiting', 'claimed', 'retry', 'answered', 'silent', 'dead'] as const;
