// How each command of the pages is run by the tests: one line for one command. A new one in the pages needs its line.

/**
 * `agent`: an agent's folder with an inbox, where nobody runs. `running`: the same with a worker. `worker`: with one that
 * has answered @alice and given up on @bob, whose message is ID, and on @carol. `rehearsal`: the project, while a rehearsal runs. `inbox`: a folder beside
 * an embedded inbox with @agent and @desk, and a worker. `agents`: a folder with the settings of two agents, `support` and
 * `scout`, below `config/agents`. `fleet`: the same while one process runs both. `checkout`: a copy of the project that may be built. `empty`: an
 * empty folder. What begins with npm is run in the project, except in `checkout`.
 */
export const PLACES = [
  'agent',
  'running',
  'worker',
  'rehearsal',
  'inbox',
  'agents',
  'fleet',
  'checkout',
  'empty',
] as const;
export type PlaceName = (typeof PLACES)[number];

export interface Way {
  readonly at: PlaceName;
  /** In a place that no other command has seen. */
  readonly fresh?: true;
  /** What stands in place of a text of it here, or the word by which the place knows that. */
  readonly fill?: Readonly<Record<string, string>>;
  /** Default 0. */
  readonly exit?: number;
  /** In what it prints. */
  readonly says?: RegExp;
  /** It stays: once it has said this, it gets Ctrl-C, and then ends with `exit`. */
  readonly until?: RegExp;
  /** It takes a fixed port of the machine: what is added where somebody else has that. */
  readonly spare?: string;
  /** It asks on a terminal: what is typed there. */
  readonly answers?: string;
}

const ready = /Claude Code is ready/;
const page = /^http:\/\/127\.0\.0\.1:\d+\/dashboard\/#token=/m;
const twice = /Claude Code is ready[\s\S]*Claude Code is ready/;

/**
 * Each command as it stands in the pages, fenced or in the text, without its comment; run in this order. Words such as
 * ID and FOLDER are filled in by the place.
 */
export const WAYS: Readonly<Record<string, Way>> = {
  // npm tells of a Ctrl-C by an exit code of its own, however well its script has ended.
  'npm start': { at: 'checkout', until: /That took 1 model call/, exit: 130 },
  'npm run build': { at: 'checkout' },
  'npm link': { at: 'checkout' },
  'npm run -s inbox-worker -- send --wait "What did I say first?"': {
    at: 'rehearsal',
    says: /First you said/,
  },
  'npm run -s inbox-worker -- status': { at: 'rehearsal', says: /idle/i },
  'npm run -s inbox-worker -- run --dir FOLDER': { at: 'agent', until: ready, exit: 130 },
  'npm run -s inbox-worker -- dashboard': { at: 'rehearsal', says: page },
  'inbox-worker send TEXT': { at: 'rehearsal', says: /^Sent to @agent/ },
  'inbox-worker send --wait "Do you deliver on Sundays?"': {
    at: 'rehearsal',
    says: /Hello from the scripted/,
  },
  'inbox-worker read': { at: 'rehearsal' },
  'inbox-worker init': { at: 'empty', answers: '\n\n\n\n\n\n', says: /Tried: the preset answer[\s\S]*Next:/ },
  'inbox-worker inbox': { at: 'empty', until: /Ctrl-C ends it/, spare: '--port 0' },
  'inbox-worker inbox --alias agent --alias desk': {
    at: 'empty',
    until: /Claude Desktop, as @desk/,
    spare: '--port 0',
  },
  'inbox-worker doctor': { at: 'agent', says: /A worker can run here/ },
  'inbox-worker config': { at: 'agent', says: /budget_day/ },
  'inbox-worker rehearse': { at: 'agent', until: /Ctrl-C ends the rehearsal/ },
  'inbox-worker rehearse --once': { at: 'agent', says: /Tried: the preset answer/ },
  'inbox-worker run': { at: 'agent', until: ready },
  'inbox-worker run --once': { at: 'agent' },
  'inbox-worker run --config seed': { at: 'agent', until: ready },
  'INTERVAL=60 inbox-worker run --config seed --session fresh': { at: 'agent', until: ready },
  'inbox-worker run --config seed --session fresh --once': { at: 'agent' },
  'inbox-worker lease': { at: 'agent', says: /The lease is free/ },
  'inbox-worker send --as @desk --wait "Which files do you see in your folder?"': {
    at: 'inbox',
    says: /Hello/,
  },
  'inbox-worker bridge': { at: 'inbox' },
  'inbox-worker run --config config/agents/support.json': { at: 'agents', until: ready },
  'inbox-worker run --all config/agents/*.json': { at: 'agents', until: twice },
  'inbox-worker run --all /srv/agents/*.json': { at: 'agents', until: twice, fill: { '/srv/': 'config/' } },
  'inbox-worker status --all --json': {
    at: 'fleet',
    says: /"support"[\s\S]*"scout"|"scout"[\s\S]*"support"/,
  },
  'inbox-worker reload --all': { at: 'fleet', says: /support[\s\S]*scout|scout[\s\S]*support/ },
  'inbox-worker status --agent support': { at: 'fleet', says: /support/ },
  'inbox-worker dead --agent scout': { at: 'fleet' },
  'inbox-worker stop --agent support': { at: 'fleet', says: /Stopping/ },
  'inbox-worker stop --all': { at: 'fleet', says: /Stopping/ },
  'inbox-worker status': { at: 'worker', says: /idle/i },
  'inbox-worker next': { at: 'worker', says: /Nobody waits/ },
  'inbox-worker reload': { at: 'worker', says: /Nothing has changed/ },
  'inbox-worker wake': { at: 'worker', says: /Woken/ },
  'inbox-worker messages': { at: 'worker', says: /@alice/ },
  'inbox-worker dashboard': { at: 'worker', says: page },
  'inbox-worker dashboard --print': { at: 'worker', says: page },
  'inbox-worker ledger': { at: 'worker', says: /@alice/ },
  'inbox-worker ledger --limit 5': { at: 'worker', says: /@alice/ },
  'inbox-worker ledger --limit 20': { at: 'worker', says: /@alice/ },
  'inbox-worker logs': { at: 'worker' },
  'inbox-worker dead': { at: 'worker', says: /2 messages given up/ },
  'inbox-worker show ID': { at: 'worker', says: /given up/ },
  'inbox-worker pause': { at: 'worker' },
  'inbox-worker resume': { at: 'worker' },
  'inbox-worker retry ID': { at: 'worker' },
  'inbox-worker drop ID': { at: 'worker', fill: { ID: 'message of @carol' } },
  'inbox-worker lease --release TAG': { at: 'running', fresh: true, says: /The lease is free/ },
  'inbox-worker stop': { at: 'running', fresh: true, says: /Stopping \(drain\)/ },
  'inbox-worker stop --force': { at: 'running', fresh: true, says: /Stopping \(force\)/ },
};

/** Run as they stand, in a folder of the block's own. */
export const FILE_COMMANDS = ['cd', 'cp', 'echo', 'mkdir', 'cat', 'chmod', 'touch', 'ls', 'export', 'test'];

/** Programs that the pages may name without the tests running them. */
export const OTHER_PROGRAMS = [
  ...['npm', 'npx', 'node', 'claude', '$EDITOR', 'git', 'kill', 'curl', 'crontab', 'openssl', 'sudo'],
  ...[
    'apt-get',
    'useradd',
    'systemctl',
    'journalctl',
    'launchctl',
    'docker',
    'podman',
    'kubectl',
    'psql',
    'pm2',
  ],
];

/** Commands of ours begin so; the rest of the line is theirs. */
export const OURS = ['inbox-worker', 'npx inbox-worker', 'node dist/main.js', 'npm run -s inbox-worker --'];

/** The program of a command, behind the variables that are set for it. */
export const programOf = (text: string): string =>
  text.replace(/^(?:[A-Z_]+=(?:"[^"]*"|'[^']*'|\S*)\s+)*/, '').split(/\s+/)[0] ?? '';

/** What is given to our program, or undefined where another one is called. */
export function ourArguments(text: string): string[] | undefined {
  const bare = text.replace(/^(?:[A-Z_]+=(?:"[^"]*"|'[^']*'|\S*)\s+)*/, '');
  const head = OURS.find((one) => bare === one || bare.startsWith(`${one} `));
  if (head === undefined) return undefined;
  const rest = bare.slice(head.length);
  return [...rest.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    (match) => match[1] ?? match[2] ?? match[3] ?? '',
  );
}
