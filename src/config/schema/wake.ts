// Settings: what may wake the worker before its timer does.
import { wakeStream } from '../names.js';
import { settingsOf } from '../setting.js';
import { boolean, integer, list, text } from '../values.js';

const setting = settingsOf('wake');

const OPENED = 'what it opens is opened at the start';

export const WAKE_SETTINGS = {
  webhook: setting('webhook', boolean, {
    default: true,
    caption: 'whether the webhook receiver listens',
    restart: OPENED,
    example: true,
  }),
  webhookHost: setting('webhook_host', text('host'), {
    default: '127.0.0.1',
    caption: 'the address it listens on; any but loopback needs a `webhook_secret`',
    restart: OPENED,
    example: true,
  }),
  webhookPort: setting('webhook_port', integer({ min: 0, max: 65_535 }), {
    env: ['WEBHOOK_PORT'],
    default: 8787,
    caption: 'the port it listens on; 0 takes any free one',
    restart: OPENED,
    example: true,
  }),
  webhookSecret: setting('webhook_secret', list({ items: 'one secret or, for a rotation, several' }), {
    env: ['WEBHOOK_SECRET'],
    default: [],
    secret: true,
    caption: 'the secret that webhooks are signed with; of several, any one is accepted',
    reloadable: true,
  }),
  wakeStream: setting('wake_stream', wakeStream, {
    default: 'auto',
    caption: "the inbox's event stream; `auto` takes the one its profile knows",
    restart: OPENED,
    example: true,
  }),
  notifications: setting('notifications', boolean, {
    default: false,
    caption: "whether the inbox server's own MCP notifications wake, where it sends any",
    restart: OPENED,
    example: true,
  }),
};
