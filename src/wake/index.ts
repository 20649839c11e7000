// The door of the wake sources: webhook receiver, wake stream, notifications, process signals.
export type { Door, WebhookReceiver } from './door.js';
export { WebhookHub } from './hub.js';
export { type NotificationSource, notificationSource } from './notifications.js';
export { processSignals, type SignalLatch } from './signals.js';
export { type WakeStreamOptions, wakeStream } from './stream.js';
export { type TrialOutcome, type TrialWish, tryReceiver } from './trial.js';
export { type WebhookOptions, webhookReceiver } from './webhook.js';
