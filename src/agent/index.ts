// The door of the agent room: Claude Code as the port Agent, and what is needed to set it up and clean up after it.
export { type ChangeableAgent, claudeAgent } from './agent.js';
export { childEnvironment } from './environment.js';
export { type FindOptions, type FoundClaude, findClaude } from './find.js';
export type { AgentTimings, ClaudeAgentChange, ClaudeAgentOptions, GatewayAccess } from './options.js';
export { endOrphan } from './orphan.js';
export type { Preset } from './presets.js';
export { LOGGED_OUT } from './readiness.js';
export { sessionHolds } from './transcript.js';
