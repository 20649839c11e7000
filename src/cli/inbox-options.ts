// The options of `inbox` that hold more than a word: ports, webhooks, channels.
import { WorkerError } from '../domain/errors.js';

export interface WebhookOption {
  readonly alias: string;
  readonly url: string;
  readonly secret: string;
}

export interface ChannelOption {
  readonly name: string;
  readonly members: readonly string[];
}

/** @throws WorkerError `usage`, as all of these */
export function portOf(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new WorkerError('usage', `--port has the value "${text}"; write a number from 0 to 65535.`);
}

/** `ALIAS=URL`. */
export function webhookOf(text: string, secret: unknown): WebhookOption {
  const [alias, url] = cut(text);
  if (!alias || !/^https?:/.test(url) || !URL.canParse(url)) {
    throw new WorkerError('usage', `--webhook has the value "${text}"; write ALIAS=URL.`);
  }
  if (typeof secret !== 'string' || secret === '') {
    throw new WorkerError(
      'usage',
      '--webhook needs a WEBHOOK_SECRET in the environment: unsigned calls could be made by anybody.',
    );
  }
  return { alias, url, secret };
}

/** `#name=@a,@b`; the signs may be left out, since a shell takes a bare `#` for a comment. */
export function channelOf(text: string): ChannelOption {
  const [name, list] = cut(text);
  const members = list
    .split(',')
    .map((member) => member.trim())
    .filter((member) => member !== '');
  if (name && members.length > 0) return { name, members };
  throw new WorkerError('usage', `--channel has the value "${text}"; write '#name=@a,@b' (in quotes).`);
}

/** Before and after the first `=`; an empty name where there is none. */
function cut(text: string): [string, string] {
  const at = text.indexOf('=');
  return at < 0 ? ['', text] : [text.slice(0, at).trim(), text.slice(at + 1).trim()];
}
