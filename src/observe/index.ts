// The door of the room: who can listen to a worker, and the logger.
export { cleaned } from './clean-events.js';
export { exposition } from './exposition.js';
export { fanOut } from './fan-out.js';
export { ledgerFileObserver } from './ledger-file.js';
export { type LiveLine, liveLine } from './live-line.js';
export { logObserver, logWords } from './log-events.js';
export { createLogger, isJson, type Logger, type LogStream } from './logger.js';
export type { AgentMetrics, AgentState } from './metrics.js';
export { narrator } from './narrate.js';
export type { Progress } from './progress.js';
export { progressFileObserver } from './progress-file.js';
export { spanObserver } from './spans.js';
export { flushSpans, tracerIfAny } from './tracing.js';
