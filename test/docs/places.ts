// The places in which the commands of the pages are run: folders, and what runs beside them, all of it real.
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { execa } from 'execa';
import { type Lab, type LogLine, openLab, WorkerProcess } from '../support/agent-lab.js';
import { ROOT } from './markdown.js';
import type { PlaceName } from './ways.js';

export interface Place {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /** What stands for the words in capitals. */
  readonly words: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

const MAIN = join(ROOT, 'dist', 'main.js');
const SETTINGS = { attempts: 1, dead_notice: false, log_level: 'info' };
/** What a checkout has and its build does not need; node_modules is linked. */
const NOT_BUILT = ['node_modules', 'dist', 'test', 'docs', '.git'];

export function openPlace(name: PlaceName): Promise<Place> {
  return { agent, running, worker, rehearsal, inbox, agents, fleet, checkout, empty }[name]();
}

/** A folder of its own with a HOME in it, and `inbox-worker` on PATH as `npm link` would put it there. */
async function ground(): Promise<Place & { readonly root: string }> {
  const root = await mkdtemp(join(tmpdir(), 'docs-'));
  const folder = join(root, 'folder');
  for (const name of ['bin', 'home', 'folder', 'npm']) await mkdir(join(root, name));
  const shim = join(root, 'bin', 'inbox-worker');
  await writeFile(shim, `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`);
  await chmod(shim, 0o755);
  return {
    root,
    folder,
    env: {
      PATH: [join(root, 'bin'), process.env.PATH ?? ''].join(delimiter),
      HOME: join(root, 'home'),
      XDG_STATE_HOME: join(root, 'state'),
      TMPDIR: root,
      // npm looks for nothing, and writes to no one's folders.
      npm_config_prefix: join(root, 'npm'),
      npm_config_cache: join(root, 'npm', 'cache'),
      npm_config_offline: 'true',
      npm_config_update_notifier: 'false',
      npm_config_audit: 'false',
      npm_config_fund: 'false',
    },
    words: { TEXT: 'hello' },
    close: () => rm(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }),
  };
}

async function empty(): Promise<Place> {
  return ground();
}

async function agent(): Promise<Place> {
  const [here, lab] = [await ground(), await openLab({ settings: SETTINGS })];
  return {
    folder: lab.folder,
    // The seed's preset asks for it where tests run as root, in a container made for them.
    env: { ...here.env, ...lab.env({ IS_SANDBOX: '1' }), PATH: here.env.PATH ?? '' },
    words: { ...here.words, FOLDER: lab.folder },
    close: async () => {
      await lab.close();
      await here.close();
    },
  };
}

async function running(): Promise<Place> {
  return (await withWorker()).place;
}

async function worker(): Promise<Place> {
  const { place, lab, process } = await withWorker();
  lab.say('@alice', 'hello');
  await lab.answerTo('@alice');
  // Claude Code tries some of these again by itself.
  lab.api.faults.enqueue({ fault: '400', times: 40 });
  const [bobs, carols] = [lab.say('@bob', 'hello'), lab.say('@carol', 'hello')];
  for (const conversation of ['@bob', '@carol']) {
    const isEnd = (line: LogLine) => line.verdict === 'dead' && line.conversation === conversation;
    await process.log.first(isEnd, `the end of the message of ${conversation}`);
  }
  lab.api.faults.clear();
  return { ...place, words: { ...place.words, ID: bobs, 'message of @carol': carols } };
}

async function withWorker(): Promise<{ place: Place; lab: Lab; process: WorkerProcess }> {
  const [here, lab] = [await ground(), await openLab({ settings: SETTINGS })];
  const process = lab.run();
  await process.says(/^watching the inbox/);
  const { tag } = JSON.parse((await lab.command('lease', '--json')).stdout) as { tag: string };
  const place = {
    folder: lab.folder,
    env: { ...lab.env(), PATH: here.env.PATH ?? '' },
    words: { ...here.words, TAG: tag },
    close: async () => {
      await lab.close();
      await here.close();
    },
  };
  return { place, lab, process };
}

async function rehearsal(): Promise<Place> {
  const here = await ground();
  const running = new WorkerProcess(['rehearse'], here.folder, { ...here.env });
  await running.says(/Ctrl-C ends the rehearsal/);
  return {
    ...here,
    folder: ROOT,
    close: async () => {
      running.signal('SIGINT');
      await running.ended();
      await here.close();
    },
  };
}

/** `docs/seed.md`, "Two agents on one machine", as far as it goes without their programs. */
async function inbox(): Promise<Place> {
  const here = await ground();
  const lab = await openLab();
  const env = { ...lab.env(), ...here.env };
  const names = ['--alias', 'agent', '--alias', 'desk'];
  const served = new WorkerProcess(['inbox', '--port', '0', '--json', ...names], here.folder, env);
  const told = await served.log.first((line) => 'aliases' in line, 'its entries');
  const own = (told.aliases as Record<string, { claudeCode: object; key: string }>)['@agent'];
  await writeFile(join(lab.folder, '.mcp.json'), JSON.stringify(own?.claudeCode));
  await writeFile(join(lab.folder, '.env'), `AGENTDM_API_KEY=${own?.key}\n`);
  const running = new WorkerProcess(['run', '--dir', lab.folder], here.folder, env);
  await running.says(/Claude Code is ready/);
  return {
    folder: here.folder,
    env,
    words: here.words,
    close: async () => {
      for (const one of [running, served]) {
        one.signal('SIGINT');
        await one.ended();
      }
      await lab.close();
      await here.close();
    },
  };
}

async function agents(): Promise<Place> {
  const [here, lab] = [await ground(), await openLab({ settings: SETTINGS })];
  const settings = JSON.parse(await readFile(join(lab.folder, 'config', 'worker.json'), 'utf8')) as object;
  for (const name of ['support', 'scout']) {
    const folder = join(here.folder, 'agents', name);
    await mkdir(folder, { recursive: true });
    await mkdir(join(here.folder, 'config', 'agents'), { recursive: true });
    await cp(join(lab.folder, '.mcp.json'), join(folder, '.mcp.json'));
    await writeFile(join(folder, '.env'), `AGENTDM_API_KEY=${lab.inbox.ensureAlias(name)}\n`);
    const file = join(here.folder, 'config', 'agents', `${name}.json`);
    await writeFile(file, JSON.stringify({ ...settings, dir: `../../agents/${name}` }));
  }
  return {
    folder: here.folder,
    env: { ...here.env, ...lab.env(), PATH: here.env.PATH ?? '' },
    words: here.words,
    close: async () => {
      await lab.close();
      await here.close();
    },
  };
}

async function fleet(): Promise<Place> {
  const place = await agents();
  const running = new WorkerProcess(['run', '--all'], place.folder, { ...place.env });
  const first = await running.says(/^Claude Code is ready/);
  await running.says(/^Claude Code is ready/, running.log.items.indexOf(first) + 1);
  return {
    ...place,
    close: async () => {
      await running.kill();
      await place.close();
    },
  };
}

async function checkout(): Promise<Place> {
  const here = await ground();
  for (const name of (await readdir(ROOT)).filter((name) => !NOT_BUILT.includes(name)))
    await cp(join(ROOT, name), join(here.folder, name), { recursive: true });
  await symlink(join(ROOT, 'node_modules'), join(here.folder, 'node_modules'));
  return here;
}

export interface Run {
  readonly exitCode: number | undefined;
  readonly output: string;
}

const DEADLINE_MS = 90_000;

export interface RunWish {
  readonly command: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly until?: RegExp | undefined;
  readonly answers?: string | undefined;
}

/** As a person would type it, in a shell and, where it asks, on a terminal. */
export async function runCommand({ command, cwd, env, until, answers }: RunWish): Promise<Run> {
  // Else the shell would end by the Ctrl-C that is meant for its command, and hide how that ended.
  const script = `trap : INT\n${command}`;
  const [file, args] =
    answers === undefined ? ['sh', ['-c', script]] : ['script', ['-qec', command, '/dev/null']];
  const child = execa(file, args, {
    cwd,
    env,
    extendEnv: false,
    reject: false,
    all: true,
    // Ctrl-C goes to all of a terminal's foreground, npm and the shell among them.
    detached: true,
    timeout: DEADLINE_MS,
    ...(answers === undefined ? { stdin: 'ignore' as const } : { input: answers }),
  });
  let said = '';
  let interrupted = false;
  child.all?.on('data', (chunk: Buffer) => {
    said += chunk;
    if (!until?.test(said) || interrupted) return;
    interrupted = true;
    process.kill(-(child.pid ?? 0), 'SIGINT');
  });
  const { exitCode, all } = await child;
  return { exitCode, output: all ?? '' };
}
