// A tool's arguments as its input schema names them, so that near synonyms work.
import type { Tool } from './call.js';
import { isFields } from './fields.js';

/** Undefined where the tool does not say. */
function listed(tool: Tool): ReadonlySet<string> | undefined {
  const schema = tool.inputSchema;
  const properties = isFields(schema) ? schema.properties : undefined;
  return isFields(properties) ? new Set(Object.keys(properties)) : undefined;
}

/** The first of `names` that the schema lists; undefined where it lists none. Without a schema: the first. */
export function argument(tool: Tool, names: readonly [string, ...string[]]): string | undefined {
  const known = listed(tool);
  return known ? names.find((name) => known.has(name)) : names[0];
}

/** The same for an argument that is only used where the schema is known to have it. */
export function optionalArgument(tool: Tool, names: readonly string[]): string | undefined {
  const known = listed(tool);
  return names.find((name) => known?.has(name));
}

/** Required arguments that `given` does not fill. */
export function unfilled(tool: Tool, given: readonly (string | undefined)[]): string[] {
  const schema = tool.inputSchema;
  const required = isFields(schema) && Array.isArray(schema.required) ? schema.required : [];
  return required.filter((name): name is string => typeof name === 'string' && !given.includes(name));
}
