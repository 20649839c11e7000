// The inbox as a worker sees it, and what it announces by itself where that is to wake.
import type { ResolvedInbox, Settings } from '../config/index.js';
import { connectInbox } from '../inbox/index.js';
import type { Clock } from '../ports/clock.js';
import type { Upstream } from '../ports/upstream.js';
import { type NotificationSource, notificationSource } from '../wake/index.js';
import { profileOf } from './profile.js';

export interface UpstreamWish {
  readonly settings: Settings;
  readonly inbox: ResolvedInbox;
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
  onNotice(text: string): void;
}

/** Nothing is asked of the inbox yet. @throws WorkerError as `profileOf` does */
export async function makeUpstream(
  wish: UpstreamWish,
): Promise<{ readonly upstream: Upstream; readonly notifications: NotificationSource | undefined }> {
  const { settings, inbox, clock } = wish;
  // A single look hears nothing that it would not find by itself.
  const notifications = settings.notifications && !settings.once ? notificationSource({ clock }) : undefined;
  const upstream = connectInbox({
    server: inbox.server,
    profile: await profileOf(settings, wish.env),
    ownAlias: settings.ownAlias,
    clock,
    callTimeoutMs: settings.callTimeoutMs,
    onNotice: wish.onNotice,
    ...(notifications && { onAnnounced: () => notifications.heard() }),
  });
  return { upstream, notifications };
}
