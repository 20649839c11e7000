// What can be read of the store over HTTP: lists, figures, and what a query may ask for.
import type { Context, Hono } from 'hono';
import { MESSAGE_STATES, type MessageState } from '../domain/message.js';
import type { MessageQuery, Span } from '../ports/reports.js';
import { type Operations, refusal } from './wire.js';

export type ReportOperations = Pick<
  Operations,
  'turns' | 'conversations' | 'messages' | 'idsLike' | 'series' | 'latencies'
>;

const MAX_TURNS = 1000;
const DEFAULT_TURNS = 20;
const MAX_MESSAGES = 200;
const DEFAULT_MESSAGES = 50;
const MIN_BUCKET_MS = 1_000;
/** More points than a plot has pixels. */
const MAX_BUCKETS = 2_000;
/** The last instant a `Date` can hold. */
const MAX_INSTANT = 8.64e15;

/** A query that asks for what nobody can be given: a sentence. */
class Unfit extends Error {}

/**
 * GET turns?limit, conversations, messages?states&conversation&before&limit, ids?prefix,
 * series?from&to&bucket (epoch ms, ms), latencies?from&to. 400 for a query that makes no sense.
 */
export function addReportRoutes(app: Hono, operations: ReportOperations): void {
  const get = (path: string, answer: (c: Context) => Promise<object>): void => {
    app.get(`/control/${path}`, async (c) => {
      try {
        return c.json(await answer(c));
      } catch (error) {
        if (error instanceof Unfit) return c.json(refusal('usage', error.message), 400);
        throw error;
      }
    });
  };

  get('turns', async (c) => ({
    turns: await operations.turns(whole(c, 'limit', 1, MAX_TURNS) ?? DEFAULT_TURNS),
  }));
  get('conversations', () => operations.conversations());
  get('messages', (c) => operations.messages(messageQuery(c)));
  get('ids', async (c) => ({ ids: await operations.idsLike(prefix(c)) }));
  get('series', async (c) => {
    const { from, to } = span(c);
    const bucketMs = whole(c, 'bucket', MIN_BUCKET_MS, MAX_INSTANT);
    if (bucketMs === undefined) throw new Unfit('bucket is missing: the length of a bucket in ms.');
    if ((to - from) / bucketMs > MAX_BUCKETS) {
      throw new Unfit(`That is more than ${MAX_BUCKETS} buckets; ask for longer ones, or a shorter span.`);
    }
    return { buckets: await operations.series({ from, to, bucketMs }) };
  });
  get('latencies', (c) => operations.latencies(span(c)));
}

function messageQuery(c: Context): MessageQuery {
  const states = c.req.query('states')?.split(',');
  const unknown = states?.find((state) => !isState(state));
  if (unknown !== undefined) {
    throw new Unfit(`There is no state "${unknown}"; there are ${MESSAGE_STATES.join(', ')}.`);
  }
  return {
    states: states?.filter(isState),
    conversation: c.req.query('conversation'),
    before: whole(c, 'before', 1, MAX_INSTANT),
    limit: whole(c, 'limit', 1, MAX_MESSAGES) ?? DEFAULT_MESSAGES,
  };
}

const isState = (text: string): text is MessageState => (MESSAGE_STATES as readonly string[]).includes(text);

function prefix(c: Context): string {
  const given = c.req.query('prefix') ?? '';
  if (given === '') throw new Unfit('prefix is missing: the beginning of an id.');
  return given;
}

function span(c: Context): Span {
  const from = whole(c, 'from', 0, MAX_INSTANT);
  const to = whole(c, 'to', 0, MAX_INSTANT);
  if (from === undefined || to === undefined || from >= to) {
    throw new Unfit('Write from and to as epoch ms, from before to.');
  }
  return { from, to };
}

function whole(c: Context, name: string, min: number, max: number): number | undefined {
  const text = c.req.query(name);
  if (text === undefined) return undefined;
  const number = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= min && number <= max) return number;
  throw new Unfit(`${name} must be a whole number from ${min} to ${max}.`);
}
