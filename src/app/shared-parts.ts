// What an agent shares with the others of its process. One that is alone has all of it to itself.
import type { AgentLine } from '../control/index.js';
import type { Door } from '../wake/index.js';
import type { PrivateServer } from './private-server.js';

export interface SharedParts {
  /** The private listener, under this agent's name: closed with the agent, which takes its parts away; the port stays. */
  readonly server: PrivateServer;
  /** Of control, one a process. */
  readonly token: string;
  /** To the public listener; undefined where this agent takes no webhooks. */
  readonly door: Door | undefined;
  /** Of all inboxes that are answered here. */
  readonly identities: readonly string[];
  /** The agents of the process, in their order. */
  agents(): Promise<readonly AgentLine[]>;
}
