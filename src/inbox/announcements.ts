// What a server says unasked: which notifications may mean mail, and how to be told of more.
import type { Client } from '@modelcontextprotocol/client';
import { z } from 'zod';
import type { Reply } from './call.js';
import { reveal } from './raw-result.js';
import { nameOfServer } from './secrets.js';
import type { Ask, SessionSettings } from './session.js';
import type { StandingStreamOptions } from './standing-stream.js';

/** Not about mail. Log lines least of all: a server that logs our look would make us look again, for ever. */
const NO_NEWS = ['notifications/message', 'notifications/progress', 'notifications/cancelled'];
const MAX_SUBSCRIPTIONS = 20;

const RESOURCES = z.looseObject({
  resources: z.array(z.looseObject({ uri: z.string() }).nullable().catch(null)),
});

export function hearAnnouncements(client: Client, onAnnounced: () => void): void {
  client.fallbackNotificationHandler = async ({ method }) => {
    if (!NO_NEWS.includes(method)) onAnnounced();
  };
}

export function standing(settings: SessionSettings, onAnnounced: () => void): StandingStreamOptions {
  return {
    now: settings.now,
    sleep: settings.sleep,
    onGap: onAnnounced,
    onUnavailable: (status) =>
      settings.notice(
        `${nameOfServer(settings.server)} has no stream of notifications (HTTP ${status}): those it sends beside its answers are all that is heard.`,
      ),
  };
}

/** A modern server says nothing beside its answers but what was asked for. */
export function announcesNothing({ server, notice }: SessionSettings): void {
  notice(
    `${nameOfServer(server)} announces no changes of its resources: nothing is heard of it between looks.`,
  );
}

/** The server's first resources, where it tells of changes of them. Never rejects. */
export async function resourcesToWatch(
  client: Client,
  ask: <T>(request: Ask<T>) => Promise<Reply<T>>,
): Promise<readonly string[]> {
  if (client.getServerCapabilities()?.resources?.subscribe !== true) return [];
  const listed = await ask(async (options) => {
    const result = await client.request({ method: 'resources/list', params: {} }, options);
    return RESOURCES.parse(reveal(result));
  });
  if (listed.kind === 'failed') return [];
  return listed.value.resources.flatMap((resource) => resource?.uri ?? []).slice(0, MAX_SUBSCRIPTIONS);
}

/** The legacy way, one request a resource; what is announced comes on the standing stream. Never rejects. */
export async function subscribeEach(
  client: Client,
  uris: readonly string[],
  ask: <T>(request: Ask<T>) => Promise<Reply<T>>,
): Promise<void> {
  for (const uri of uris) {
    await ask((options) => client.request({ method: 'resources/subscribe', params: { uri } }, options));
  }
}
