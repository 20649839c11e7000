// `init` by flags: a folder that a worker can answer from, and nothing overwritten, ever.
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Lab, openLab, WorkerProcess } from '../support/agent-lab.js';

const MAIN = resolve(import.meta.dirname, '../../dist/main.js');
const CLAUDE = resolve(import.meta.dirname, '../../node_modules/.bin/claude');

let lab: Lab;
let fresh: string;
beforeEach(async () => {
  lab = await openLab();
  fresh = join(lab.root, 'fresh');
});
afterEach(() => lab.close());

const init = (...args: string[]) =>
  execa(process.execPath, [MAIN, 'init', ...args], {
    cwd: lab.root,
    env: lab.env(),
    extendEnv: false,
    reject: false,
    stdin: 'ignore',
  });

it('makes a folder in which, with the key put in, the doctor is content and a message is answered', async () => {
  const asked = ['--inbox-url', lab.inbox.url, '--preset', 'read'];
  const made = await init('--dir', 'fresh', ...asked, '--yes', '--no-rehearse');
  expect(made).toMatchObject({ exitCode: 0, stderr: '' });
  expect(made.stdout).not.toContain('Rehearsal of');
  expect(made.stdout).toContain('wrote    .mcp.json');
  expect(made.stdout).toMatch(/doctor --dir .*fresh\n/);
  expect(made.stdout).toContain('rehearse');
  expect((await readdir(fresh)).sort()).toEqual(['.env', '.gitignore', '.mcp.json', 'CLAUDE.md', 'config']);
  expect((await stat(join(fresh, '.env'))).mode & 0o777).toBe(0o600);
  const command = (...args: string[]) => lab.command(...args, '--dir', fresh, '--claude-path', CLAUDE);

  // The placeholder is no key: that is said before anything is tried.
  expect(await command('run', '--once')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('AGENTDM_API_KEY'),
  });
  await writeFile(join(fresh, '.env'), `AGENTDM_API_KEY=${lab.inbox.ensureAlias('@agent')}\n`);
  const doctor = await command('doctor', '--webhook', 'off');
  expect(doctor).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('A worker can run here') });
  lab.say('@alice', 'hello');
  const worker = new WorkerProcess(
    ['run', '--once', '--dir', fresh, '--claude-path', CLAUDE],
    fresh,
    lab.env(),
  );
  lab.workers.push(worker);
  expect(await worker.ended()).toMatchObject({ exitCode: 0 });
  expect(lab.answers('@alice')).toHaveLength(1);
});

it('keeps what is there to the letter, and adds to .gitignore only what it lacks, once', async () => {
  await mkdir(join(fresh, 'config'), { recursive: true });
  const mine = { '.mcp.json': 'mine', '.env': 'SECRET=1', 'config/worker.json': '{}', 'CLAUDE.md': '' };
  for (const [name, text] of Object.entries(mine)) await writeFile(join(fresh, name), text);
  await writeFile(join(fresh, '.gitignore'), 'node_modules\n.env');
  const quiet = ['--dir', 'fresh', '--yes', '--no-rehearse'];
  const first = await init(...quiet);
  expect(first).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('kept     .mcp.json') });
  for (const [name, text] of Object.entries(mine)) {
    expect(await readFile(join(fresh, name), 'utf8')).toBe(text);
  }
  expect(await readFile(join(fresh, '.gitignore'), 'utf8')).toBe('node_modules\n.env\n.orchestrator/\n');
  await init(...quiet);
  expect(await readFile(join(fresh, '.gitignore'), 'utf8')).toBe('node_modules\n.env\n.orchestrator/\n');
});

it('ends in a rehearsal of what it wrote, and with what to do next', async () => {
  const made = await init('--dir', 'fresh', '--yes', '--preset', 'work');
  expect(made).toMatchObject({ exitCode: 0, stderr: '' });
  const story = [
    /wrote {4}CLAUDE\.md/,
    /Rehearsal of the agent in .*fresh\. Real: /,
    /@agent → @you: Hello from the scripted model/,
    /Tried: the preset work \(it offers 5 tools of the inbox, and .*Edit.*\), CLAUDE\.md \(in the prompt\)/,
    /Next:\n {2}1\. Put the key of the inbox into /,
  ];
  expect(story.map((part) => made.stdout.search(part))).toEqual(
    story.map((part) => made.stdout.search(part)).toSorted((a, b) => a - b),
  );
  for (const part of story) expect(made.stdout).toMatch(part);
  // Nothing but what was written, no `.orchestrator` among it.
  expect((await readdir(fresh)).sort()).toEqual(['.env', '.gitignore', '.mcp.json', 'CLAUDE.md', 'config']);
});

it('keeps the files, and ends as the rehearsal does, where that brings no answer', async () => {
  await mkdir(join(fresh, 'config'), { recursive: true });
  await writeFile(join(fresh, 'config', 'worker.json'), JSON.stringify({ claude_path: '/nowhere/claude' }));
  const made = await init('--dir', 'fresh', '--yes');
  expect(made).toMatchObject({
    exitCode: 4,
    stderr: expect.stringMatching(/^error: .*\/nowhere\/claude.*\ntry: /),
  });
  expect(made.stdout).toContain('wrote    CLAUDE.md');
  expect(made.stdout).toContain('Next:');
});

it('ends on Ctrl-C in the middle of its rehearsal, with the files whole and nothing left', async () => {
  const one = lab.start(MAIN, ['init', '--dir', fresh, '--yes'], { TMPDIR: lab.root });
  await one.says(/^Rehearsal of the agent/);
  one.signal('SIGINT');
  expect(await one.ended()).toMatchObject({ exitCode: 0 });
  expect(one.lines.join('\n')).toContain('Next:');
  expect(await readFile(join(fresh, 'CLAUDE.md'), 'utf8')).toContain('Who you are');
  expect((await readdir(lab.root)).filter((name) => name.startsWith('inbox-rehearsal-'))).toEqual([]);
});

it('writes nothing where an answer is wrong or nobody can be asked, and does not repeat what may be a key', async () => {
  const refused = [
    await init('--dir', 'fresh', '--yes', '--preset', 'all'),
    await init('--dir', 'fresh', '--yes', '--key-env', 'agentdm_4f9c2a71d0'),
    await init('--dir', 'fresh'),
  ];
  for (const { exitCode, stderr } of refused) {
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/^error: .*\ntry: /);
    expect(stderr).not.toContain('4f9c2a71d0');
  }
  expect(await readdir(fresh).catch(() => 'absent')).toBe('absent');
  await writeFile(fresh, 'a file');
  expect(await init('--dir', 'fresh', '--yes')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('cannot be written'),
  });
  await rm(fresh);
});

it.runIf(process.platform === 'linux')(
  'asked on a terminal and broken off by Ctrl-C, writes nothing',
  async () => {
    const command = `'${process.execPath}' '${MAIN}' init`;
    const options = { cwd: lab.home, env: lab.env(), extendEnv: false, reject: false } as const;
    const asked = execa('script', ['-qec', command, '/dev/null'], { ...options, all: true });
    let said = '';
    asked.all.on('data', (chunk: Buffer) => {
      said += chunk;
      if (/\[agentdm\]/.test(said)) asked.stdin.end('\x03');
    });
    const { exitCode, all } = await asked;
    expect({ exitCode, all }).toMatchObject({
      exitCode: 2,
      all: expect.stringContaining('nothing was written'),
    });
    expect(await readdir(lab.home)).toEqual([]);
  },
);
