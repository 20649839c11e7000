// What a tool is: a name, a schema, a function; and how its answer is written for MCP.
import type { CallToolResult, Tool as ListedTool } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { type Refusal, refusal } from './refusal.js';

export type ToolAnswer =
  /** JSON in one text block, the same object beside it as `structuredContent`. */
  | { kind: 'structured'; value: Record<string, unknown> }
  /** JSON in one text block and nothing else, as AgentDM documents it. */
  | { kind: 'json'; value: unknown }
  /** A sentence. */
  | { kind: 'text'; text: string }
  | { kind: 'refused'; refusal: Refusal };

export type Tool = {
  listed: ListedTool;
  /** `caller` is the alias of the bearer key, in its written form; `args` are still unchecked. */
  call(caller: string, args: unknown): ToolAnswer;
};

type Definition<Input extends z.ZodObject> = {
  name: string;
  description: string;
  input: Input;
  readOnly?: boolean;
  run(caller: string, args: z.infer<Input>): ToolAnswer;
};

/** Makes a tool of its definition. Arguments of a wrong shape become a refusal that names them. */
export function defineTool<Input extends z.ZodObject>(definition: Definition<Input>): Tool {
  const { name, description, input, readOnly, run } = definition;
  const { $schema, ...schema } = z.toJSONSchema(input, { io: 'input' });
  return {
    listed: {
      name,
      description,
      inputSchema: { ...schema, type: 'object' } as ListedTool['inputSchema'],
      annotations: { readOnlyHint: readOnly ?? false },
    },
    call(caller, args) {
      const parsed = input.safeParse(args ?? {});
      if (parsed.success) return run(caller, parsed.data);
      const faults = parsed.error.issues.map(
        (issue) => `${issue.path.join('.') || 'arguments'}: ${issue.message}`,
      );
      return { kind: 'refused', refusal: refusal('invalid_arguments', `${name}: ${faults.join('; ')}`) };
    },
  };
}

export function toCallResult(answer: ToolAnswer): CallToolResult {
  switch (answer.kind) {
    case 'structured':
      return { content: [text(JSON.stringify(answer.value))], structuredContent: answer.value };
    case 'json':
      return { content: [text(JSON.stringify(answer.value))] };
    case 'text':
      return { content: [text(answer.text)] };
    case 'refused':
      return { content: [text(JSON.stringify({ error: answer.refusal }))], isError: true };
  }
}

function text(value: string): { type: 'text'; text: string } {
  return { type: 'text', text: value };
}

export function iso(at: number): string {
  return new Date(at).toISOString();
}
