// The door of the rehearsal: the scripted Messages API and what tests need to steer it.

export type { Answer, AnswerBlock } from './answer.js';
export { type ClaudeEnvironmentOptions, claudeEnvironment } from './environment.js';
export type { ErrorFault, Fault, FaultQueue, SlowFault, StreamFault } from './faults.js';
export type { Hold } from './holds.js';
export type { CallKind } from './kind.js';
export type { RecordedCall } from './recorder.js';
export { isMessagesRequest, type MessagesRequest } from './request.js';
export type { Reply, Script, ScriptContext } from './script.js';
export { type ScriptedApi, type ScriptedApiOptions, startScriptedApi } from './server.js';
