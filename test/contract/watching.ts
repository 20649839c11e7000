// The JSON of the commands that look at a worker: status, next, lease, config, doctor, logs, dashboard.
import { z } from 'zod';
import {
  budgets,
  count,
  flag,
  hold,
  identity,
  instant,
  message,
  running,
  session,
  storeReport,
  text,
  worker,
} from './fields.js';
import { HOLD_REASONS, WAKE_KINDS } from './words.js';

const wake = z.strictObject({
  name: text('`webhook`, `wake stream`, `notifications`, `signal`, `control files`'),
  connected: flag('proven to be connected now; a webhook cannot know'),
  announces: flag('meant to announce mail: mail found without it is a missed wake'),
  lastAt: instant('when it woke last in this run').optional(),
  address: text('where it listens, or what it is connected to').optional(),
  since: instant('since when it is connected').optional(),
});

export const statusRunning = z.strictObject({
  running: z.literal(true),
  ...worker,
  identity,
  health: z.enum(['idle', 'working', 'stuck', 'deaf', ...HOLD_REASONS]).describe('how it stands'),
  why: text('one sentence'),
  until: instant('when that changes by itself').optional(),
  version: text('of this program'),
  holds: z.array(hold).describe('all that stand'),
  resting: z
    .array(
      z.strictObject({
        conversation: text('at a cap of its own'),
        why: text('a part of a sentence'),
        until: instant('when it goes on'),
      }),
    )
    .describe('conversations that wait while others go on'),
  stopping: flag('it takes nothing new'),
  startedAt: instant('when this run began'),
  turn: z
    .strictObject({
      conversation: text('whom it answers'),
      startedAt: instant('when it began'),
      lastFrameAt: instant("Claude's last sign of life"),
    })
    .describe('the turn that runs')
    .optional(),
  look: z.strictObject({
    lastAt: instant('when it looked last').optional(),
    lastSuccessAt: instant('when a look succeeded last').optional(),
    nextAt: instant('when it looks next').optional(),
    count: count('looks of this run'),
    missedWakes: count('mail found that no wake announced'),
    lastWokenBy: z.array(z.enum(WAKE_KINDS)).describe('what made the last look'),
  }),
  ...storeReport,
  budgets,
  wakes: z.array(wake).describe('where wakes come from'),
  session: session.optional(),
  agent: z.strictObject({
    version: text('of Claude Code').optional(),
    pid: count('its process').optional(),
    sessionId: text('the session that it holds').optional(),
  }),
});

const stored = z.strictObject(storeReport).partial().shape;

export const statusStopped = z.strictObject({
  running: z.literal(false),
  kind: z.literal('worker'),
  folder: worker.folder,
  inbox: worker.inbox,
  identity,
  health: z.literal('stopped'),
  version: text('of this program'),
  ended: z
    .enum(['stopped', 'gone', 'silent', 'elsewhere', 'never', 'unknown'])
    .describe(
      '`stopped`: it gave its lease back. `gone`: killed or crashed here. `silent`: elsewhere, not heard of for long. `elsewhere`: somebody out of our sight answers the inbox. `never`: none has run. `unknown`: the store cannot be read',
    ),
  why: text('one sentence'),
  lastSeenAt: instant('when it ended, or was last heard of').optional(),
  holder: z
    .strictObject({
      host: text('its machine'),
      pid: count('its process'),
      folder: text("the agent's folder"),
    })
    .describe('who held the lease last')
    .optional(),
  paused: flag('it would start, and start no turn'),
  lastTurn: z
    .strictObject({
      conversation: text('whom it answered'),
      startedAt: instant('when it began'),
      endedAt: instant('when it ended').optional(),
      verdict: text('what became of its claim').optional(),
    })
    .optional(),
  ...stored,
  budgets: budgets.optional(),
  session: session.optional(),
});

export const statusAll = z.strictObject({
  agents: z
    .array(
      z.union([
        statusRunning,
        z.strictObject({
          running: z.literal(true),
          ...worker,
          identity,
          error: text('why it does not answer'),
        }),
      ]),
    )
    .describe(
      'one for each that runs, as `status --json` has it; one that does not answer has an `error` instead',
    ),
});

export const statusTrouble = z.strictObject({
  running: z.literal(false),
  error: text('why nothing can be shown'),
  code: text('a code of errors.md'),
});

const { conversation, ...ofMessage } = message;

export const next = z.strictObject({
  running,
  at: instant('when this was seen'),
  does: z
    .enum(['answer', 'nothing', 'hold', 'turn', 'end'])
    .describe(
      '`answer`: the first of `next` that nothing holds back is taken. `nothing`: nobody may be answered now. `hold`: no turn starts. `turn`: one runs, and what follows comes after it. `end`: the run is over',
    ),
  why: text('one sentence'),
  until: instant('when that changes by itself').optional(),
  hold: hold.describe('what keeps turns from starting').optional(),
  next: z
    .array(
      z.strictObject({
        conversation,
        claimId: text('its claim, where it has one').optional(),
        messages: z.array(z.strictObject({ ...ofMessage, spooledAt: instant('when it came in') })),
        attempt: count('which attempt it would be, from 1'),
        maxAttempts: count('as `attempts` says'),
        lastError: text('how the one before failed').optional(),
        dueAt: instant('when its retry falls due; left out for what may go at once').optional(),
        cap: z
          .strictObject({
            kind: z.enum(['rest', 'dead']).describe('it waits, or is given up, when its turn comes'),
            why: text('a part of a sentence'),
            until: instant('when it goes on').optional(),
          })
          .optional(),
        prompt: z.enum(['full', 'continue']).describe('`continue`: its session is thought to hold it'),
        sessionId: text('the session it goes on in; left out for a new one').optional(),
      }),
    )
    .describe('in the order in which they would be taken, 20 at most'),
  more: flag('more conversations wait'),
  together: flag('`pull_scope` is `all`: one turn takes all that may go'),
  nextLookAt: instant('when the inbox is looked at next; left out where no worker runs').optional(),
});

export const reload = z.strictObject({
  ...worker,
  changed: z.array(
    z.strictObject({
      key: text('the setting, or what else has changed'),
      from: text('as `config` shows it: secrets hidden, empty where unset'),
      to: text('the same'),
    }),
  ),
  kept: z
    .array(
      z.strictObject({
        key: text('the setting'),
        running: text('what stays in force'),
        wanted: text('what the files say'),
        why: text('why it takes a restart, a part of a sentence'),
      }),
    )
    .describe('what takes a restart'),
  warnings: z.array(z.string()).describe('sentences about what is odd in the files'),
});

export const lease = z.strictObject({
  row: z
    .strictObject({
      owner: text('a uuid of its run'),
      generation: count('grows with each change of hands'),
      heartbeatAt: instant('its last sign of life'),
      acquiredAt: instant('when it took it'),
      holder: z.strictObject({
        host: text('its machine'),
        bootId: text('of that machine'),
        pidNamespace: text('of that process'),
        pid: count('its process'),
        processStart: text('start of that process, as the system counts'),
        folder: text("the agent's folder"),
      }),
    })
    .describe('left out while it is free')
    .optional(),
  verdict: z
    .enum(['free', 'ours', 'held', 'dead-owner', 'stale'])
    .describe('what a worker that starts here would make of it; `dead-owner` and `stale` are taken'),
  tag: text('what `--release` asks for').optional(),
});

export const config = z.strictObject({
  dir: text("the agent's folder"),
  settings: z.array(
    z.strictObject({
      key: text('as in `config/worker.json`'),
      group: z.enum(['inbox', 'agent', 'worker', 'limits', 'wake', 'tell', 'state', 'control']),
      value: text('as one would write it; empty where unset, `…hidden` for a secret'),
      origin: z.strictObject({
        from: z.enum(['flag', 'env', 'dotenv', 'file', 'default']),
        name: text('under which name it stood there; empty for a default'),
      }),
      unit: text('what a bare number means'),
      caption: text('what it is'),
      restart: text('why a new value takes a restart').optional(),
      changed: flag('not at its default'),
      reloadable: flag('a running worker takes a new value'),
    }),
  ),
});

export const doctor = z.strictObject({
  ok: flag('a worker can run here'),
  exitCode: count('that of the first failure'),
  checks: z.array(
    z.strictObject({
      name: text('what was looked at'),
      state: z.enum(['ok', 'warn', 'fail', 'skip']),
      text: text('one sentence'),
      fix: text('what mends it: with `warn` and `fail`').optional(),
      exitCode: count('with `fail`').optional(),
    }),
  ),
});

export const logs = z.strictObject({
  file: text('the file'),
  lines: z.array(z.string()).describe('its last lines'),
});

export const logLine = z.strictObject({ line: text('the next line') });

export const dashboard = z.strictObject({
  url: text('its address; it holds the token of this run'),
  opened: flag('a browser was started'),
  kind: worker.kind,
  pid: worker.pid,
  name: worker.name,
  inbox: worker.inbox,
  folder: worker.folder,
});
