// Asks /healthz of the worker (or of the embedded inbox) beside it; exit 0 when all is well, else 1 and one line.
//   node healthcheck.mjs [--alive] [URL]
// --alive: also well when it answers, but waits for something: a restart would not help. Not when it is stuck or deaf.
const args = process.argv.slice(2);
const alive = args.includes('--alive');
const port = process.env.INBOX_WORKER_WEBHOOK_PORT || process.env.WEBHOOK_PORT || '8787';
const url = args.find((arg) => !arg.startsWith('-')) ?? `http://127.0.0.1:${port}/healthz`;

const SICK = ['stuck', 'deaf'];

try {
  const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(5_000) });
  const text = (await response.text()).trim().slice(0, 200);
  const sick = SICK.some((word) => text.includes(`"${word}"`));
  const well = response.ok || (alive && response.status === 503 && !sick);
  console.log(`${response.status} ${text}`);
  process.exitCode = well ? 0 : 1;
} catch (error) {
  console.log(`${url} does not answer: ${error.cause?.code ?? error.message}`);
  process.exitCode = 1;
}
