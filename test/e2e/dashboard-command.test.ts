// `dashboard`: finds the running worker, prints its address, starts a browser with a ticket instead of the token.
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { afterEach, describe, expect, it } from 'vitest';
import { type Lab, openLab } from '../support/agent-lab.js';

const MAIN = resolve(import.meta.dirname, '../../dist/main.js');
let lab: Lab | undefined;
afterEach(async () => {
  await lab?.close();
  lab = undefined;
});

/** Runs the command where a display seems to be, and `xdg-open` is a script of ours that notes what it is given. */
async function withBrowser(
  it: Lab,
  exitCode: number,
): Promise<{ stdout: string; stderr: string; given: string }> {
  const bin = join(it.root, 'bin');
  const note = join(it.root, 'given');
  await mkdir(bin, { recursive: true });
  await writeFile(join(bin, 'xdg-open'), `#!/bin/sh\necho "$@" > '${note}'\nexit ${exitCode}\n`);
  await chmod(join(bin, 'xdg-open'), 0o755);
  const { stdout, stderr } = await execa(process.execPath, [MAIN, 'dashboard'], {
    cwd: it.folder,
    env: { ...it.env(), DISPLAY: ':99', PATH: `${bin}:${process.env.PATH}` },
    extendEnv: false,
  });
  return { stdout, stderr, given: (await readFile(note, 'utf8')).trim() };
}

/** What a browser gets that reaches the page by `localhost` and this port. */
function throughPort(url: URL, port: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { headers: { host: `localhost:${port}` } }, (answer) => {
      answer.resume();
      resolve(answer);
    });
    asked.on('error', reject).end();
  });
}

describe('dashboard', () => {
  it('prints the address with the token, and opens a browser with a ticket that counts once', async () => {
    lab = await openLab();
    const it = lab;
    const worker = it.run();
    await worker.says(/is ready/);
    const printed = await it.command('dashboard', '--print');
    expect(printed).toMatchObject({ exitCode: 0, stderr: '' });
    const url = new URL(printed.stdout);
    const token = new URLSearchParams(url.hash.slice(1)).get('token') ?? '';
    expect(`${url.protocol}//${url.hostname}${url.pathname}`).toBe('http://127.0.0.1/dashboard/');
    expect(token).toMatch(/^\w{20,}$/);
    expect((await fetch(url)).status).toBe(200);

    // Over a forwarded port the browser knows it by another address: its policy must name that one.
    const { headers } = await throughPort(url, '9000');
    expect(headers['content-security-policy']).toContain('script-src http://localhost:9000/dashboard/code/ ');

    const opened = await withBrowser(it, 0);
    expect(opened.stdout).toBe(printed.stdout);
    expect(opened.stderr).toMatch(/^Opened in the browser: worker agentdm, pid \d+\.$/);
    // Arguments of programs can be read by everybody on the machine.
    expect(opened.given).not.toContain(token);
    const ticket = new URLSearchParams(new URL(opened.given).hash.slice(1)).get('ticket') ?? '';
    const redeem = () => fetch(new URL('open', url), { method: 'POST', body: ticket });
    expect(await (await redeem()).json()).toEqual({ token });
    expect((await redeem()).status).toBe(401);

    // No browser, or one that cannot be opened, is no failure.
    const failed = await withBrowser(it, 3);
    expect([failed.stdout, failed.stderr]).toEqual([
      printed.stdout,
      expect.stringContaining('No browser was opened'),
    ]);
    const json = await it.command('dashboard', '--json');
    expect(JSON.parse(json.stdout)).toMatchObject({
      url: printed.stdout,
      opened: false,
      kind: 'worker',
      inbox: 'agentdm',
      folder: it.folder,
    });

    worker.signal('SIGTERM');
    await worker.ended();
    const gone = await it.command('dashboard', '--print');
    expect(gone).toMatchObject({ exitCode: 8, stdout: '' });
    expect(gone.stderr).toMatch(/^error: .+\ntry: .+$/);
  });
});
