// What a person should know before the first look, and after a reload.
import type { ResolvedInbox, Settings } from '../config/index.js';
import type { WorkerEvent } from '../ports/observer.js';

/** The greeting, and then what to be warned of. */
export function firstWords(
  settings: Settings,
  inbox: Pick<ResolvedInbox, 'warnings'>,
  greeting: string | undefined,
): WorkerEvent[] {
  return [
    ...(greeting === undefined ? [] : [{ type: 'notice', level: 'info', text: greeting } as const]),
    ...warningsOf(settings, inbox).map((text) => ({ type: 'notice', level: 'warn', text }) as const),
  ];
}

export function warningsOf(settings: Settings, inbox: Pick<ResolvedInbox, 'warnings'>): string[] {
  const { logBodies, delivery, pullScope } = settings;
  return [
    ...settings.warnings,
    ...inbox.warnings,
    ...(logBodies ? ['With log_bodies on, the log holds what people write and are answered.'] : []),
    ...(delivery === 'pull' && pullScope === 'all'
      ? [
          'With pull_scope "all" one turn sees what different senders wrote: an answer may tell one of another.',
        ]
      : []),
  ];
}
