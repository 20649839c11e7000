// Every JSON document of the command line: its command, when it comes, and its schema. docs/json.md is made of this.
import type { z } from 'zod';
import * as handling from './handling.js';
import * as watching from './watching.js';

export interface Document {
  /** As typed, without the program. */
  readonly command: string;
  /** When it is this one, where a command has several. */
  readonly when?: string;
  readonly schema: z.ZodType;
}

export const DOCUMENTS: readonly Document[] = [
  { command: 'status --json', when: 'a worker runs; exit code 0', schema: watching.statusRunning },
  { command: 'status --json', when: 'none runs; exit code 8', schema: watching.statusStopped },
  { command: 'status --all --json', schema: watching.statusAll },
  {
    command: 'status --watch --json',
    when: 'one object a line: one of the above, or where neither can be had',
    schema: watching.statusTrouble,
  },
  { command: 'next --json', schema: watching.next },
  { command: 'reload --json', schema: watching.reload },
  { command: 'messages --json', schema: handling.messages },
  { command: 'show ID --json', schema: handling.show },
  { command: 'dead --json', schema: handling.dead },
  { command: 'ledger --json', schema: handling.ledger },
  { command: 'retry ID --json', when: 'for a message', schema: handling.retryMessage },
  { command: 'retry ID --json', when: 'for a send', schema: handling.retrySend },
  { command: 'drop ID --json', when: 'for a message', schema: handling.dropMessage },
  { command: 'drop ID --json', when: 'for a send', schema: handling.dropSend },
  { command: 'pause --json, resume --json', schema: handling.pause },
  { command: 'send --json', schema: handling.sendOnly },
  { command: 'send --wait --json', schema: handling.sendAndWait },
  { command: 'read --json', when: 'a list', schema: handling.read },
  { command: 'logs --json', schema: watching.logs },
  { command: 'logs --follow --json', when: 'one object a line', schema: watching.logLine },
  { command: 'dashboard --json', schema: watching.dashboard },
  { command: 'lease --json', schema: watching.lease },
  { command: 'config --json', schema: watching.config },
  { command: 'doctor --json', schema: watching.doctor },
];
