// Carries a server's own words past the SDK's schemas, and reads them loosely: one odd detail must not cost the rest.
import { z } from 'zod';
import type { Tool, ToolResult } from './call.js';

type Result = Record<string, unknown>;

const RAW = 'mcp-inbox-worker/raw';

/** The least that the SDK takes for a result of each method we read ourselves, in either era. */
const LEAST: Readonly<Record<string, Result>> = {
  'tools/call': { content: [] },
  'tools/list': { tools: [], ttlMs: 0, cacheScope: 'private' },
  'resources/list': { resources: [], ttlMs: 0, cacheScope: 'private' },
};

/**
 * Puts the result where the SDK does not look, behind the least it asks for. A result of another type than
 * `complete` (the server wants input first) is left to the SDK: it is no answer yet.
 */
export function conceal(method: string | undefined, result: Result): Result {
  const least = method === undefined ? undefined : LEAST[method];
  const { resultType = 'complete' } = result;
  if (!least || resultType !== 'complete') return result;
  return { ...least, resultType, _meta: { [RAW]: result } };
}

interface Concealed {
  readonly _meta?: Result | undefined;
}

/** What the server said, out of what the SDK made of it. */
export function reveal(result: Concealed): unknown {
  return result._meta?.[RAW] ?? result;
}

const PAGE = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().nullish() });
const TOOL = z.looseObject({ name: z.string(), inputSchema: z.unknown().optional() });

/** One page of `tools/list`: all that have a name. */
export function readPage(result: Concealed): {
  readonly tools: readonly Tool[];
  readonly nextCursor: string | undefined;
} {
  const { tools, nextCursor } = PAGE.parse(reveal(result));
  const named = tools.flatMap((entry) => {
    const tool = TOOL.safeParse(entry);
    return tool.success ? [tool.data] : [];
  });
  return { tools: named, nextCursor: nextCursor ?? undefined };
}

const RESULT = z.looseObject({
  content: z.array(z.unknown()).optional().catch(undefined),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().optional().catch(undefined),
});

/** An answer of `tools/call`. */
export function readResult(result: Concealed): ToolResult {
  return RESULT.parse(reveal(result));
}
