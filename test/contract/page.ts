// Writes the generated part of docs/json.md from the schemas.
import { z } from 'zod';
import { DOCUMENTS } from './documents.js';

/** What of JSON Schema our documents use. */
interface Node {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly Node[];
  readonly properties?: Readonly<Record<string, Node>>;
  readonly required?: readonly string[];
  readonly items?: Node;
  readonly description?: string;
}

const BEGIN = '<!-- json: generated from test/contract, do not edit -->';
const END = '<!-- /json -->';

/** The page with its generated part replaced. Throws where the two marks are not there. */
export function withDocuments(page: string): string {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`The page needs the marks ${BEGIN} and ${END}.`);
  return `${page.slice(0, begin + BEGIN.length)}\n\n${documentTables()}\n\n${page.slice(end)}`;
}

function documentTables(): string {
  return DOCUMENTS.map(({ command, when, schema }) => {
    const root = z.toJSONSchema(schema, { unrepresentable: 'any' }) as Node;
    const title = command
      .split(', ')
      .map((one) => `\`${one}\``)
      .join(', ');
    return [
      `## ${title}${when === undefined ? '' : ` (${when})`}`,
      '',
      '| field | value | there | what it is |',
      '|---|---|---|---|',
      ...rowsOf(root.items ?? root, root.items ? '[]' : ''),
    ].join('\n');
  }).join('\n\n');
}

function rowsOf({ properties = {}, required = [] }: Node, path: string): string[] {
  return Object.entries(properties).flatMap(([name, node]) => {
    const own = path === '' ? name : `${path}.${name}`;
    const there = required.includes(name) ? 'always' : 'where known';
    const inner = node.items ?? node;
    const innerPath = node.items ? `${own}[]` : own;
    const cells = [`\`${own}\``, typeText(node), there, node.description ?? ''];
    return [`| ${cells.join(' | ')} |`, ...rowsOf(inner, innerPath)];
  });
}

function typeText(node: Node): string {
  if (node.items) return `list: ${typeText(node.items)}`;
  if (node.const !== undefined) return `\`${JSON.stringify(node.const)}\``;
  if (node.enum) return node.enum.map((word) => `\`${word}\``).join(' ');
  if (node.anyOf) return node.anyOf.map(typeText).join(' or ');
  return node.type === 'integer' ? 'whole number' : (node.type ?? 'any');
}
