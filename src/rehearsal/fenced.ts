// Finds the fenced messages in a prompt: `<message-WORD id="…" from="…">` and `<earlier-WORD …>`.

export interface FencedMessage {
  readonly kind: 'message' | 'earlier';
  readonly id: string | undefined;
  readonly from: string | undefined;
  readonly text: string;
}

// The closing tag must repeat the opening one with its random word, so a fence inside a text is only text.
const FENCE = /<((message|earlier)(?:-[\w-]+)?)((?:\s[^>]*)?)>\n?([\s\S]*?)\n?<\/\1>/g;

/** All fenced messages, in the order of the text. */
export function fencedMessages(prompt: string): FencedMessage[] {
  return [...prompt.matchAll(FENCE)].map(([, , kind, attributes = '', text = '']) => ({
    kind: kind === 'earlier' ? 'earlier' : 'message',
    id: attribute(attributes, 'id'),
    from: attribute(attributes, 'from'),
    text,
  }));
}

/** The text of the last fenced `message`; in a prompt without one, its last line. */
export function lastMessageText(prompt: string): string {
  const last = fencedMessages(prompt).findLast((message) => message.kind === 'message');
  return last?.text ?? prompt.trim().split('\n').at(-1) ?? '';
}

function attribute(attributes: string, name: string): string | undefined {
  return new RegExp(`\\s${name}="([^"]*)"`).exec(attributes)?.[1];
}
