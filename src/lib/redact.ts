// Takes secrets out of text before it reaches a log, a file or a terminal.

const HIDDEN = '[redacted]';

/** A quote, as it stands in text, in JSON, and in JSON within JSON. */
const Q = String.raw`(?:\\*["'])?`;
const NAMES =
  'api[_-]?key|access[_-]?key(?:[_-]?id)?|private[_-]?key|token|secret|password|passwd|passphrase|credentials?|signature';

const PATTERNS: readonly [RegExp, string][] = [
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g, HIDDEN],
  // Scheme and credentials of whatever kind, Basic and Digest too; in a header, in JSON, in a curl command.
  [
    new RegExp(`((?:proxy-)?authorization${Q}\\s*[:=]\\s*${Q})(?:[A-Za-z]+ +)?[^"'\\s,}\\\\]+`, 'gi'),
    `$1${HIDDEN}`,
  ],
  [new RegExp(`\\b((?:set-)?cookie${Q}\\s*:\\s*${Q})[^"'\\r\\n\\\\]+`, 'gi'), `$1${HIDDEN}`],
  [/\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{6,}/gi, `$1 ${HIDDEN}`],
  // Keys that are known by their beginning.
  [/\bagentdm_[A-Za-z0-9]+/g, `agentdm_${HIDDEN}`],
  [/\bsk-[A-Za-z0-9_-]{8,}/g, `sk-${HIDDEN}`],
  [/\bwhsec_[A-Za-z0-9+/=]+/g, `whsec_${HIDDEN}`],
  [/\b(gh[opsur]|github_pat|glpat|xox[abeprs])([_-])[A-Za-z0-9_-]{10,}/g, `$1$2${HIDDEN}`],
  [/\b(AKIA|ASIA|AIza)[A-Za-z0-9_-]{12,}/g, `$1${HIDDEN}`],
  [/\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*/g, HIDDEN],
  // user:password@ of an address, also with an @ in the password; and a lone key before the @.
  [/(\/\/[^/\s:@]*:)[^/\s]*@/g, `$1${HIDDEN}@`],
  [/(\/\/)[^/\s:@]{16,}@/g, `$1${HIDDEN}@`],
  [/([?&](?:key|sig|auth|code)=)[^&#\s"']+/gi, `$1${HIDDEN}`],
  [new RegExp(`((?:${NAMES})${Q}=${Q})[^"'\\s,}&\\\\]+`, 'gi'), `$1${HIDDEN}`],
  [new RegExp(`((?:${NAMES})${Q}\\s*[:=]\\s*${Q})[^"'\\s,}\\\\]{6,}`, 'gi'), `$1${HIDDEN}`],
];

/** Shorter ones would hide half of every text; nobody's key is that short. */
const SHORTEST = 6;

/** Replaces what looks like a secret, and every literal in `secrets` (of 6 characters or more), by `[redacted]`. */
export function redact(text: string, secrets: readonly string[] = []): string {
  let clean = text;
  const found = secrets
    .filter((secret) => secret.length >= SHORTEST)
    .flatMap(spellings)
    .filter((spelling) => text.includes(spelling));
  // The longest first: where one is part of another, its replacement would leave the rest of the other.
  for (const spelling of found.sort((a, b) => b.length - a.length)) {
    clean = clean.replaceAll(spelling, HIDDEN);
  }
  for (const [pattern, replacement] of PATTERNS) clean = clean.replace(pattern, replacement);
  return clean;
}

/** As it is, as it stands in JSON, and as it stands in an address: for most keys the same, so this must be quick. */
function spellings(secret: string): readonly string[] {
  if (/^[\w.~-]*$/.test(secret)) return [secret];
  return [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret.toWellFormed())];
}
