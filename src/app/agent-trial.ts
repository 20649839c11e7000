// Starts Claude Code as a worker would, up to its readiness, and ends it again: no turn, so no model call.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ResolvedInbox, Settings } from '../config/index.js';
import type { ReadyOutcome } from '../ports/agent.js';
import { childMark, makeAgent } from './agent-parts.js';
import { agentFolder } from './folders.js';
import { openGateway } from './gateway-parts.js';
import { startPrivateServer } from './private-server.js';
import { Releases } from './releases.js';
import { systemClock, systemIds } from './system.js';

export interface TrialWish {
  readonly settings: Settings;
  readonly inbox: Pick<ResolvedInbox, 'name' | 'otherServers'>;
  readonly env: NodeJS.ProcessEnv;
  readonly version: string;
  readonly signal: AbortSignal;
}

export interface Trial {
  readonly outcome: ReadyOutcome;
  /** What was odd, in sentences; `LOGGED_OUT` of the agent room among them. */
  readonly notes: readonly string[];
}

/** A worker that runs beside it is not touched. @throws WorkerError as `makeAgent` does; nothing is left running */
export async function tryAgent(wish: TrialWish): Promise<Trial> {
  const { settings, inbox } = wish;
  const releases = new Releases();
  const notes: string[] = [];
  try {
    const stateFolder = await mkdtemp(join(tmpdir(), 'inbox-worker-trial-'));
    releases.add(() => rm(stateFolder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 }));
    const server = await startPrivateServer();
    releases.add(() => server.close());
    const desk = openGateway({ server, name: inbox.name, version: wish.version, releases });
    const agent = await makeAgent({
      settings,
      inbox,
      env: wish.env,
      gatewayUrl: `${server.url}/mcp`,
      desk,
      secrets: [],
      slot: 0,
      stateFolder,
      // Its own, else the end of this one would end what the worker's Claude has started.
      mark: childMark(`trial-${systemIds.word()}`, 0),
      // Where the hints of its errors send people.
      stderrLog: join(agentFolder(settings.dir), 'agent-loop.log'),
      clock: systemClock,
      ids: systemIds,
      observer: { on: (event) => void (event.type === 'notice' && notes.push(event.text)) },
      onSpawn: async () => {},
    });
    releases.add(() => agent.stop(2_000));
    return { outcome: await agent.ready({ kind: 'fresh' }, wish.signal), notes };
  } finally {
    await releases.run();
  }
}
