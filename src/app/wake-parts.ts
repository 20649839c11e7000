// The wake sources of one agent: webhook receiver, wake stream, SIGUSR1, control files.
import type { ResolvedInbox, Settings } from '../config/index.js';
import { type WakeWays, watchFlags } from '../control/index.js';
import type { Fitness } from '../domain/health.js';
import type { Clock } from '../ports/clock.js';
import type { Deliveries } from '../ports/deliveries.js';
import type { Flags } from '../ports/flags.js';
import type { Observer } from '../ports/observer.js';
import type { WakeSource } from '../ports/wake-source.js';
import {
  type Door,
  processSignals,
  type SignalLatch,
  type WebhookReceiver,
  wakeStream,
  webhookReceiver,
} from '../wake/index.js';
import { systemRandom } from './system.js';

export interface WakeWish {
  readonly settings: Settings;
  readonly inbox: ResolvedInbox;
  readonly deliveries: Deliveries;
  readonly flags: Flags;
  readonly flagsFolder: string;
  readonly signals: SignalLatch | undefined;
  /** To the listener that several agents share; without one the agent has its own. */
  readonly door: Door | undefined;
  readonly clock: Clock;
  readonly observer: Observer;
  /** What `GET /healthz` answers, where the agent has a listener of its own. */
  health(): Fitness;
  onStopFile(): void;
}

export interface WakeParts {
  readonly sources: WakeSource[];
  readonly receiver: WebhookReceiver | undefined;
  /** Announces a test delivery under this id, and tells how the ways stand. */
  test(id: string): WakeWays;
}

export function makeWakeSources(wish: WakeWish): WakeParts {
  const { settings, inbox, clock, observer, flags } = wish;
  const receiver = settings.webhook ? receiverOf(wish) : undefined;
  const where = wakeStreamOf(settings, inbox);
  const stream = where && wakeStream({ ...where, clock, observer, random: systemRandom });
  const files = watchFlags({
    folder: wish.flagsFolder,
    flags,
    onStop: wish.onStopFile,
    onTrouble: (text) => observer.on({ type: 'notice', level: 'warn', text }),
  });
  return {
    receiver,
    sources: [
      files,
      ...(wish.signals ? [processSignals(wish.signals)] : []),
      ...(receiver ? [receiver] : []),
      ...(stream ? [stream] : []),
    ],
    test: (id) => {
      receiver?.expectTest(id);
      const address = receiver?.address();
      return {
        id,
        ...(receiver && address && { webhook: { ...address, path: receiver.path } }),
        ...(stream && { stream: stream.connected() }),
      };
    },
  };
}

function receiverOf(wish: WakeWish): WebhookReceiver {
  const { settings, inbox, door, deliveries, clock, observer, health } = wish;
  const behind = { deliveries, clock, observer };
  if (door) return door.attach(behind);
  return webhookReceiver({
    ...behind,
    health,
    host: settings.webhookHost,
    port: settings.webhookPort,
    secrets: settings.webhookSecret,
    agentName: settings.name ?? inbox.name,
  });
}

/** AgentDM's documented wake stream lives on another host than its MCP endpoint; the embedded inbox has both on one. */
export function wakeStreamOf(
  settings: Settings,
  inbox: ResolvedInbox,
): { url: string; headers: Readonly<Record<string, string>> } | undefined {
  const { server } = inbox;
  if (server.type !== 'http' || settings.wakeStream === 'off') return undefined;
  if (settings.wakeStream !== 'auto') return { url: settings.wakeStream, headers: server.headers };
  const { hostname, origin } = new URL(server.url);
  if (hostname === 'api.agentdm.ai') {
    return { url: 'https://app.agentdm.ai/api/agents/wake-stream', headers: server.headers };
  }
  const embedded = server.url.endsWith('/mcp/v1/grid');
  return embedded ? { url: `${origin}/api/agents/wake-stream`, headers: server.headers } : undefined;
}
