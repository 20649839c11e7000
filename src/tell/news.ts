// What is told: the news, its JSON for receivers, and its facts for the environment of a command.
import type { HoldReason } from '../domain/hold.js';
import { counted } from '../lib/human.js';
import { oneLine } from '../lib/one-line.js';

/** A message that was given up. Never its words. */
export interface Death {
  readonly id: string;
  readonly conversation: string;
  readonly attempts: number;
  readonly lastError: string;
}

export type News =
  | {
      readonly type: 'hold.began';
      readonly reason: HoldReason;
      readonly why: string;
      readonly since: number;
      readonly until: number | undefined;
      /** How often it had come and gone untold since it was told last. */
      readonly untold: number;
    }
  | {
      readonly type: 'hold.ended';
      readonly reason: HoldReason;
      readonly why: string;
      readonly since: number;
      readonly endedAt: number;
    }
  | {
      readonly type: 'message.dead';
      /** The first ones; `count` is of all. */
      readonly messages: readonly Death[];
      readonly count: number;
    };

/** Longer ones are of no use to anybody who is woken by them. */
const WORDS = 500;

/**
 * The body as Standard Webhooks recommends it: `type`, `timestamp`, `data`. Instants are ISO text.
 * @param clean takes secrets out of a sentence
 */
export function toJson(news: News, inbox: string, at: number, clean: (text: string) => string): string {
  const sentence = (text: string): string => oneLine(clean(text), WORDS);
  const body = { type: news.type, timestamp: iso(at) };
  if (news.type === 'message.dead') {
    const messages = news.messages.map(({ id, conversation, attempts, lastError }) => ({
      id,
      conversation,
      attempts,
      last_error: sentence(lastError),
    }));
    return JSON.stringify({ ...body, data: { inbox, count: news.count, messages } });
  }
  const hold = { inbox, reason: news.reason, why: sentence(news.why), since: iso(news.since) };
  const data =
    news.type === 'hold.began'
      ? { ...hold, until: iso(news.until), untold: news.untold }
      : { ...hold, ended_at: iso(news.endedAt) };
  return JSON.stringify({ ...body, data });
}

/** The same as variables, for commands that read no JSON; of several dead messages, the first. */
export function toVariables(
  news: News,
  inbox: string,
  clean: (text: string) => string,
): Record<string, string> {
  const [first] = news.type === 'message.dead' ? news.messages : [];
  const facts: Record<string, string | undefined> =
    news.type === 'message.dead'
      ? {
          COUNT: String(news.count),
          MESSAGE_ID: first?.id,
          CONVERSATION: first?.conversation,
          ATTEMPTS: first && String(first.attempts),
          LAST_ERROR: first && clean(first.lastError),
        }
      : {
          REASON: news.reason,
          WHY: clean(news.why),
          SINCE: iso(news.since),
          UNTIL: news.type === 'hold.began' ? iso(news.until) : undefined,
          ENDED_AT: news.type === 'hold.ended' ? iso(news.endedAt) : undefined,
        };
  return Object.fromEntries(
    Object.entries({ TYPE: news.type, INBOX: inbox, ...facts })
      .filter((entry): entry is [string, string] => entry[1] !== undefined)
      .map(([name, value]) => [`INBOX_WORKER_EVENT_${name}`, oneLine(value, WORDS)]),
  );
}

/** What it is about, for our own log. */
export function subjectOf(news: News): string {
  switch (news.type) {
    case 'hold.began':
      return `the hold ${news.reason}`;
    case 'hold.ended':
      return `the end of the hold ${news.reason}`;
    case 'message.dead':
      return `${counted(news.count, 'dead message')}`;
  }
}

function iso(at: number | undefined): string | undefined {
  return at !== undefined && Number.isFinite(at) ? new Date(at).toISOString() : undefined;
}
