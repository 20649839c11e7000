// The door of the room: steering a worker by file and by HTTP, and finding the ones that run.
export { bearerIs } from './bearer.js';
export { type Choice, chooseRunning, fittingRunning, isNamed } from './choose.js';
export { type ControlClient, controlClient } from './client.js';
export { dashboardApp } from './dashboard/app.js';
export { tickets } from './dashboard/tickets.js';
export { dropStale, fileFlags } from './flags.js';
export { setPaused } from './pause-file.js';
export { renderStatus } from './render.js';
export { type AgentRow, renderAgents } from './render-agents.js';
export { renderDead } from './render-dead.js';
export { renderMessages } from './render-messages.js';
export { renderNext } from './render-next.js';
export { renderStopped } from './render-stopped.js';
export { renderStory } from './render-story.js';
export { renderTurns } from './render-turns.js';
export { controlApp } from './routes.js';
export { listRunning, removeRunning, runningFolder, writeRunning } from './running.js';
export type { RunningEntry, RunningKind } from './running-entry.js';
export { followFile, tailFile } from './tail.js';
export { watchFlags } from './watch-flags.js';
export type {
  AgentLine,
  DeadList,
  DeadMessage,
  MessageStory,
  Operations,
  Reloaded,
  Reopened,
  StopHow,
  TurnLine,
  UnsureSend,
  WakeWays,
} from './wire.js';
