// Takes secrets, message bodies and terminal controls out of a log line just before it is written.
import { redact } from '../lib/redact.js';

/** Fields whose value is a secret, whatever it looks like. Plurals (`inputTokens`) are counts. */
const SECRET_FIELD = /^(?:.*(?:authorization|api[_-]?key|token|secret|password)|(?:set-)?cookie)$/i;

/** Fields in which the words of a message or a whole request travel. */
const BODY_FIELD = /^(?:text|body|prompt|headers)$/i;

/** Every control but tab and line feed: a stranger's name must not steer the terminal. */
const CONTROL = /(?![\t\n])[\p{Cc}\u{202a}-\u{202e}\u{2066}-\u{2069}]/gu;

/** Takes a line as pino writes it (one JSON object) and answers the same, cleaned. */
export function scrubber(
  secrets: readonly string[],
  options: { printable: boolean },
): (line: string) => object {
  const words = (text: string): string => {
    const clean = redact(text, secrets);
    return options.printable ? clean.replace(CONTROL, '�') : clean;
  };
  // Parsed, since a pattern run over JSON text may cut into its quotes and misses a secret that was escaped.
  const visit = (value: unknown, field: string): unknown => {
    if (BODY_FIELD.test(field)) return '[not logged]';
    if (typeof value === 'string') return SECRET_FIELD.test(field) ? '[redacted]' : words(value);
    if (Array.isArray(value)) return value.map((item) => visit(item, field));
    return typeof value === 'object' && value !== null ? fields(value) : value;
  };
  const fields = (object: object): object =>
    Object.fromEntries(Object.entries(object).map(([name, value]) => [words(name), visit(value, name)]));
  return (line) => {
    const parsed: unknown = JSON.parse(line);
    return typeof parsed === 'object' && parsed !== null ? fields(parsed) : {};
  };
}
