import { describe, expect, it } from 'vitest';
import type { BudgetState } from '../../src/domain/budget.js';
import type { Status } from '../../src/domain/status.js';
import { exposition } from '../../src/observe/exposition.js';
import { FLEET_METRICS, METRICS } from '../../src/observe/metric-list.js';
import { agentMetrics, fleetMetrics, processMetrics } from '../../src/observe/metrics.js';
import type { WorkerEvent } from '../../src/ports/observer.js';
import { NOW, status } from '../control/status.js';
import { type Exposed, parseExposition } from '../support/exposition.js';
import { began, capped, dead, ended, hold, looked, lookFailed, rescued, sendFailed, sent } from './events.js';

const RUN = { version: '0.1.0', inbox: 'agentdm' };

function rig(agent?: string) {
  let now = NOW;
  const metrics = agentMetrics({ ...RUN, agent }, { now: () => now });
  const own = processMetrics();
  const expose = async (told: Status | undefined, accept?: string) =>
    exposition([await metrics.text(told), await own.text()], accept);
  return {
    tell: (...events: WorkerEvent[]) => {
      for (const event of events) metrics.on(event);
    },
    pass: (ms: number) => {
      now += ms;
    },
    expose,
    text: (told: Status) => metrics.text(told),
    read: async (told: Parameters<typeof status>[0] = {}): Promise<Exposed> =>
      parseExposition((await expose(status(told))).body),
  };
}

const EVERYTHING: WorkerEvent[] = [
  { type: 'started', inbox: 'agentdm', folder: '/a' },
  { type: 'woken', kind: 'webhook' },
  { type: 'look-began', wokenBy: ['webhook'] },
  looked({ fresh: 2 }),
  looked(),
  lookFailed(),
  { type: 'look-due', nextAt: 1 },
  { type: 'hold-began', hold },
  { type: 'hold-ended', hold, at: 3_000 },
  began({ messages: 2, spooledAt: [NOW - 4_000, NOW] }),
  { type: 'turn-progress', turnId: 't', progress: { sessionId: 's', tool: 'Bash', outputTokens: 5 } },
  ended(),
  ended({ turnId: 'turn-2', ending: 'failed', reason: 'overloaded', verdict: 'retry', outcome: 'x' }),
  sent(),
  sendFailed(),
  rescued(),
  capped(),
  dead(),
  { type: 'webhook-refused', reason: 'stale' },
  { type: 'agent-ready', sessionId: undefined, pid: 7 },
  { type: 'agent-not-ready', text: 'no gateway' },
  { type: 'notice', level: 'warn', text: 'x' },
  { type: 'stopping', how: 'drain', text: '' },
  { type: 'stopped', text: '' },
];

const DAY: BudgetState = {
  window: 'day',
  cap: { usd: 10, tokens: 'unlimited' },
  spent: { usd: 2.5, tokens: 7 },
  endsAt: NOW + 1,
};

describe('what is exposed', () => {
  it('is every metric of the list and no other, under conventional names', async () => {
    const { tell, read } = rig();
    tell(...EVERYTHING);
    const { families } = await read({ budgets: [DAY] });
    const single = Object.keys(METRICS).filter((name) => !(name in FLEET_METRICS));
    expect([...families.keys()].sort()).toEqual(single.sort());
    for (const [name, { type, help }] of Object.entries(METRICS)) {
      if (single.includes(name)) expect(families.get(name)).toMatchObject({ type, help });
      expect(name).toMatch(/^(?:inbox_worker|process|nodejs)_[a-z][a-z_]*[a-z]$/);
      // Base units only, and a total is a counter.
      expect(name).not.toMatch(/_(?:ms|millis|milliseconds|minutes|kb|mb|percent)(?:_|$)/);
      expect(name.endsWith('_total')).toBe(type === 'counter');
    }
  });

  it('reads the same as OpenMetrics, where the scraper asks for that', async () => {
    const { tell, expose } = rig();
    tell(...EVERYTHING);
    const prometheus =
      'application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3,*/*;q=0.1';
    const open = await expose(status(), prometheus);
    expect(open.contentType).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8');
    const plain = await expose(status(), 'text/plain, application/openmetrics-text;q=0.1');
    expect(plain.contentType).toBe('text/plain; version=0.0.4; charset=utf-8');
    const timeless = ({ all }: Exposed) =>
      [...all].filter(([name]) => !/^(?:process|nodejs)_/.test(name)).sort();
    // Asked for once, it must not change what is said afterwards.
    expect(timeless(parseExposition(open.body, 'open'))).toEqual(timeless(parseExposition(plain.body)));
    for (const accept of [undefined, '*/*', 'application/openmetrics-text;q=0', 'text/html']) {
      expect((await expose(status(), accept)).contentType).toMatch(/^text\/plain/);
    }
  });

  it('begins with zeros, so that a first event is a rise', async () => {
    const exposed = await rig().read();
    for (const [name, { type, labels = {} }] of Object.entries(METRICS)) {
      if (type !== 'counter' || !name.startsWith('inbox_worker_')) continue;
      const sets = Object.values(labels).reduce<number>((all, values) => all * values.length, 1);
      const samples = exposed.families.get(name)?.samples ?? [];
      expect(samples, name).toHaveLength(sets);
      expect(samples.every(({ value }) => value === 0)).toBe(true);
    }
  });

  it('does not grow with the people who write, and holds no name of theirs', async () => {
    const { tell, read, expose } = rig();
    tell(...EVERYTHING);
    const before = (await read()).all.size;
    for (let n = 0; n < 3_000; n += 1) {
      const names = { claimId: `claim-${n}`, conversation: `@stranger-${n}`, turnId: `turn-${n}` };
      const to = { claimId: `claim-${n}`, to: `@stranger-${n}` };
      tell(began(names), ended(names), sent(to), sendFailed({ ...to, text: `no ${n}` }), rescued(names));
      tell(capped({ ...names, why: `why ${n}` }), lookFailed({ text: `text ${n}` }));
      tell({ type: 'notice', level: 'warn', text: `notice ${n}` });
      tell({ type: 'agent-ready', sessionId: `s${n}`, pid: n });
    }
    const after = await read({
      resting: [{ conversation: '@stranger-1', why: 'x', until: NOW }],
      turn: { conversation: '@stranger-2', startedAt: NOW, lastFrameAt: NOW },
    });
    expect(after.all.size).toBe(before);
    expect((await expose(status())).body).not.toContain('stranger');
    for (const { name, samples } of after.families.values()) {
      const allowed = METRICS[name]?.labels ?? {};
      for (const { labels } of samples) {
        const { le: _le, ...own } = labels;
        expect(Object.keys(own).sort()).toEqual(Object.keys(allowed).sort());
        for (const [label, value] of Object.entries(own)) {
          const values = allowed[label];
          if (typeof values !== 'string') expect(values).toContain(value);
        }
      }
    }
  });
});

describe('counters and histograms', () => {
  it('count a message from its wake to its answer', async () => {
    const { tell, pass, read } = rig();
    tell({ type: 'woken', kind: 'webhook' }, looked({ fresh: 2, durationMs: 120 }));
    pass(2_000);
    const usage = {
      costUsd: 0.25,
      inputTokens: 1_000,
      outputTokens: 40,
      modelCalls: 2,
      cacheReadTokens: 700,
      cacheWriteTokens: 100,
    };
    tell(began({ messages: 2, spooledAt: [NOW, NOW + 1_000] }));
    pass(3_000);
    tell(ended({ usage, durationMs: 3_000 }), sent(), sent({ part: 1 }));
    const exposed = await read();
    const values = (name: string, labels: Record<string, string> = {}) => exposed.value(name, labels);
    expect(values('inbox_worker_wakes_total', { kind: 'webhook' })).toBe(1);
    expect(values('inbox_worker_looks_total', { outcome: 'found' })).toBe(1);
    expect(values('inbox_worker_look_duration_seconds_sum')).toBe(0.12);
    expect(values('inbox_worker_messages_spooled_total')).toBe(2);
    expect(values('inbox_worker_messages_settled_total', { state: 'answered' })).toBe(2);
    expect(values('inbox_worker_message_wait_seconds_sum')).toBe(2);
    expect(values('inbox_worker_turns_total', { outcome: 'completed', verdict: 'answered' })).toBe(1);
    expect(values('inbox_worker_turn_duration_seconds_bucket', { le: '2.5' })).toBe(0);
    expect(values('inbox_worker_turn_duration_seconds_bucket', { le: '5' })).toBe(1);
    expect(values('inbox_worker_model_calls_total')).toBe(2);
    expect(values('inbox_worker_cost_usd_total')).toBe(0.25);
    expect(
      ['input', 'cache_read', 'cache_write', 'output'].map((kind) =>
        values('inbox_worker_tokens_total', { kind }),
      ),
    ).toEqual([200, 700, 100, 40]);
    expect(values('inbox_worker_sends_total', { kind: 'reply', state: 'sent' })).toBe(2);
    // The second part is no second reply.
    expect(values('inbox_worker_reply_latency_seconds_count')).toBe(1);
    expect(values('inbox_worker_reply_latency_seconds_sum')).toBe(5);
  });

  it('count a turn of several conversations once, and each of its messages', async () => {
    const { tell, read } = rig();
    const none = { costUsd: 0, inputTokens: 0, outputTokens: 0, modelCalls: 0 };
    tell(began({ messages: 3 }), began({ claimId: 'claim-2', messages: 2 }));
    tell(ended(), ended({ claimId: 'claim-2', verdict: 'silent', usage: none }));
    const exposed = await read();
    expect(exposed.value('inbox_worker_turns_total', { outcome: 'completed', verdict: 'answered' })).toBe(1);
    expect(exposed.value('inbox_worker_turns_total', { outcome: 'completed', verdict: 'silent' })).toBe(0);
    expect(exposed.value('inbox_worker_messages_settled_total', { state: 'answered' })).toBe(3);
    expect(exposed.value('inbox_worker_messages_settled_total', { state: 'silent' })).toBe(2);
  });

  it('count the dead, whatever they died of', async () => {
    const { tell, read } = rig();
    const messages = (count: number) => ({ messages: Array.from({ length: count }, (_, n) => `m${n}`) });
    tell(began({ messages: 2 }), ended({ verdict: 'dead', ending: 'timed-out', reason: 'silence' }));
    tell(dead(messages(2)), rescued({ verdict: 'dead', messages: 4 }), dead(messages(4)));
    tell(capped({ verdict: 'dead', messages: 1 }), dead(messages(1)));
    tell(began(), ended({ turnId: 'other', verdict: 'retry', ending: 'failed', reason: 'overloaded' }));
    const exposed = await read();
    expect(exposed.value('inbox_worker_messages_settled_total', { state: 'dead' })).toBe(7);
    expect(exposed.value('inbox_worker_turn_failures_total', { reason: 'silence' })).toBe(1);
    expect(exposed.value('inbox_worker_turn_failures_total', { reason: 'overloaded' })).toBe(1);
    expect(exposed.value('inbox_worker_rescues_total', { verdict: 'dead' })).toBe(1);
  });

  it('count a missed wake only when no late one came, and never backwards', async () => {
    const { tell, pass, read } = rig();
    const missed = async () => (await read()).value('inbox_worker_missed_wakes_total');
    tell(looked({ fresh: 1, missed: true }));
    pass(9_000);
    expect(await missed()).toBe(0);
    tell({ type: 'woken', kind: 'webhook', late: true });
    pass(60_000);
    expect(await missed()).toBe(0);
    tell(looked({ fresh: 1, missed: true }));
    pass(1_000);
    tell(looked({ fresh: 1, missed: true }));
    expect(await missed()).toBe(1);
    pass(10_000);
    expect(await missed()).toBe(2);
    expect(await missed()).toBe(2);
  });

  it('count the seconds of a hold while it stands, and go on after it', async () => {
    const { tell, pass, read } = rig();
    const seconds = async () => (await read()).value('inbox_worker_hold_seconds_total', { reason: 'paused' });
    const paused = (since: number) => ({ reason: 'paused', why: 'x', since, until: undefined }) as const;
    tell({ type: 'hold-began', hold: paused(NOW) });
    pass(5_000);
    expect(await seconds()).toBe(5);
    tell({ type: 'hold-ended', hold: paused(NOW), at: NOW + 5_000 });
    pass(60_000);
    expect(await seconds()).toBe(5);
    tell({ type: 'hold-began', hold: paused(NOW + 65_000) });
    pass(2_000);
    expect(await seconds()).toBe(7);
  });

  it('tell a new process from the same one', async () => {
    const { tell, read } = rig();
    const ready = (pid: number): WorkerEvent => ({ type: 'agent-ready', sessionId: undefined, pid });
    tell(ready(1), ready(1), ready(2));
    expect((await read()).value('inbox_worker_claude_starts_total')).toBe(2);
  });
});

describe('gauges', () => {
  it('tell the status of now', async () => {
    const exposed = await rig().read({
      health: 'stuck',
      holds: [{ reason: 'inbox-down', why: 'x', since: NOW, until: undefined }],
      turn: { conversation: '@alice', startedAt: NOW - 30_000, lastFrameAt: NOW - 10_000 },
      session: { id: 's', conversation: '@alice', turns: 2, startedAt: NOW - 60_000, contextTokens: 7 },
      messages: { waiting: 3, claimed: 1, retry: 2, answered: 9, silent: 4, dead: 5 },
      oldestWaitingAt: NOW - 90_000,
      outbox: { queued: 1, sending: 0, sent: 9, refused: 2, unsure: 3 },
      budgets: [
        DAY,
        {
          window: 'hour',
          cap: { usd: 'unlimited', tokens: 2_000 },
          spent: { usd: 1, tokens: 900 },
          endsAt: NOW + 1,
        },
      ],
    });
    const value = exposed.value.bind(exposed);
    const states = exposed.families.get('inbox_worker_health')?.samples ?? [];
    expect(states.filter((sample) => sample.value === 1).map(({ labels }) => labels.state)).toEqual([
      'stuck',
    ]);
    expect(value('inbox_worker_hold', { reason: 'inbox-down' })).toBe(1);
    expect(value('inbox_worker_messages', { state: 'waiting' })).toBe(3);
    expect(value('inbox_worker_oldest_waiting_message_age_seconds')).toBe(90);
    expect(value('inbox_worker_outbox_messages', { state: 'unsure' })).toBe(3);
    expect(value('inbox_worker_budget_used_usd', { window: 'day' })).toBe(2.5);
    expect(value('inbox_worker_budget_limit_tokens', { window: 'hour' })).toBe(2_000);
    expect(value('inbox_worker_look_age_seconds')).toBe(62.9);
    expect(value('inbox_worker_next_look_timestamp_seconds')).toBe((NOW + 57_000) / 1000);
    expect(value('inbox_worker_turn_age_seconds')).toBe(30);
    expect(value('inbox_worker_turn_silence_seconds')).toBe(10);
    expect(value('inbox_worker_session_turns')).toBe(2);
    expect(value('inbox_worker_info', { inbox: 'agentdm', claude_version: '2.1.332' })).toBe(1);
  });

  it('tell the memory of the Claude that lives, and of no other', async () => {
    const { read } = rig();
    const agent = { ...status().agent, pid: process.pid };
    const exposed = await read({ agent });
    if (process.platform === 'linux') {
      expect(exposed.value('inbox_worker_claude_resident_memory_bytes')).toBeGreaterThan(1_000_000);
    }
    const gone = await read({ agent: { ...agent, pid: undefined } });
    expect(gone.families.get('inbox_worker_claude_resident_memory_bytes')?.samples).toEqual([]);
  });

  it('are absent, not old, when the status cannot be read; counters stay', async () => {
    const { tell, read, expose } = rig();
    tell({ type: 'woken', kind: 'timer' });
    await read({ messages: { waiting: 3, claimed: 0, retry: 0, answered: 0, silent: 0, dead: 0 } });
    const blind = parseExposition((await expose(undefined)).body);
    expect(blind.value('inbox_worker_status_readable')).toBe(0);
    for (const name of ['inbox_worker_messages', 'inbox_worker_look_age_seconds', 'inbox_worker_health']) {
      expect(blind.families.get(name)?.samples).toEqual([]);
    }
    expect(blind.value('inbox_worker_wakes_total', { kind: 'timer' })).toBe(1);
    expect(blind.value('process_resident_memory_bytes')).toBeGreaterThan(1_000_000);
  });
});

it('several agents in one process stand on one page, each sample with its agent, each family once', async () => {
  const [scout, clerk] = [rig('scout'), rig('clerk')];
  scout.tell({ type: 'woken', kind: 'timer' });
  clerk.tell({ type: 'woken', kind: 'timer' }, { type: 'woken', kind: 'timer' });
  const fleet = await fleetMetrics().text(['running', 'running', 'waiting']);
  const texts = [
    fleet,
    await scout.text(status()),
    await clerk.text(status()),
    await processMetrics().text(),
  ];
  for (const [accept, format] of [
    ['text/plain', 'plain'],
    ['application/openmetrics-text', 'open'],
  ] as const) {
    const exposed = parseExposition(exposition(texts, accept).body, format);
    const wakes = (agent: string) => exposed.value('inbox_worker_wakes_total', { kind: 'timer', agent });
    expect([wakes('scout'), wakes('clerk')]).toEqual([1, 2]);
    expect(exposed.value('inbox_worker_agents', { state: 'running' })).toBe(2);
    expect(exposed.value('process_resident_memory_bytes')).toBeGreaterThan(1_000_000);
    for (const { name, samples } of exposed.families.values()) {
      if (!name.startsWith('inbox_worker_') || name in FLEET_METRICS) continue;
      expect(new Set(samples.map(({ labels }) => labels.agent)), name).toEqual(
        new Set(samples.length > 0 ? ['scout', 'clerk'] : []),
      );
    }
  }
});

it('two agents in one process share nothing', async () => {
  const [one, two] = [rig(), rig()];
  one.tell({ type: 'woken', kind: 'timer' });
  expect((await one.read()).value('inbox_worker_wakes_total', { kind: 'timer' })).toBe(1);
  expect((await two.read()).value('inbox_worker_wakes_total', { kind: 'timer' })).toBe(0);
});
