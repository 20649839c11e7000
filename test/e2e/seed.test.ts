// The seed documents' own way: a tick prompt, every permission, control files, and the fifteen lines of a process a tick.
import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { toolSteps } from '../../src/rehearsal/conversation.js';
import { defaultScript } from '../../src/rehearsal/default-script.js';
import { isMessagesRequest, type RecordedCall } from '../../src/rehearsal/index.js';
import { type Lab, openLab, processesWith, type WorkerProcess } from '../support/agent-lab.js';

const TICK_PROMPT = 'Tick of seed-4711: call list_dms, then read_dm and send_dm for each. End with "done".';
const CLAUDE = resolve(import.meta.dirname, '../../node_modules/.bin/claude');

let lab: Lab;
afterEach(() => lab.close());

/** As somebody would start it who has the seed documents before him: their names in the environment, our file. */
function start(flags: readonly string[], env: Record<string, string>): WorkerProcess {
  const quiet = ['--wake-stream', 'off', '--log-format', 'json', '--log-level', 'debug'];
  return lab.run(['--config', 'seed', ...quiet, ...flags], {
    CLAUDE_PATH: CLAUDE,
    TICK_PROMPT,
    WEBHOOK_PORT: '0',
    // Tests may run as root, in a container made for them.
    IS_SANDBOX: '1',
    ...env,
  });
}

const control = (name: string): string => join(lab.folder, '.orchestrator', name);
const controlFiles = (): Promise<string[]> => readdir(join(lab.folder, '.orchestrator'));

/** A control file that lies there since an hour. */
async function plantOld(name: string): Promise<void> {
  await mkdir(join(lab.folder, '.orchestrator'), { recursive: true });
  await writeFile(control(name), '');
  const anHourAgo = Date.now() / 1000 - 3_600;
  await utimes(control(name), anHourAgo, anHourAgo);
}

/** The model runs this command before it works the inbox. */
function runsFirst(command: string): void {
  lab.api.setScript((request, context) =>
    toolSteps(request).some(({ name }) => name === 'Bash')
      ? defaultScript(request, context)
      : { content: [{ type: 'tool_use', name: 'Bash', input: { command } }] },
  );
}

/** One message of @alice and its answer; what the model was sent meanwhile. */
async function exchange(text: string, worker: WorkerProcess): Promise<readonly RecordedCall[]> {
  const [calls, answers] = [lab.turnCalls.length, lab.answers('@alice').length];
  const said = worker.log.items.length;
  lab.say('@alice', text);
  expect((await lab.answerTo('@alice', answers)).text).toContain(text);
  await worker.log.first((line) => line.event === 'turn-ended', 'the end of the turn', said);
  return lab.turnCalls.slice(calls);
}

const bodyOf = (calls: readonly RecordedCall[]): string =>
  JSON.stringify(calls.map(({ body }) => (isMessagesRequest(body) ? body.messages : [])));
const sessionsOf = (calls: readonly RecordedCall[]): unknown[] => [
  ...new Set(calls.map(({ session }) => session)),
];

describe('config/seed.json', () => {
  it('lets Claude work its inbox by the tick prompt, and end sessions and tasks by control files', async () => {
    lab = await openLab();
    for (const name of ['did-work', 'clear-session', 'stop', 'wake']) await plantOld(name);
    // What Claude Code prints goes to agent-loop.log; by itself it prints nothing.
    const worker = start(['--claude-args=--debug-to-stderr'], { MIN_SLEEP: '200ms', STEP_SLEEP: '0s' });

    runsFirst('touch .orchestrator/did-work; touch made-by-claude');
    const first = await exchange('one-fish', worker);
    expect(bodyOf(first)).toContain(TICK_PROMPT.replaceAll('"', '\\"'));
    expect(first).toHaveLength(5);
    expect(await readdir(lab.folder)).toContain('made-by-claude');

    runsFirst('touch .orchestrator/clear-session');
    const second = await exchange('two-fish', worker);
    // What lay there from an earlier run has not ended the session.
    expect(sessionsOf(second)).toEqual(sessionsOf(first));
    expect(bodyOf(second)).toContain('one-fish');

    const third = await exchange('red-fish', worker);
    expect(sessionsOf(third)).not.toEqual(sessionsOf(first));
    expect(bodyOf(third)).not.toMatch(/one-fish|two-fish/);

    await writeFile(control('stop'), '');
    expect(await worker.ended()).toEqual({ exitCode: 0, signal: undefined });
    for (const name of ['did-work', 'clear-session', 'stop', 'wake']) {
      const ignored = worker.log.items.filter(({ msg }) => msg.includes(`control file ${name} was of an`));
      expect(ignored, name).toHaveLength(1);
    }
    // Nothing but what stays: every control file was taken away once it was seen.
    expect((await controlFiles()).sort()).toEqual(['agent-loop.log', 'ledger.md', 'progress.json']);
    expect(await readFile(control('ledger.md'), 'utf8')).toMatch(/@alice[\s\S]*@alice[\s\S]*@alice/);
    expect(JSON.parse(await readFile(control('progress.json'), 'utf8'))).toMatchObject({});
    expect(lab.answers()).toHaveLength(3);
  });

  it('is one file of several: a path works, too, and one that is not there is named', async () => {
    lab = await openLab();
    for (const command of [['run'], []]) {
      const ended = await lab.command(...command, '--config', 'none.json');
      expect(ended.exitCode).toBe(2);
      expect(ended.stderr).toMatch(/^error: The settings file none\.json does not exist\./m);
    }
    await writeFile(join(lab.folder, 'other.json'), JSON.stringify({ max_iterations: 0 }));
    const { stderr } = await lab.command('run', '--config', 'other.json');
    expect(stderr).toMatch(/^error: "max_iterations" in other\.json/m);
  });

  it.runIf(process.getuid?.() === 0)('is refused for root outside a sandbox, with the way out', async () => {
    lab = await openLab();
    lab.say('@alice', 'hello');
    const worker = start(['--once'], { IS_SANDBOX: '' });
    expect(await worker.ended()).toMatchObject({ exitCode: 4 });
    expect(worker.lines.find((line) => line.startsWith('error:'))).toContain('everything');
    expect(worker.lines.find((line) => line.startsWith('try:'))).toContain('IS_SANDBOX=1');
  });

  it('is the fifteen lines with session fresh: a process a tick, and nothing of the last in the next', async () => {
    lab = await openLab();
    const worker = start(['--session', 'fresh'], { INTERVAL: '200ms' });
    const claudes = async (): Promise<number[]> =>
      (await processesWith(lab.stateRoot)).filter((pid) => pid !== worker.pid);
    const rounds: (readonly RecordedCall[])[] = [];
    for (const text of ['one-fish', 'two-fish', 'red-fish']) {
      rounds.push(await exchange(text, worker));
      await expect.poll(claudes, { timeout: 20_000 }).toEqual([]);
    }
    expect(new Set(rounds.flatMap(sessionsOf)).size).toBe(3);
    for (const [index, text] of ['one-fish', 'two-fish', 'red-fish'].entries()) {
      expect(rounds[index]).toHaveLength(4);
      expect(
        bodyOf(rounds[index] ?? [])
          .match(/\w+-fish/g)
          ?.every((word) => word === text),
      ).toBe(true);
    }
    const pids = worker.log.items.filter(({ event }) => event === 'agent-ready').map(({ pid }) => pid);
    expect(new Set(pids).size).toBe(3);
    worker.signal('SIGTERM');
    expect(await worker.ended()).toMatchObject({ exitCode: 0 });
    expect(lab.answers()).toHaveLength(3);
  });
});
