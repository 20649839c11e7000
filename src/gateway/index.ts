// The door of the gateway: the MCP server that Claude sees in place of the remote inbox.
export { type Gateway, type GatewayOptions, gatewayApp } from './app.js';
