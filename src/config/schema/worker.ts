// Settings: the pace of the loop, the limits of a turn, and what happens when one fails.
import { settingsOf } from '../setting.js';
import { boolean, cap, choice, duration, durationOrOff, integer, text } from '../values.js';

const setting = settingsOf('worker');

const AT_START = 'it is about the start alone';

// Shorter sleeps would only hammer somebody's server.
const sleep = duration({ minMs: 100 });

export const WORKER_SETTINGS = {
  minSleepMs: setting('min_sleep', sleep, {
    env: ['MIN_SLEEP'],
    default: 60_000,
    caption: 'the sleep between two looks after there was something to do',
    reloadable: true,
    example: true,
  }),
  sleepStepMs: setting('sleep_step', duration({ minMs: 0 }), {
    env: ['SLEEP_STEP', 'STEP_SLEEP'],
    default: 60_000,
    caption: 'how much longer it gets with each empty look',
    reloadable: true,
    example: true,
  }),
  // Not in the example: setting it on purpose, even to its default, lifts the cap of unproven_max_sleep.
  maxSleepMs: setting('max_sleep', sleep, {
    env: ['MAX_SLEEP'],
    default: 3_600_000,
    caption: 'the longest sleep; setting it also says that no `unproven_max_sleep` is wanted',
    reloadable: true,
  }),
  unprovenMaxSleepMs: setting('unproven_max_sleep', sleep, {
    default: 60_000,
    caption: 'the longest sleep while no webhook or stream has proven that it would wake us',
    reloadable: true,
    example: true,
  }),
  intervalMs: setting('interval', sleep, {
    env: ['INTERVAL'],
    default: undefined,
    defaultText: 'none',
    caption:
      'one sleep for all, in place of `min_sleep`, `sleep_step` and `max_sleep`: a look every so often, however quiet it is',
    reloadable: true,
  }),
  resultTimeoutMs: setting('result_timeout', duration(), {
    env: ['RESULT_TIMEOUT'],
    default: 600_000,
    caption: 'how long Claude may show no sign of life in a turn',
    reloadable: true,
    example: true,
  }),
  toolTimeoutMs: setting('tool_timeout', duration(), {
    env: ['TOOL_TIMEOUT'],
    default: 1_800_000,
    caption: 'the same while a built-in tool runs: a build may be quiet for long',
    reloadable: true,
  }),
  mcpToolTimeoutMs: setting('mcp_tool_timeout', duration(), {
    default: 600_000,
    caption: 'the same while a tool of an MCP server runs',
    reloadable: true,
  }),
  turnLimitMs: setting('turn_limit', duration(), {
    env: ['TURN_LIMIT'],
    default: 7_200_000,
    caption: 'how long a whole turn may take',
    reloadable: true,
    example: true,
  }),
  attempts: setting('attempts', integer({ min: 1, max: 1000, unit: 'attempts' }), {
    default: 5,
    caption: 'how often a message is tried before it counts as dead',
    reloadable: true,
    example: true,
  }),
  retryDelayMs: setting('retry_delay', duration({ minMs: 0 }), {
    default: 10_000,
    caption: 'the wait after the first failure; each further one doubles it',
    reloadable: true,
  }),
  retryDelayMaxMs: setting('retry_delay_max', duration({ minMs: 0 }), {
    default: 600_000,
    caption: 'the longest wait between two attempts',
    reloadable: true,
  }),
  drainMs: setting('drain', duration({ minMs: 0 }), {
    env: ['DRAIN'],
    default: 30_000,
    caption: 'how long a stop waits for the turn that runs',
    reloadable: true,
    example: true,
  }),
  maxIterations: setting('max_iterations', cap('turns'), {
    env: ['MAX_ITERATIONS'],
    default: 'unlimited',
    caption: 'how many turns a run may take before it ends',
    reloadable: true,
    example: true,
  }),
  onUnsure: setting('on_unsure', choice('hold', 'resend'), {
    default: 'hold',
    caption:
      'what becomes of a reply that a crash left in doubt: `hold` it for you to decide, or `resend` it at the risk of a double',
    reloadable: true,
  }),
  deadNotice: setting('dead_notice', boolean, {
    default: true,
    caption: 'whether a sender is told when a message could not be answered',
    reloadable: true,
    example: true,
  }),
  deadNoticeText: setting('dead_notice_text', text(), {
    default: 'I could not answer your message: something went wrong on my side. Please try again later.',
    caption: 'what the sender is told then',
    reloadable: true,
  }),
  waitNoticeAfterMs: setting('wait_notice_after', durationOrOff({ minMs: 1000 }), {
    default: 'off' as number | 'off',
    caption:
      'after how long without an answer a sender is told, once, that the message has come in and waits',
    reloadable: true,
    example: true,
  }),
  waitNoticeText: setting('wait_notice_text', text(), {
    default:
      'Your message has come in. I am still at work on something else and will answer as soon as I can.',
    caption: 'what the sender is told then',
    reloadable: true,
  }),
  standby: setting('standby', boolean, {
    default: false,
    isSwitch: true,
    caption: 'wait while another worker holds the inbox, instead of ending',
    restart: AT_START,
  }),
  once: setting('once', boolean, {
    default: false,
    isSwitch: true,
    caption: 'look once, work off what waits, and end',
    restart: AT_START,
  }),
};
