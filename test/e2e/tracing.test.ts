// The built worker with an OpenTelemetry SDK that only `--import` has brought: one message is one trace.
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, expect, it } from 'vitest';
import { type Lab, openLab } from '../support/agent-lab.js';

const SDK = pathToFileURL(resolve(import.meta.dirname, '../support/otel.mjs')).href;

let lab: Lab;
afterEach(() => lab.close());

interface SpanLine {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parent?: string;
  readonly attributes: Record<string, unknown>;
}

it('traces a message from the signal that woke the worker to the reply, without its words', async () => {
  lab = await openLab({ settings: { min_sleep: '1h', max_sleep: '1h', model: 'claude-haiku-4-5' } });
  const file = join(lab.root, 'spans.jsonl');
  const worker = lab.run([], { NODE_OPTIONS: `--import=${SDK}`, OTEL_TEST_FILE: file });
  await worker.says(/Claude Code is ready/);
  await worker.says(/looked/);
  lab.say('@alice', 'What is six times seven?');
  worker.signal('SIGUSR1');
  await lab.answerTo('@alice');
  await worker.says(/^sent reply/);
  worker.signal('SIGTERM');
  expect(await worker.ended()).toMatchObject({ exitCode: 0 });

  const text = await readFile(file, 'utf8');
  const spans = text
    .trim()
    .split('\n')
    .map((line): SpanLine => JSON.parse(line));
  const [reply] = spans.filter(({ name }) => name === 'inbox.reply');
  const parentOf = (span: SpanLine | undefined) => spans.find(({ spanId }) => spanId === span?.parent);
  const turn = parentOf(reply);
  const look = parentOf(turn);
  const wake = parentOf(look);
  expect([wake, look, turn, reply].map((span) => span?.name)).toEqual([
    'inbox.wake',
    'inbox.look',
    'inbox.turn',
    'inbox.reply',
  ]);
  expect(new Set([wake, look, turn, reply].map((span) => span?.traceId)).size).toBe(1);
  expect(wake?.attributes).toEqual({ 'inbox.wake.kind': 'signal' });
  expect(turn?.attributes).toMatchObject({
    'inbox.conversation': '@alice',
    'inbox.turn.verdict': 'answered',
    'inbox.turn.model_calls': 1,
    'gen_ai.request.model': 'claude-haiku-4-5',
    'gen_ai.response.model': expect.stringContaining('haiku'),
    'gen_ai.usage.output_tokens': expect.any(Number),
  });
  expect(text).not.toContain('six times seven');
  expect(text).not.toContain(lab.inbox.keys()['@agent']);
});
