// The door of the room: steering a worker by file and by HTTP, and finding the ones that run.
export { type Choice, chooseRunning } from './choose.js';
export { type ControlClient, controlClient } from './client.js';
export { fileFlags } from './flags.js';
export { renderStatus } from './render.js';
export { controlApp } from './routes.js';
export { listRunning, removeRunning, runningFolder, writeRunning } from './running.js';
export type { RunningEntry, RunningKind } from './running-entry.js';
export { watchFlags } from './watch-flags.js';
export type { MessageStory, StopHow, TurnLine } from './wire.js';
