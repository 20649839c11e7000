// Takes secrets out of text before it reaches a log, a file or a terminal.

const PATTERNS: readonly [RegExp, string][] = [
  [/\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{6,}/gi, '$1 [redacted]'],
  [/\bagentdm_[A-Za-z0-9]+/g, 'agentdm_[redacted]'],
  [/\bsk-[A-Za-z0-9_-]{8,}/g, 'sk-[redacted]'],
  [/\bwhsec_[A-Za-z0-9+/=]+/g, 'whsec_[redacted]'],
  [/(\/\/[^/\s:@]+:)[^/\s@]+@/g, '$1[redacted]@'],
  [/("?(?:authorization|api[_-]?key|token|secret|password)"?\s*[:=]\s*"?)[^"\s,}]{6,}/gi, '$1[redacted]'],
];

/** Replaces what looks like a secret, and every literal in `secrets` (of 6 characters or more), by `[redacted]`. */
export function redact(text: string, secrets: readonly string[] = []): string {
  let clean = text;
  for (const secret of secrets) {
    if (secret.length >= 6) clean = clean.replaceAll(secret, '[redacted]');
  }
  for (const [pattern, replacement] of PATTERNS) clean = clean.replace(pattern, replacement);
  return clean;
}
