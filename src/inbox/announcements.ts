// What a server says unasked: which notifications may mean mail, and how to be told of more.
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { z } from 'zod';
import type { Reply } from './call.js';
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

/** Subscribes to the server's first resources, where it offers that. Never rejects. */
export async function subscribeToResources(
  client: Client,
  ask: <T>(request: Ask<T>) => Promise<Reply<T>>,
): Promise<void> {
  if (client.getServerCapabilities()?.resources?.subscribe !== true) return;
  const listed = await ask((options) =>
    client.request({ method: 'resources/list', params: {} }, RESOURCES, options),
  );
  if (listed.kind === 'failed') return;
  const uris = listed.value.resources.flatMap((resource) => resource?.uri ?? []);
  for (const uri of uris.slice(0, MAX_SUBSCRIPTIONS)) {
    await ask((options) =>
      client.request({ method: 'resources/subscribe', params: { uri } }, z.looseObject({}), options),
    );
  }
}
