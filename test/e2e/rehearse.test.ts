// `rehearse` in the folder of an agent: its own ways are tried, and nothing of it is touched.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { type Lab, type LabOptions, openLab, WorkerProcess } from '../support/agent-lab.js';

const MAIN = resolve(import.meta.dirname, '../../dist/main.js');

const labs: Lab[] = [];
afterEach(async () => {
  for (const one of labs.splice(0)) await one.close();
});

async function lab(settings: LabOptions['settings'] = {}): Promise<Lab> {
  const opened = await openLab({ settings });
  labs.push(opened);
  return opened;
}

async function plant(folder: string, files: Record<string, string>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
}

/** Every file below a folder with what it holds, its mode and when it was written. */
async function photograph(folder: string): Promise<Record<string, string>> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const entries = await Promise.all(
    names.toSorted().map(async (name) => {
      const path = join(folder, name);
      const { mode, mtimeMs } = await stat(path);
      const text = await readFile(path).catch(() => 'a folder');
      return [name, `${mode} ${mtimeMs} ${createHash('sha256').update(text).digest('hex')}`] as const;
    }),
  );
  return Object.fromEntries(entries);
}

it('tries the preset, the texts and the limits of the folder, and changes nothing in it or in the state', async () => {
  const one = await lab({ preset: 'everything', own_alias: '@support', allow_senders: ['@alice'] });
  const hooked = join(one.root, 'hooked');
  const hook = [{ hooks: [{ type: 'command', command: `touch '${hooked}'` }] }];
  await plant(one.folder, {
    // Claude Code takes the full stop for a part of the second name.
    'CLAUDE.md': 'The password of the house is SESAME; see @docs/prices.md and @docs/hours.md.',
    'docs/hours.md': 'Open day and night, all the year.',
    'docs/prices.md': 'All of it is free of charge.',
    'config/prompts/answer.md': 'You are the doorman of this house.',
    '.claude/settings.json': JSON.stringify({
      hooks: { SessionStart: hook, UserPromptSubmit: hook, Stop: hook },
    }),
    '.orchestrator/pause': '',
    '.orchestrator/ledger.md': 'what was before',
  });
  const before = await photograph(one.folder);
  const homeBefore = await photograph(one.home);

  const rehearsal = one.start(MAIN, ['rehearse', '--once'], { IS_SANDBOX: '1', MAX_SLEEP: '2h' });
  expect(await rehearsal.ended()).toMatchObject({ exitCode: 0 });

  const said = rehearsal.lines.join('\n');
  expect(said).toContain(`Rehearsal of the agent in ${one.folder}.`);
  expect(said).toContain('@alice → @support: Hello!');
  expect(said).toContain('@support → @alice: Hello from the scripted model');
  const tried = rehearsal.lines.find((line) => line.startsWith('Tried: ')) ?? '';
  expect(tried).toMatch(/preset everything \(it offers 5 tools of the inbox, and \d+ built-in ones\)/);
  expect(tried).toContain('CLAUDE.md and docs/prices.md and config/prompts/answer.md (in the prompt)');
  expect(said).toContain('Not tried: the real inbox and its key');
  expect(said).toContain('docs/hours.md (Claude Code did not read it), .claude/settings.json');
  expect(said).toMatch(/Next: .* doctor, which tries the inbox and the key; then .* run$/m);

  expect(await photograph(one.folder)).toEqual(before);
  expect(await photograph(one.home)).toEqual(homeBefore);
  expect(await readdir(join(one.stateRoot, 'inbox-worker'))).toEqual(['running']);
  expect(await readdir(join(one.stateRoot, 'inbox-worker', 'running'))).toEqual([]);
  expect(existsSync(hooked)).toBe(false);
  // Neither the inbox of the folder nor the model of its environment was asked.
  expect(one.posted.items).toEqual([]);
  expect(one.api.calls()).toEqual([]);
});

it('takes the tick prompt and flags, stays for more messages, and says what is still missing', async () => {
  const one = await lab({ delivery: 'pull' });
  await writeFile(join(one.folder, '.env'), 'AGENTDM_API_KEY=\n');
  const rehearsal = one.start(MAIN, ['rehearse', '--preset', 'read']);
  await rehearsal.says(/Ctrl-C ends the rehearsal/);
  const answer = await one.command('send', '--wait', 'and now?');
  expect(answer).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('You wrote: “and now?”') });
  rehearsal.signal('SIGINT');
  expect(await rehearsal.ended()).toMatchObject({ exitCode: 0 });
  const said = rehearsal.lines.join('\n');
  expect(said).toMatch(/Tried: the preset read \(it offers 5 tools of the inbox, and Glob, Grep, Read\)/);
  expect(said).toMatch(/^Still missing: .*AGENTDM_API_KEY/m);
});

it('is of the agent that a named settings file is for', async () => {
  const one = await lab();
  const settings = JSON.parse(await readFile(join(one.folder, 'config', 'worker.json'), 'utf8')) as object;
  const file = join(one.root, 'support.json');
  await writeFile(file, JSON.stringify({ ...settings, dir: 'agent', preset: 'work' }));
  const rehearsal = new WorkerProcess(['rehearse', '--once', '--config', file], one.home, one.env());
  one.workers.push(rehearsal);
  expect(await rehearsal.ended()).toMatchObject({ exitCode: 0 });
  const said = rehearsal.lines.join('\n');
  expect(said).toContain(`Rehearsal of the agent in ${one.folder}.`);
  expect(said).toMatch(/Tried: the preset work /);
  expect(said).toContain(`run --config ${file}`);
});

it('ends with the sentence of a fault, and with --once where no answer comes', async () => {
  const one = await lab({ delivery: 'pull', tick_prompt: 'Do whatever you like.', attempts: 2 });
  const odd = await one.command('rehearse', '--once');
  expect(odd).toMatchObject({
    exitCode: 4,
    stderr: expect.stringMatching(/^error: The rehearsal brought no answer: /),
  });
  expect(odd.stderr).toContain('must name list_dms');
  const wrong = await one.command('rehearse', '--once', '--min-sleep', 'soon');
  expect(wrong).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--min-sleep') });
  const absent = await one.command('rehearse', '--dir', join(one.root, 'nowhere'));
  expect(absent).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('does not exist') });
});
