// The door of the bridge: a stdio MCP server in front of an inbox that speaks Streamable HTTP.
export { type BridgeOptions, runBridge } from './bridge.js';
export type { FindTarget, Target } from './target.js';
