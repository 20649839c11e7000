// The built worker with one point at which it kills itself: `crash-worker.mjs POINT` in the agent's folder.
import { writeSync } from 'node:fs';
import { compose } from '../../dist/app/compose.js';
import { loadSettings, resolveInbox } from '../../dist/config/index.js';

/**
 * Where it dies, in the order of a message's life. `before` a call has had its effect, `after` its effect is there
 * and the worker does not know it yet. Each dies the first time that its call is about real mail.
 */
const POINTS = {
  'answer-received': before('upstream', 'look', { spools: true }),
  spooled: after('upstream', 'look', { spools: true }),
  acknowledged: after('upstream', 'look', { having: mailSpooled }),
  claimed: after('mailbox', 'claim', { having: (claim) => claim !== undefined }),
  'prompt-asked': before('agent', 'turn'),
  'prompt-written': (parts, die) => ({
    agent: standing(parts.agent, 'turn', async (turn, args) => {
      const outcome = turn(...args);
      // What was written synchronously is in the pipe by the next round of the event loop.
      setImmediate(die);
      return outcome;
    }),
  }),
  'mid-turn': (parts, die) => ({
    agent: standing(parts.agent, 'turn', (turn, [request, signal]) =>
      turn({ ...request, onProgress: die }, signal),
    ),
  }),
  'session-noted': after('mailbox', 'noteSession'),
  'tool-call-received': before('outbox', 'commit'),
  'outbox-queued': after('outbox', 'commit'),
  'settle-asked': before('mailbox', 'settle'),
  settled: after('mailbox', 'settle'),
  'ledger-ended': after('ledger', 'end'),
  'upstream-asked': before('upstream', 'send'),
  'upstream-accepted': after('upstream', 'send'),
  recorded: after('outbox', 'record'),
};

let spooled = 0;
function mailSpooled() {
  return spooled > 0;
}

/** Stands before one method of a port; everything else is the port's own. */
function standing(port, method, stand) {
  return new Proxy(port, {
    get(target, name) {
      const value = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      const own = value.bind(target);
      return name === method ? (...args) => stand(own, args) : own;
    },
  });
}

function before(port, method, { spools = false } = {}) {
  return (parts, die) => ({
    [port]: standing(parts[port], method, (own, args) => {
      if (!spools) return die();
      const [spool, ...others] = args;
      return own((batch) => (batch.length > 0 ? die() : spool(batch)), ...others);
    }),
  });
}

function after(port, method, { having = () => true, spools = false } = {}) {
  return (parts, die) => ({
    [port]: standing(parts[port], method, async (own, args) => {
      if (spools) {
        const [spool, ...others] = args;
        return own(
          async (batch) => {
            await spool(batch);
            if (batch.length > 0) await die();
          },
          ...others,
        );
      }
      const result = await own(...args);
      if (having(result)) await die();
      return result;
    }),
  });
}

const [point = ''] = process.argv.slice(2);
const stand = POINTS[point];
if (!stand) throw new Error(`There is no point ${point}; there are: ${Object.keys(POINTS).join(', ')}.`);

function die() {
  // Written at once: nothing that waits in a buffer outlives the next line.
  writeSync(1, `${JSON.stringify({ level: 'info', msg: `dies at ${point}` })}\n`);
  process.kill(process.pid, 'SIGKILL');
  return new Promise(() => {});
}

function wrap(parts) {
  const counting = {
    ...parts,
    mailbox: standing(parts.mailbox, 'spool', async (spool, args) => {
      const result = await spool(...args);
      spooled += result.fresh;
      return result;
    }),
  };
  return { ...counting, ...stand(counting, die) };
}

async function load() {
  const settings = await loadSettings({ flags: {}, env: process.env, cwd: process.cwd() });
  return { settings, inbox: await resolveInbox(settings, process.env) };
}

const agent = await compose({
  ...(await load()),
  load,
  env: process.env,
  version: 'crash-worker',
  signal: new AbortController().signal,
  wrap,
});
await agent.run();
await agent.close();
