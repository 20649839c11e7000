// A caller of the scripted API that checks the stream's form as strictly as a client could.
import type { ScriptedApi } from '../../src/rehearsal/index.js';

export interface SseEvent {
  readonly name: string;
  readonly data: Record<string, unknown>;
}

export interface Said {
  readonly role: string;
  readonly content: unknown;
}

/** POSTs a request to /v1/messages; streamed unless `fields` says otherwise. */
export function ask(
  api: ScriptedApi,
  messages: readonly Said[] | string,
  fields: object = {},
): Promise<Response> {
  const said = typeof messages === 'string' ? [{ role: 'user', content: messages }] : messages;
  const body = { model: 'claude-sonnet-5', max_tokens: 1000, stream: true, messages: said, ...fields };
  return fetch(`${api.url}/v1/messages?beta=true`, { method: 'POST', body: JSON.stringify(body) });
}

/** The events of a stream; throws where the text is not well-formed. */
export function parseSse(text: string): SseEvent[] {
  if (!text.endsWith('\n\n')) throw new Error('the stream ends inside an event');
  return text
    .slice(0, -2)
    .split('\n\n')
    .map((frame) => {
      const match = /^event: (\w+)\ndata: (.*)$/.exec(frame);
      if (match === null) throw new Error(`not an event: ${frame}`);
      return { name: String(match[1]), data: JSON.parse(String(match[2])) };
    });
}

/** The text of a streamed or whole answer. */
export async function textOf(response: Response): Promise<string> {
  const body = await response.text();
  if (response.headers.get('content-type') === 'application/json') return JSON.parse(body).content[0].text;
  return parseSse(body)
    .map((event) => (event.data.delta as { text?: string } | undefined)?.text ?? '')
    .join('');
}
