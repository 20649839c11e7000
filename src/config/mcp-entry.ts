// One entry of .mcp.json, checked and resolved: the server it names, over HTTP or as a program.
import { z } from 'zod';
import { WorkerError } from '../domain/errors.js';
import { isHttpUrl } from './names.js';
import { placeholderIn } from './placeholder.js';
import { type Lookup, VariableResolver } from './variables.js';

interface HttpServer {
  readonly type: 'http';
  readonly url: string;
  /** Names as written in the file. */
  readonly headers: Readonly<Record<string, string>>;
}

interface StdioServer {
  readonly type: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
  /** Only what the entry names; the rest is the starter's to decide. */
  readonly env: Readonly<Record<string, string>>;
}

export type McpServer = HttpServer | StdioServer;

/** Any entry with its variables resolved and its `type` filled in: what Claude Code's own config takes. */
export type McpEntry = Readonly<Record<string, unknown>> & { readonly type: string };

const ENTRY = z.looseObject({
  type: z.string().optional(),
  url: z.string().optional(),
  headers: z.record(z.string(), z.string()).optional(),
  command: z.string().min(1).optional(),
  args: z.array(z.string()).optional(),
  env: z.record(z.string(), z.string()).optional(),
});

/** What an entry is called in sentences, and where its variables come from. */
export interface EntryContext {
  readonly name: string;
  readonly fileName: string;
  readonly lookup: Lookup;
  readonly warn: (sentence: string) => void;
}

/**
 * @throws WorkerError `mcp-json-invalid` when the entry is no server entry, `variable-unset` naming each variable
 */
export function resolveEntry(raw: unknown, context: EntryContext): McpEntry {
  const parsed = ENTRY.safeParse(raw);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const path = issue?.path.join('.');
    throw invalid(
      context,
      `${path ? `${path}: ` : ''}${(issue?.message ?? 'not a server entry').replace('Invalid input: ', '')}`,
    );
  }
  const entry = parsed.data;
  const type = typeOf(entry, context);
  const resolver = new VariableResolver(context.lookup);
  const resolved = resolver.resolveAll(entry, '') as z.infer<typeof ENTRY>;
  refuseUnset(resolver, context);
  return { ...resolved, type };
}

/** The inbox's own entry: a server that our client can talk to. Throws as `resolveEntry` does. */
export function resolveServer(raw: unknown, context: EntryContext): McpServer {
  const entry = resolveEntry(raw, context) as McpEntry & z.infer<typeof ENTRY>;
  refusePlaceholders(raw as z.infer<typeof ENTRY>, entry, context);
  if (entry.type === 'stdio') {
    return { type: 'stdio', command: entry.command ?? '', args: entry.args ?? [], env: entry.env ?? {} };
  }
  if (entry.type !== 'http') {
    throw invalid(
      context,
      `its type is "${entry.type}", which is not spoken here; write "http" with the server's Streamable HTTP address, or "stdio"`,
    );
  }
  const url = entry.url?.trim() ?? '';
  if (!isHttpUrl(url)) throw invalid(context, `its url is no http(s) address`);
  const headers = Object.fromEntries(
    Object.entries(entry.headers ?? {}).map(([name, value]) => [name, headerValue(name, value, context)]),
  );
  if (new URL(url).protocol === 'http:' && !isLoopback(url) && Object.keys(headers).length > 0) {
    context.warn(
      `The entry "${context.name}" of ${context.fileName} sends its headers unencrypted: its url is http, not https.`,
    );
  }
  return { type: 'http', url, headers };
}

/** A value from a file often brings its line end along; anything else odd would only fail later, less clearly. */
function headerValue(name: string, value: string, context: EntryContext): string {
  const trimmed = value.trim();
  if (/^[\t\x20-\x7e\x80-\xff]*$/.test(trimmed)) return trimmed;
  throw invalid(context, `the value of its header "${name}" holds characters that a header cannot carry`);
}

function typeOf(entry: z.infer<typeof ENTRY>, context: EntryContext): string {
  const { type, url, command } = entry;
  if (type === undefined) {
    if (command !== undefined) return 'stdio';
    if (url === undefined) throw invalid(context, 'it has neither "url" nor "command"');
    context.warn(
      `The entry "${context.name}" of ${context.fileName} has no "type" and was read as "http". Claude Code itself ignores such an entry: add "type": "http".`,
    );
    return 'http';
  }
  if (type === 'stdio') {
    if (command === undefined) throw invalid(context, 'it is of type "stdio" and has no "command"');
    return type;
  }
  if (url === undefined) throw invalid(context, `it is of type "${type}" and has no "url"`);
  return type === 'streamable-http' ? 'http' : type;
}

function refuseUnset({ unset }: VariableResolver, { name, fileName }: EntryContext): void {
  if (unset.length === 0) return;
  const uses = unset.map((variable) => `\${${variable.name}} in ${variable.place}`);
  const names = [...new Set(unset.map((variable) => variable.name))];
  throw new WorkerError(
    'variable-unset',
    `The entry "${name}" of ${fileName} uses ${uses.join(' and ')}, which ${names.length === 1 ? 'is' : 'are'} not set.`,
    { hint: `Set ${names.join(' and ')} in the environment or in .env beside ${fileName}.` },
  );
}

/** A key that was never put in would only be refused by the server, as if it were a wrong one. */
function refusePlaceholders(
  raw: z.infer<typeof ENTRY>,
  entry: z.infer<typeof ENTRY>,
  { name, fileName }: EntryContext,
): void {
  for (const part of ['headers', 'env'] as const) {
    for (const [key, value] of Object.entries(entry[part] ?? {})) {
      const placeholder = placeholderIn(value);
      if (placeholder === undefined) continue;
      const variable = /\$\{(\w+)/.exec(raw[part]?.[key] ?? '')?.[1];
      const where = part === 'headers' ? `header "${key}"` : `env.${key}`;
      throw new WorkerError(
        'mcp-json-invalid',
        variable === undefined
          ? `The entry "${name}" of ${fileName} still holds the placeholder ${placeholder} in ${where}.`
          : `${variable}, which the entry "${name}" of ${fileName} uses in ${where}, still holds the placeholder ${placeholder}.`,
        { hint: `Put the real key in its place${variable === undefined ? '' : `: ${variable}=… in .env`}.` },
      );
    }
  }
}

export function isLoopback(url: string): boolean {
  const { hostname } = new URL(url);
  // The whole of it: `127.0.0.1.example.org` is a name that anybody can have.
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);
}

function invalid({ name, fileName }: EntryContext, problem: string): WorkerError {
  return new WorkerError(
    'mcp-json-invalid',
    `The entry "${name}" of ${fileName} cannot be used: ${problem}.`,
  );
}
