// Fills a store's file with a past: thousands of messages, answered mostly, with their turns and replies.
import BetterSqlite3 from 'better-sqlite3';

export interface Past {
  readonly messages: number;
  readonly conversations: number;
  /** When the last of it was; it reaches back a minute a message. */
  readonly until: number;
}

const EVERY_MS = 60_000;

/** `path` must hold our schema, and nobody may be writing. Adds to what is there, below it in order where it is empty. */
export function fillStore(path: string, { messages, conversations, until }: Past): void {
  const database = new BetterSqlite3(path);
  const claim = database.prepare(
    `insert into claims (id, seq, conversation, slot, state, attempts, last_error, opened_at, settled_at, settled_as)
     values (@id, @seq, @conversation, 0, 'settled', @attempts, @error, @at, @end, @as)`,
  );
  const step = database.prepare(
    'insert into steps (claim_id, seq, state, at, note) values (@id, @step, @state, @at, @error)',
  );
  const message = database.prepare(
    `insert into messages (id, seq, conversation, sender, text, kind, state, spooled_at, claim_id, settled_at)
     values (@message, @seq, @conversation, @conversation, @text, 'agent', @as, @at, @id, @end)`,
  );
  const turn = database.prepare(
    `insert into turns (id, seq, claim_id, conversation, slot, session_id, started_at, prompt_bytes, ended_at,
       verdict, outcome, cost_usd, input_tokens, output_tokens, model_calls)
     values (@turn, @seq, @id, @conversation, 0, 'session', @at, 4000, @end, @as, 'completed', 0.01, 900, 80, 1)`,
  );
  const row = database.prepare(
    `insert into outbox (id, send_id, claim_id, idempotency_key, target, conversation, text, kind, ordinal, part,
       state, upstream_id, queued_at, sent_at, attempts)
     values (@seq, @seq, @id, @id, @conversation, @conversation, 'The reply.', 'reply', 0, 0, 'sent', @id, @end,
       @sent, 1)`,
  );
  database.transaction(() => {
    for (let n = 0; n < messages; n += 1) {
      const at = until - (messages - n) * EVERY_MS;
      const dead = n % 500 === 0;
      const one = {
        id: `claim-${n}`,
        message: `message-${n}`,
        turn: `turn-${n}`,
        seq: n + 1,
        // The busiest ones first: most mail comes from few.
        conversation: `@person-${(n * n) % conversations}`,
        text: `Message ${n}. ${'It goes on for some lines. '.repeat(1 + (n % 40))}`,
        attempts: dead ? 5 : 0,
        error: dead ? 'the model could not be reached' : null,
        as: dead ? 'dead' : n % 50 === 1 ? 'silent' : 'answered',
        at,
        end: at + 2_000 + (n % 30) * 1_000,
        sent: at + 2_500 + (n % 30) * 1_000,
      };
      claim.run(one);
      step.run({ ...one, step: 1, state: 'claimed', error: null });
      step.run({ ...one, step: 2, state: one.as, at: one.end });
      message.run(one);
      turn.run(one);
      if (one.as === 'answered') row.run(one);
    }
  })();
  database.close();
}
