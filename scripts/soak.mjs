// Soak: many turns and many lost inbox sessions, and whether the worker's memory and handles stay level.
// Usage: npm run build && node scripts/soak.mjs [--turns 2000] [--reconnects 1000] [--claude PROGRAM]
// PROGRAM may be a stand-in that speaks the wire (test/fixtures/fake-claude/well-behaved.mjs): the worker is what is weighed.
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { execa } from 'execa';

const { values } = parseArgs({
  options: {
    turns: { type: 'string', default: '2000' },
    reconnects: { type: 'string', default: '1000' },
    claude: { type: 'string' },
  },
});
const turns = Number(values.turns);
const reconnects = Number(values.reconnects);
const packageRoot = resolve(import.meta.dirname, '..');
const { startLocalInbox } = await import(join(packageRoot, 'dist/local-inbox/index.js'));
const { startScriptedApi, claudeEnvironment } = await import(join(packageRoot, 'dist/rehearsal/index.js'));

const SENDERS = ['@ann', '@ben', '@cat', '@dan', '@eve'];
const root = await mkdtemp(join(tmpdir(), 'inbox-soak-'));
const folder = join(root, 'agent');
const home = join(root, 'home');
await mkdir(join(folder, 'config'), { recursive: true });
await mkdir(home);

let answered = 0;
let onAnswer = () => {};
const inbox = await startLocalInbox({
  databasePath: join(root, 'inbox.db'),
  onPosted: ({ from }) => {
    if (from !== '@agent') return;
    answered += 1;
    onAnswer();
  },
});
const api = await startScriptedApi({ keep: 5 });
const key = inbox.ensureAlias('@agent');
for (const sender of SENDERS) inbox.ensureAlias(sender);
const server = { type: 'http', url: inbox.url, headers: { Authorization: `Bearer ${key}` } };
await writeFile(join(folder, '.mcp.json'), JSON.stringify({ mcpServers: { agentdm: server } }));
await writeFile(
  join(folder, 'config', 'worker.json'),
  JSON.stringify({
    claude_path: resolve(values.claude ?? join(packageRoot, 'node_modules/.bin/claude')),
    webhook: false,
    min_sleep: '1s',
    budget_day: 'unlimited',
    loop_turns: 'unlimited',
    log_level: 'warn',
    log_format: 'json',
  }),
);
const worker = execa(process.execPath, [join(packageRoot, 'dist/main.js'), 'run'], {
  cwd: folder,
  env: { ...claudeEnvironment({ apiUrl: api.url, home }), XDG_STATE_HOME: join(root, 'state') },
  extendEnv: false,
  reject: false,
  stdout: 'inherit',
  stderr: 'inherit',
});

async function sample(label) {
  const status = await readFile(`/proc/${worker.pid}/status`, 'utf8');
  const megabytes = Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
  const handles = (await readdir(`/proc/${worker.pid}/fd`)).length;
  console.log(
    `${label.padStart(6)} turns  ${String(megabytes).padStart(5)} MB  ${String(handles).padStart(4)} handles`,
  );
}

const startedAt = Date.now();
const every = Math.max(1, Math.round(turns / 20));
let dropped = 0;
for (let turn = 1; turn <= turns; turn += 1) {
  const before = answered;
  const answer = new Promise((done) => {
    onAnswer = () => answered > before && done();
  });
  // Spread evenly, however the two numbers relate.
  while (dropped < Math.floor((turn * reconnects) / turns)) {
    // The answer to the last send is still on its way: cut off, it would be waited for until the call's limit.
    await sleep(20);
    await inbox.dropSessions();
    dropped += 1;
  }
  inbox.post({ from: SENDERS[turn % SENDERS.length], to: '@agent', text: `message ${turn}` });
  await answer;
  if (turn === 1 || turn % every === 0) await sample(String(turn));
}
const seconds = Math.round((Date.now() - startedAt) / 1000);
worker.kill('SIGTERM');
const { exitCode } = await worker;
console.log(
  `${answered} answers, ${dropped} sessions dropped, ${api.total} calls, ${seconds} s, exit ${exitCode}`,
);
await inbox.close();
await api.close();
await rm(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
process.exitCode = answered === turns && exitCode === 0 ? 0 : 1;
