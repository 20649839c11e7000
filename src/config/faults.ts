// What is wrong with the settings: one sentence each, all of them in one error.
import { WorkerError } from '../domain/errors.js';
import { redact } from '../lib/redact.js';

export interface SettingFault {
  readonly code: 'setting-invalid' | 'setting-unknown';
  /** A whole sentence: where, which key, what stands there, what to write. */
  readonly sentence: string;
}

/** @throws WorkerError `setting-invalid` or, when all that is wrong are unknown keys, `setting-unknown` */
export function throwFaults(faults: readonly SettingFault[]): void {
  const [first] = faults;
  if (!first) return;
  const code = faults.some((fault) => fault.code === 'setting-invalid')
    ? 'setting-invalid'
    : 'setting-unknown';
  const message =
    faults.length === 1
      ? first.sentence
      : [`${faults.length} settings are wrong:`, ...faults.map((fault) => `- ${fault.sentence}`)].join('\n');
  throw new WorkerError(code, message);
}

/** A raw value as a sentence may show it: as JSON, cut when long. */
export function shown(raw: unknown, secret: boolean): string {
  if (secret) return '(hidden)';
  // A secret may stand inside a value that is none as a whole.
  const text = redact(JSON.stringify(raw) ?? String(raw));
  return text.length > 80 ? `${text.slice(0, 77)}…` : text;
}
