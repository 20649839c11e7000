// The door of the config room.
export { describeOrigin, describeSettings, type SettingRow } from './describe.js';
export { GROUP_TITLES } from './docs.js';
export { endpointOf, inboxIdentity } from './identity.js';
export { loadSettings, type Settings } from './load.js';
export { loginEnvironment } from './login.js';
export { inboxName, type ResolvedInbox, resolveInbox } from './mcp-json.js';
export { isAgentName } from './names.js';
export { settingOptions } from './options.js';
export { readProfileFile } from './profile-file.js';
export { readSystemPrompt } from './prompt-file.js';
export { renewSettings, type SettingChange, type SettingKept } from './reload.js';
export {
  LOCAL_INBOX_PORT,
  missingIgnores,
  STARTER_DEFAULTS,
  type StarterAnswers,
  type StarterFile,
  starterFault,
  starterFiles,
} from './starter.js';
export { duration } from './values.js';
