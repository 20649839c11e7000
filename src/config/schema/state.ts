// Settings: what is kept where, who may write it, and what is logged.
import { isAbsolute, join } from 'node:path';
import { path } from '../names.js';
import { settingsOf } from '../setting.js';
import { boolean, choice, duration, integer, text } from '../values.js';

const setting = settingsOf('state');

const OPEN = 'the store is open there';
const LEASE = 'the lease was taken with it';
const LOG = 'the file is opened at the start';

export const STATE_SETTINGS = {
  stateDir: setting('state_dir', path, {
    // The XDG specification says to ignore a relative XDG_STATE_HOME.
    default: ({ env, home }) =>
      join(
        env.XDG_STATE_HOME && isAbsolute(env.XDG_STATE_HOME)
          ? env.XDG_STATE_HOME
          : join(home, '.local', 'state'),
        'inbox-worker',
      ),
    defaultText: '`$XDG_STATE_HOME/inbox-worker`, else `~/.local/state/inbox-worker`',
    caption: 'the folder that holds a folder of state for each inbox',
    restart: OPEN,
  }),
  databaseUrl: setting('database_url', text('postgres://user:password@host:5432/database'), {
    default: undefined,
    secret: true,
    caption: 'a PostgreSQL database that holds mailbox, outbox, ledger and lease, in place of a local file',
    restart: OPEN,
  }),
  leaseStaleMs: setting('lease_stale', duration({ minMs: 1000 }), {
    default: 300_000,
    caption: 'after how long without a heartbeat another worker may take the inbox over',
    restart: LEASE,
  }),
  leaseHeartbeatMs: setting('lease_heartbeat', duration({ minMs: 100 }), {
    default: 20_000,
    caption: 'how often we say that we are alive',
    restart: LEASE,
  }),
  logLevel: setting('log_level', choice('trace', 'debug', 'info', 'warn', 'error', 'silent'), {
    env: ['LOG_LEVEL'],
    default: 'info',
    caption: 'how much is logged',
    reloadable: true,
    example: true,
  }),
  logFormat: setting('log_format', choice('auto', 'json', 'pretty'), {
    default: 'auto',
    caption: 'how logs are written; `auto` is `pretty` on a terminal, else `json`',
    restart: 'a log keeps one form',
    example: true,
  }),
  logFile: setting('log_file', path, {
    default: undefined,
    defaultText: 'none',
    caption: 'a file that gets the log too, as JSON, whatever stderr gets',
    restart: LOG,
  }),
  logFileSize: setting('log_file_size', integer({ min: 1, max: 10_000, unit: 'MB' }), {
    default: 10,
    caption: 'at what size it is moved to `.1` and begun anew',
    restart: LOG,
  }),
  logFileCount: setting('log_file_count', integer({ min: 1, max: 1000, unit: 'files' }), {
    default: 5,
    caption: 'how many of those that were moved are kept',
    restart: LOG,
  }),
  logBodies: setting('log_bodies', boolean, {
    default: false,
    caption: 'whether the log holds what people write and are answered, cut to 500 characters',
    reloadable: true,
  }),
  liveLine: setting('live_line', choice('auto', 'off'), {
    default: 'auto',
    caption: 'whether `run` on a terminal shows what it is doing in a line at the bottom',
    restart: 'the line is made at the start',
  }),
};
