// Breaks a real worker on purpose: `node scripts/chaos.mjs --minutes 20 --messages 500 --seed 7`. Exits 1 when it shows.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { runnerImport } from 'vite';

const { values } = parseArgs({
  options: {
    /** Over how long the questions are posted. */
    minutes: { type: 'string', default: '2' },
    /** How many; default 25 a minute. */
    messages: { type: 'string' },
    seed: { type: 'string' },
    /** What the worker speaks: dms or agentdm. */
    vocabulary: { type: 'string', default: 'dms' },
    /** Mean time between two kills, in seconds. */
    'kill-every': { type: 'string', default: '5' },
    /** How long nothing may move after that before the rest counts as lost, in seconds. */
    patience: { type: 'string', default: '180' },
    /** Leaves logs and databases behind, and says where. */
    keep: { type: 'boolean', default: false },
    /** Runs dist/ as it is. */
    'no-build': { type: 'boolean', default: false },
  },
});
const minutes = positive('minutes', values.minutes);
const messages = Math.ceil(positive('messages', values.messages ?? minutes * 25));
const seed = positive('seed', values.seed ?? Math.ceil(Math.random() * 1e6));
const { vocabulary } = values;
if (!['dms', 'agentdm'].includes(vocabulary)) refuse('vocabulary', vocabulary, 'dms or agentdm');

const root = fileURLToPath(new URL('../', import.meta.url));
if (!values['no-build']) execFileSync('npm', ['run', 'build', '--silent'], { cwd: root, stdio: 'inherit' });
const load = async (name) =>
  (await runnerImport(`${root}test/chaos/${name}.ts`, { configFile: false, logLevel: 'error' })).module;
const { runChaos } = await load('run-chaos');
const { isGoodRun, table } = await load('report');

const stop = new AbortController();
for (const name of ['SIGINT', 'SIGTERM']) process.once(name, () => stop.abort());
console.error(`chaos: seed ${seed}, ${messages} messages over ${minutes} min`);
const report = await runChaos({
  seed,
  vocabulary,
  messages,
  postingMs: minutes * 60_000,
  killEveryMs: positive('kill-every', values['kill-every']) * 1000,
  longBursts: minutes >= 5,
  patienceMs: positive('patience', values.patience) * 1000,
  keep: values.keep,
  tell: (line) => console.error(line),
  signal: stop.signal,
}).catch((error) => {
  if (!stop.signal.aborted) throw error;
  console.error('chaos: called off');
  process.exit(1);
});
console.log(table(report));
process.exitCode = isGoodRun(report) ? 0 : 1;

function positive(name, text) {
  const value = Number(text);
  return value > 0 ? value : refuse(name, text, 'a number above 0');
}

function refuse(name, text, instead) {
  console.error(`error: --${name} has the value "${text}".\ntry: write ${instead}.`);
  process.exit(2);
}
