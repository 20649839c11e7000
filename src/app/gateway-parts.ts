// The gateway of one agent on the private listener, and the desk that says whose turn is open behind it.
import { gatewayApp } from '../gateway/index.js';
import { Desk } from '../worker/desk.js';
import { messageOf } from '../worker/faults.js';
import type { PrivateServer } from './private-server.js';
import type { Releases } from './releases.js';
import { systemIds } from './system.js';

export interface GatewayWish {
  readonly server: PrivateServer;
  /** The inbox's name, under which Claude knows its tools. */
  readonly name: string;
  readonly version: string;
  readonly releases: Releases;
  /** A tool failed, in one sentence. */
  onTrouble?(text: string): void;
}

export function openGateway({ server, name, version, releases, onTrouble }: GatewayWish): Desk {
  const desk = new Desk(systemIds);
  const gateway = gatewayApp({
    turns: desk,
    name,
    version,
    onError: (tool, error) => onTrouble?.(`The tool ${tool} failed: ${messageOf(error)}`),
  });
  releases.add(() => gateway.close());
  server.mount('mcp', (request) => gateway.fetch(request));
  return desk;
}
