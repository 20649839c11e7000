// May a call be made a second time without harm?
import type { RemoteTool } from './session.js';

const KEY = 'idempotency_key';

/**
 * Yes, where the tool says that it only reads, or where the call carries an idempotency key that the tool knows. An
 * unknown argument would be dropped unread, and the key with it.
 */
export function mayRepeat(
  tool: RemoteTool | undefined,
  args: Readonly<Record<string, unknown>> | undefined,
): boolean {
  if (field(tool?.annotations, 'readOnlyHint') === true) return true;
  const key = args?.[KEY];
  const knowsKey = field(field(tool?.inputSchema, 'properties'), KEY) !== undefined;
  return knowsKey && typeof key === 'string' && key !== '';
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
