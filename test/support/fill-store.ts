// Fills a store's file with a past: thousands of messages, answered mostly, with their turns and replies.
import BetterSqlite3 from 'better-sqlite3';

export interface Past {
  readonly messages: number;
  /** The first ones write most. */
  readonly people: readonly string[];
  /** When the last of it was. */
  readonly until: number;
  /** Mean time between two messages. */
  readonly everyMs?: number;
}

/** The same past each time. */
function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const DAY_MS = 86_400_000;
const QUESTIONS = [
  'Could you look over the notes of this morning?',
  'What did we decide about the release?',
  'Is the build green again?',
  'Please sum up the thread for the others.\n\nThree sentences are enough.',
  'How do I set the budget of one conversation?',
];

/** `path` must hold our schema and nothing else, and nobody may be writing. */
export function fillStore(path: string, { messages, people, until, everyMs = 60_000 }: Past): void {
  const random = chance(7);
  const database = new BetterSqlite3(path);
  const claim = database.prepare(
    `insert into claims (id, seq, conversation, slot, state, attempts, last_error, opened_at, settled_at, settled_as)
     values (@id, @seq, @conversation, 0, 'settled', @attempts, @error, @claimed, @end, @as)`,
  );
  const step = database.prepare(
    'insert into steps (claim_id, seq, state, at, note) values (@id, @step, @state, @at, @error)',
  );
  const message = database.prepare(
    `insert into messages (id, seq, conversation, sender, text, kind, state, spooled_at, claim_id, settled_at)
     values (@message, @seq, @conversation, @sender, @text, 'agent', @as, @at, @id, @end)`,
  );
  const turn = database.prepare(
    `insert into turns (id, seq, claim_id, conversation, slot, session_id, started_at, prompt_bytes, ended_at,
       verdict, outcome, cost_usd, input_tokens, output_tokens, model_calls)
     values (@turn, @seq, @id, @conversation, 0, 'session', @claimed, @bytes, @end, @as, @outcome, @usd, @input,
       @output, @calls)`,
  );
  const row = database.prepare(
    `insert into outbox (id, send_id, claim_id, idempotency_key, target, conversation, text, kind, ordinal, part,
       state, upstream_id, queued_at, sent_at, attempts)
     values (@seq, @seq, @id, @id, @conversation, @conversation, @reply, 'reply', 0, 0, 'sent', @id, @end, @sent, 1)`,
  );
  /** Reaching back from the end: by chance, and more by day than by night. */
  const times: number[] = [];
  for (let at = until - everyMs; times.length < messages; ) {
    times.unshift(at);
    const night = 1 + 0.8 * Math.cos(((at % DAY_MS) / DAY_MS - 0.08) * 2 * Math.PI);
    at -= Math.ceil(everyMs * -Math.log(1 - random()) * night);
  }
  database.transaction(() => {
    for (const [n, at] of times.entries()) {
      const conversation = people[Math.floor(random() ** 2 * people.length)] ?? '@alice';
      const dead = n % 331 === 270;
      const calls = 1 + Math.floor(random() ** 4 * 5);
      const claimed = at + 300 + Math.floor(random() ** 12 * 300_000);
      const end = claimed + 1_500 + Math.floor(random() ** 3 * 20_000) * calls;
      const one = {
        id: `claim-${n}`,
        message: `message-${String(n).padStart(5, '0')}`,
        turn: `turn-${n}`,
        seq: n + 1,
        conversation,
        sender: conversation.startsWith('#') ? (people[0] ?? '@alice') : conversation,
        text: QUESTIONS[n % QUESTIONS.length],
        reply: 'Here is what I found.',
        attempts: dead ? 5 : 0,
        error: dead ? 'failed (overloaded): the model could not be reached' : null,
        outcome: dead ? 'failed (overloaded): the model could not be reached' : 'completed',
        as: dead ? 'dead' : n % 29 === 3 ? 'silent' : 'answered',
        at,
        claimed,
        end,
        sent: end + 120 + Math.floor(random() * 400),
        bytes: 1_800 + Math.floor(random() * 9_000),
        usd: dead ? 0 : 0.004 * calls + random() ** 3 * 0.05,
        input: 1_200 * calls,
        output: 40 + Math.floor(random() * 300),
        calls,
      };
      claim.run(one);
      step.run({ ...one, step: 1, state: 'claimed', at: claimed, error: null });
      step.run({ ...one, step: 2, state: one.as, at: end });
      message.run(one);
      turn.run(one);
      if (one.as === 'answered') row.run(one);
    }
  })();
  database.close();
}
