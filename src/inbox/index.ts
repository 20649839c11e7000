// The door of the inbox room: a remote MCP inbox behind the Upstream port.
export type { HttpServer, InboxOptions, InboxServer, ProfileChoice, StdioServer } from './options.js';
export { type CustomProfile, parseCustomProfile } from './profiles/custom-schema.js';
export { secretsOf } from './secrets.js';
export { connectInbox } from './upstream.js';
