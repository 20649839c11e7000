// One tool: its entry in the list, and a call of it with checked input.
import type { CallToolResult, Tool } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import type { OpenTurn, Refused } from '../ports/turns.js';
import { answered, refused } from './result.js';

export interface GatewayTool {
  /** As `tools/list` shows it. */
  readonly entry: Tool;
  /** Rejects only when `turn` does. */
  call(turn: OpenTurn, input: unknown): Promise<CallToolResult>;
}

interface ToolSpec<Shape extends z.ZodRawShape> {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodObject<Shape>;
  /** Claude Code runs such tools side by side; the hint is not part of what the model is sent. */
  readonly readOnly?: boolean;
  /**
   * Claude Code puts a result of more than 50,000 characters into a file and shows the model its path; an agent
   * without file tools would never see it. This raises the limit, up to 500,000, where the version knows it.
   */
  readonly maxResultChars?: number;
  run(turn: OpenTurn, input: z.output<z.ZodObject<Shape>>): Promise<Refused | Answer>;
}

/** The JSON that Claude gets. */
export interface Answer {
  readonly kind: 'answer';
  readonly value: object;
}

export const answer = (value: object): Answer => ({ kind: 'answer', value });

export function tool<Shape extends z.ZodRawShape>(spec: ToolSpec<Shape>): GatewayTool {
  const { $schema: _, ...inputSchema } = z.toJSONSchema(spec.input, { io: 'input' });
  return {
    entry: {
      name: spec.name,
      description: spec.description,
      inputSchema: inputSchema as Tool['inputSchema'],
      ...(spec.readOnly === true && { annotations: { readOnlyHint: true } }),
      ...(spec.maxResultChars && { _meta: { 'anthropic/maxResultSizeChars': spec.maxResultChars } }),
    },
    call: async (turn, input) => {
      const parsed = spec.input.safeParse(withoutNulls(input));
      if (!parsed.success) return refused(complaint(spec.name, spec.input, parsed.error));
      const outcome = await spec.run(turn, parsed.data);
      return outcome.kind === 'refused' ? refused(outcome.message) : answered(outcome.value);
    },
  };
}

/** Models write `null` for an argument they leave out. */
function withoutNulls(input: unknown): unknown {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return input ?? {};
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null));
}

function complaint(name: string, input: z.ZodObject, error: z.ZodError): string {
  const faults = error.issues.map((issue) => [...issue.path, issue.message].join(': ')).join('; ');
  const shape = Object.entries(input.shape).map(([key, field]) =>
    field instanceof z.ZodOptional ? `${key}?` : key,
  );
  return `${name} was not done: ${faults}. It takes {${shape.join(', ')}}.`;
}
