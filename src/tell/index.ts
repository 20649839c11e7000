// The door of the room: tells people, through their own commands and webhooks, when it matters.
export { type CheckedTarget, checkTarget } from './check.js';
export { commandEnvironment } from './environment.js';
export { readTold } from './memory.js';
export type { Death } from './news.js';
export type { Target } from './target.js';
export { type Teller, teller } from './teller.js';
