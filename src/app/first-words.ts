// What a person should know before the first look.
import type { ResolvedInbox, Settings } from '../config/index.js';
import type { WorkerEvent } from '../ports/observer.js';

/** The greeting, and then what to be warned of. */
export function firstWords(
  settings: Settings,
  inbox: Pick<ResolvedInbox, 'warnings'>,
  greeting: string | undefined,
): WorkerEvent[] {
  const { logBodies, delivery, pullScope } = settings;
  const warnings = [
    ...settings.warnings,
    ...inbox.warnings,
    ...(logBodies ? ['With log_bodies on, the log holds what people write and are answered.'] : []),
    ...(delivery === 'pull' && pullScope === 'all'
      ? [
          'With pull_scope "all" one turn sees what different senders wrote: an answer may tell one of another.',
        ]
      : []),
  ];
  return [
    ...(greeting === undefined ? [] : [{ type: 'notice', level: 'info', text: greeting } as const]),
    ...warnings.map((text) => ({ type: 'notice', level: 'warn', text }) as const),
  ];
}
