// From settings to what the worker is told.
import type { Settings } from '../config/index.js';
import type { BackoffLimits } from '../domain/backoff.js';
import type { WorkerOptions } from '../worker/options.js';

export function workerOptions(settings: Settings, inbox: string, version: string): WorkerOptions {
  return {
    inbox,
    version,
    folder: settings.dir,
    slot: 0,
    delivery: settings.delivery,
    tickPrompt: settings.tickPrompt,
    pullScope: settings.pullScope,
    memory: { exchanges: settings.memoryExchanges, chars: settings.memoryChars },
    maxInlineChars: settings.maxInlineChars,
    backoff: backoffOf(settings),
    retry: { baseMs: settings.retryDelayMs, maxMs: settings.retryDelayMaxMs },
    maxAttempts: settings.attempts,
    silenceMs: settings.resultTimeoutMs,
    toolMs: settings.toolTimeoutMs,
    mcpToolMs: settings.mcpToolTimeoutMs,
    turnLimitMs: settings.turnLimitMs,
    session: settings.session,
    sessionLimits: {
      turns: settings.sessionTurns,
      ageMs: settings.sessionAgeMs,
      contextTokens: settings.sessionContext,
    },
    maxTurns: settings.maxIterations,
    budgets: {
      message: settings.budgetMessage,
      conversation: settings.budgetConversation,
      sender: settings.budgetSender,
      hour: settings.budgetHour,
      day: settings.budgetDay,
      run: settings.budgetRun,
    },
    loop: { turns: settings.loopTurns, windowMs: settings.loopWindowMs },
    onUnsure: settings.onUnsure,
    waitNotice:
      settings.waitNoticeAfterMs === 'off'
        ? undefined
        : { afterMs: settings.waitNoticeAfterMs, text: settings.waitNoticeText },
    deadNotice: settings.deadNotice ? settings.deadNoticeText : undefined,
    sendTo: settings.sendTo,
    admission: { allow: settings.allowSenders, deny: settings.denySenders },
    channels: settings.channels,
    drainMs: settings.drainMs,
  };
}

function backoffOf(settings: Settings): BackoffLimits {
  const { intervalMs } = settings;
  if (intervalMs !== undefined) {
    return { minMs: intervalMs, stepMs: 0, maxMs: intervalMs, unprovenMaxMs: undefined };
  }
  return {
    minMs: settings.minSleepMs,
    stepMs: settings.sleepStepMs,
    maxMs: settings.maxSleepMs,
    // Whoever sets MAX on purpose has chosen to sleep that long without a live wake source.
    unprovenMaxMs: settings.origins.maxSleepMs.from === 'default' ? settings.unprovenMaxSleepMs : undefined,
  };
}
