// The door of the embedded inbox: a separate program that speaks AgentDM's documented tools and our own.
export { isLoopback } from './guard.js';
export type { Posted } from './send.js';
export { type LocalInbox, type LocalInboxOptions, startLocalInbox } from './start.js';
