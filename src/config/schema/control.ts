// Settings: the private listener, by which commands, dashboard and Prometheus ask the worker.
import { token } from '../names.js';
import { settingsOf } from '../setting.js';
import { integer } from '../values.js';

const setting = settingsOf('control');

const OPENED = 'the private listener is opened at the start';

export const CONTROL_SETTINGS = {
  controlPort: setting('control_port', integer({ min: 0, max: 65_535 }), {
    default: 0,
    caption:
      'the loopback port of status, steering and `/metrics`; 0 takes any free one, and so does a worker that finds it taken',
    restart: OPENED,
  }),
  controlToken: setting('control_token', token, {
    default: undefined,
    defaultText: 'a new one for each run',
    secret: true,
    caption: 'the bearer token that it asks for; set one where Prometheus scrapes `/metrics`',
    restart: OPENED,
  }),
};
