// What is said of an agent that has ended, beside the others that go on.
import type { RunEnd } from '../../worker/run-end.js';

export function farewell({ exitCode, text, error }: RunEnd, left: number): string {
  const others =
    ['No other agent is left.', 'One other agent goes on.'][left] ?? `${left} other agents go on.`;
  const how = `It has ended (${exitCode}): ${(error?.message ?? text).replace(/\.$/, '')}. ${others}`;
  return error ? `${how} Try: ${error.hint}` : how;
}
