// Knows a key that is none: what stands in an example until somebody puts the real one there.

/** Whole values only, but for `Bearer` before and a prefix such as `agentdm_`: a real key must never fit. */
const PLACEHOLDER = new RegExp(
  [
    '^(?:bearer\\s+)?',
    '((?:[a-z]{2,10}[_-])?',
    '(?:…|\\.{3,}|x{3,}|\\*{3,}|<[^<>]*>|your[-_ ].*|my[-_ ](?:api[-_ ])?key|change[-_ ]?me|replace[-_ ]?me|todo|put[-_ ].*here))$',
  ].join(''),
  'i',
);

/** The placeholder that a value of a header or of a variable is, if it is one. */
export function placeholderIn(value: string): string | undefined {
  return PLACEHOLDER.exec(value.trim())?.[1];
}
