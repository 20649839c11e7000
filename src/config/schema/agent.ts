// Settings: Claude Code, what it may do, and what one turn tells it.
import { path, program, variableName, words } from '../names.js';
import { settingsOf } from '../setting.js';
import { cap, choice, duration, integer, list, text } from '../values.js';

const setting = settingsOf('agent');

/** A file that was edited under way, by the agent itself at worst, must not widen what it may do. */
const RIGHTS = 'what Claude may do and see is decided at the start alone';
const WAY = 'what was begun in one way is finished in it';

/** The seed documents' own prompt, but for its last word: a turn that ends in silence costs a second model call. */
const TICK_PROMPT =
  'Call list_dms. For each conversation with unread messages, call read_dm, then answer with send_dm. ' +
  'When nothing is left, say "done".';

export const AGENT_SETTINGS = {
  claudePath: setting('claude_path', program, {
    env: ['CLAUDE_PATH'],
    default: undefined,
    defaultText: '`claude` in PATH, else in node_modules',
    caption: 'the Claude Code program',
    restart: 'the program is looked for once, at the start',
  }),
  model: setting('model', text('model name'), {
    env: ['MODEL'],
    default: undefined,
    defaultText: "Claude Code's own",
    caption: 'the model, as Claude Code names it',
    reloadable: true,
  }),
  preset: setting('preset', choice('answer', 'read', 'work', 'everything'), {
    env: ['PRESET'],
    default: 'answer',
    caption:
      'what Claude may do: `answer` messages and nothing else, `read` the folder too, `work` in it, or `everything` without being asked',
    restart: RIGHTS,
    example: true,
  }),
  systemPromptFile: setting('system_prompt_file', path, {
    default: undefined,
    defaultText: '`config/prompts/answer.md`, for `pull` `pull.md`',
    caption:
      "the file with our system prompt: the whole one with preset `answer`, else added to Claude Code's own",
    reloadable: true,
  }),
  appendSystemPrompt: setting('append_system_prompt', text(), {
    default: undefined,
    caption: 'a text that is added to the system prompt',
    reloadable: true,
  }),
  claudeArgs: setting('claude_args', words, {
    default: [],
    caption: "further arguments of Claude Code's command line",
    restart: RIGHTS,
  }),
  passEnv: setting('pass_env', list({ items: 'names of environment variables', item: variableName }), {
    default: [],
    caption: 'environment variables that Claude is given besides those of login, provider and system',
    restart: RIGHTS,
  }),
  allowServers: setting('allow_servers', list({ items: 'names of entries of .mcp.json' }), {
    default: [],
    caption: 'other entries of `.mcp.json` that Claude may use',
    restart: RIGHTS,
  }),
  delivery: setting('delivery', choice('inline', 'pull'), {
    env: ['DELIVERY'],
    default: 'inline',
    caption:
      '`inline`: the prompt holds the messages and the final text is the reply; `pull`: Claude calls the tools',
    restart: WAY,
    example: true,
  }),
  pullScope: setting('pull_scope', choice('conversation', 'all'), {
    default: 'conversation',
    caption:
      'what a `pull` turn sees: one conversation, or all that wait, which mixes what different senders wrote',
    restart: WAY,
  }),
  tickPrompt: setting('tick_prompt', text(), {
    env: ['TICK_PROMPT'],
    default: TICK_PROMPT,
    caption: 'the prompt of a `pull` turn',
    reloadable: true,
  }),
  session: setting('session', choice('conversation', 'continuous', 'fresh'), {
    default: 'conversation',
    caption:
      'when Claude forgets: between `conversation`s, never (`continuous`: senders share one history), or after each turn (`fresh`: a process a turn)',
    restart: WAY,
    example: true,
  }),
  sessionTurns: setting('session_turns', cap('turns'), {
    default: 50 as number | 'unlimited',
    caption: 'after how many turns a session is ended and a new one begun with the memory of the old',
    reloadable: true,
  }),
  sessionAgeMs: setting('session_age', duration(), {
    default: 86_400_000,
    caption: 'after what time it is',
    reloadable: true,
  }),
  sessionContext: setting('session_context', cap('tokens'), {
    default: 120_000 as number | 'unlimited',
    caption: 'at how many tokens of history it is, before the model refuses it as too long',
    reloadable: true,
  }),
  recycleTurns: setting('recycle_turns', cap('turns'), {
    default: 500 as number | 'unlimited',
    caption: 'after how many turns the process is replaced, between two turns; its session goes on',
    reloadable: true,
  }),
  recycleAgeMs: setting('recycle_age', duration(), {
    default: 86_400_000,
    caption: 'after what time it is',
    reloadable: true,
  }),
  recycleMemory: setting('recycle_memory', cap('MB'), {
    default: 1_500 as number | 'unlimited',
    caption: 'at what size in memory it is (where the system tells)',
    reloadable: true,
  }),
  memoryExchanges: setting('memory_exchanges', integer({ min: 0, max: 1000, unit: 'messages' }), {
    default: 10,
    caption: 'how many earlier messages of the conversation a prompt recalls at most',
    reloadable: true,
    example: true,
  }),
  memoryChars: setting('memory_chars', integer({ min: 0, max: 1_000_000, unit: 'characters' }), {
    default: 8000,
    caption: 'how many characters of them at most',
    reloadable: true,
  }),
  maxInlineChars: setting('max_inline_chars', integer({ min: 200, max: 1_000_000, unit: 'characters' }), {
    default: 20_000,
    caption:
      'a longer message is cut in the prompt, all messages of a prompt together at three times as much; Claude reads on with read_dm',
    reloadable: true,
  }),
};
