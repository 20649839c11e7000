// Settings: which inbox, who we are there, and whom Claude may write to.
import { addresses, agentName, alias, inboxId, path, people, profile } from '../names.js';
import { settingsOf } from '../setting.js';
import { choice, duration, text } from '../values.js';

const setting = settingsOf('inbox');

const NAMES_INBOX = 'it says whose run this is';
const CONNECTION = 'the inbox is connected with it';

export const INBOX_SETTINGS = {
  dir: setting('dir', path, {
    default: ({ cwd }) => cwd,
    defaultText: 'the current folder',
    caption: 'the folder of the agent: `.mcp.json`, `.env` and `config/worker.json` are read there',
    outsideFiles: true,
    restart: 'everything else is found by it',
  }),
  name: setting('name', agentName, {
    default: undefined,
    defaultText: "with `--all` the file's base name, else none",
    caption:
      "the agent's own name: in log lines, for `--agent`, in `/webhook/NAME` (without one that is the inbox's)",
    restart: NAMES_INBOX,
  }),
  inbox: setting('inbox', text('name'), {
    env: ['INBOX'],
    default: undefined,
    defaultText: '`agentdm`, else the only entry',
    caption: 'which entry of `.mcp.json` is the inbox',
    restart: NAMES_INBOX,
  }),
  inboxId: setting('inbox_id', inboxId, {
    default: undefined,
    defaultText: 'from endpoint and key',
    caption: 'a name of your own for the inbox in the state folder, to keep its history when the key changes',
    restart: NAMES_INBOX,
  }),
  profile: setting('profile', profile, {
    default: 'auto',
    caption: 'which tools the inbox speaks; `auto` chooses from its list of tools',
    restart: CONNECTION,
    example: true,
  }),
  ownAlias: setting('own_alias', alias, {
    default: undefined,
    defaultText: 'unknown',
    caption: 'our own alias, by which mentions in channels and our own messages are known',
    restart: CONNECTION,
  }),
  allowSenders: setting('allow_senders', people, {
    default: 'anyone',
    caption: 'whose messages are answered; those of others are recorded and stay silent',
    reloadable: true,
    example: true,
  }),
  denySenders: setting('deny_senders', addresses, {
    default: [],
    caption: 'whose messages are not answered, even where `allow_senders` has them',
    reloadable: true,
  }),
  channels: setting('channels', choice('mention', 'all', 'ignore'), {
    default: 'mention',
    caption: 'which messages of channels are answered: those that name our alias, `all`, or none (`ignore`)',
    reloadable: true,
    example: true,
  }),
  sendTo: setting('send_to', people, {
    default: [],
    caption: 'whom Claude may write to besides whoever wrote to it',
    reloadable: true,
    example: true,
  }),
  callTimeoutMs: setting('call_timeout', duration(), {
    default: 15_000,
    caption: 'how long one call to the inbox may take',
    restart: CONNECTION,
  }),
};
