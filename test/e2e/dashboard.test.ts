// The dashboard in a real Chromium, over a real worker and the real Claude Code: what it shows, and what it does.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Lab, openLab, type WorkerProcess } from '../support/agent-lab.js';
import { findChromium, launchChromium, SKIPPED } from '../support/chromium.js';
import { fillStore } from '../support/fill-store.js';
import { openFleetLab } from '../support/fleet-lab.js';
import { startForgetfulProxy } from '../support/forgetful-proxy.js';
import { Visit } from '../support/visit.js';

const path = findChromium();
if (!path) console.warn(SKIPPED);

let browser: Browser;
const labs: Lab[] = [];
const visits: Visit[] = [];
beforeAll(async () => {
  if (path) browser = await launchChromium(path);
});
afterAll(async () => {
  await browser?.close();
  await common?.it.close();
});
afterEach(async () => {
  const faults = visits.flatMap((visit) => visit.faults);
  for (const visit of visits.splice(0)) await visit.end();
  for (const lab of labs.splice(0)) await lab.close();
  expect(faults).toEqual([]);
});

async function lab(options: Parameters<typeof openLab>[0] = {}): Promise<Lab> {
  const opened = await openLab({
    ...options,
    settings: { attempts: 1, dead_notice: false, ...options.settings },
  });
  labs.push(opened);
  return opened;
}

let common: { readonly it: Lab; readonly worker: WorkerProcess } | undefined;
/** A worker that several tests share, one after the other: each has people of its own. */
async function shared(): Promise<NonNullable<typeof common>> {
  if (common) return common;
  const it = await lab({ settings: { budget_hour: '$5' } });
  labs.splice(labs.indexOf(it), 1);
  common = { it, worker: await running(it) };
  return common;
}

async function running(it: Lab): Promise<WorkerProcess> {
  const worker = it.run();
  await worker.says(/is ready/);
  return worker;
}

async function visit(it: Lab, options: Parameters<typeof Visit.begin>[2] = {}): Promise<Visit> {
  const { stdout } = await it.command('dashboard', '--print');
  const begun = await Visit.begin(browser, stdout, options);
  visits.push(begun);
  return begun;
}

/** A worker with a long past: a run that made its store, and what is put into it. */
async function withPast(it: Lab, messages: number, people: readonly string[]): Promise<void> {
  await it.run(['--once']).ended();
  const states = join(it.stateRoot, 'inbox-worker');
  const [identity] = (await readdir(states)).filter((name) => name !== 'running');
  fillStore(join(states, identity ?? '', 'worker.db'), { messages, people, until: Date.now() });
}

async function killed(it: Lab, worker: WorkerProcess, sender: string): Promise<string> {
  // Claude Code tries some of these again by itself.
  it.api.faults.enqueue({ fault: '400', times: 20 });
  const from = worker.log.items.length;
  const id = it.say(sender, 'a message that fails');
  await worker.log.first((line) => line.verdict === 'dead', 'the end of the message', from);
  it.api.faults.clear();
  return id;
}

describe.skipIf(!path)(`the dashboard in Chromium${path ? '' : ` (${SKIPPED})`}`, () => {
  it('takes its token out of the address, keeps it in the tab, and needs one', async () => {
    const { it } = await shared();
    const seen = await visit(it);
    await seen.live();
    expect(new URL(seen.page.url()).hash).toBe('');
    await seen.page.reload();
    await seen.live();

    const stranger = await Visit.begin(browser, seen.page.url());
    visits.push(stranger);
    stranger.expectsLoss = true;
    await stranger.says('access-text', 'opened without a token');
    const token = await seen.page.evaluate("sessionStorage.getItem('inbox-worker-token')");
    await stranger.page.getByLabel('Token of this run').fill(String(token));
    await stranger.page.keyboard.press('Enter');
    await stranger.live();
  });

  it('shows a message come in, in work, and answered, without being reloaded', async () => {
    const { it } = await shared();
    const seen = await visit(it);
    await seen.live();
    expect(await seen.page.locator('#agent-picker').isVisible()).toBe(false);
    await seen.says('health', 'Idle');
    expect(await seen.page.title()).toBe('Idle · agentdm');
    await seen.says('messages-list', 'There is no such message.');
    await seen.says('budgets', /Budget of the hour ?\$0\.00 of \$5\.00/);

    const hold = it.api.hold((call) => call.kind === 'turn');
    it.say('@alice', 'Are you there?');
    await hold.reached;
    await seen.says('health', 'Working');
    await seen.says('why', 'Answering @alice.');
    await seen.row('messages', '@alice').filter({ hasText: 'in work' }).waitFor();
    hold.release();
    await it.answerTo('@alice');
    await seen
      .row('messages', '@alice')
      .filter({ hasText: /answered.*reply sent after/ })
      .waitFor();
    await seen.row('conversations', '@alice').filter({ hasText: 'answered' }).waitFor();
    await seen.row('turns', /answered@alice.*completed/).waitFor();
    await seen.page.getByRole('img', { name: /^From message to reply: median .*; 1 reply$/ }).waitFor();
    await seen.page.getByRole('img', { name: /^Turns: 1 turn, 1 model call/ }).waitFor();
    await seen.says('health', 'Idle');

    // The same numbers, for whoever does not see the picture.
    await seen.page.getByText('As a table: From message to reply').click();
    expect(await seen.page.locator('figure').first().locator('tbody tr').allTextContents()).toEqual([
      expect.stringMatching(/@alice/),
    ]);
    await seen.page.getByRole('radio', { name: '7 d' }).check();
    await seen.page
      .getByRole('img', { name: /bars of 2 h$/ })
      .first()
      .waitFor();
  });

  it('tells the life of a message beside the page, with the texts as texts', async () => {
    const { it } = await shared();
    const seen = await visit(it);
    await seen.live();
    it.say('@mallory', '<img src=x onerror="document.title=1"><b>bold</b>\n\u202eevil\u001b[2J');
    await it.answerTo('@mallory');
    await seen
      .row('messages', /@mallory.*reply sent after/)
      .getByRole('button')
      .click();
    await seen.says('story-title', 'Message of @mallory');
    await seen.page
      .locator('.life li')
      .filter({ hasText: /sent, there it is/ })
      .waitFor();
    const life = (await seen.page.locator('.life li').allTextContents()).join('\n');
    expect(life).toMatch(
      /came in, \d+ characters[\s\S]*claimed[\s\S]*turn began[\s\S]*answered[\s\S]*completed/,
    );
    expect(await seen.page.locator('.life pre').first().textContent()).toBe(
      '<img src=x onerror="document.title=1"><b>bold</b>\n⟨U+202E⟩evil⟨U+001B⟩[2J',
    );
    expect(await seen.page.locator('main img, dialog img, dialog b').count()).toBe(0);
    await seen.page.keyboard.press('Escape');
    await seen.page.locator('#story').waitFor({ state: 'hidden' });
  });

  it('tries a dead message again, and drops one only when it is meant', async () => {
    const { it, worker } = await shared();
    const seen = await visit(it);
    await seen.live();
    await killed(it, worker, '@carol');
    await killed(it, worker, '@bob');
    await seen.row('attention', '@carol').getByRole('button', { name: 'Retry' }).click();
    await seen.says('said', '1 message tried again now.');
    await it.answerTo('@carol');
    await seen.row('attention', '@carol').waitFor({ state: 'detached' });

    const drop = seen.row('attention', '@bob').getByRole('button', { name: 'Drop' });
    await drop.click();
    await seen.says('confirm', 'Drop this message?');
    await seen.page.getByRole('button', { name: 'Cancel' }).click();
    await seen.row('messages', '@bob').filter({ hasText: 'given up' }).waitFor();
    await drop.click();
    await seen.page.getByRole('button', { name: 'Drop it' }).click();
    await seen.says('said', '1 message dropped.');
    await seen.page.locator('#attention').waitFor({ state: 'hidden' });
    await seen.row('messages', '@bob').filter({ hasText: 'silent' }).waitFor();
    expect(it.answers('@bob')).toEqual([]);
  });

  it('decides over a send that may or may not have arrived', async () => {
    const it = await lab({ vocabularies: { agentdm: true, dms: false } });
    const proxy = await startForgetfulProxy(it.inbox.url);
    try {
      const file = join(it.folder, '.mcp.json');
      await writeFile(file, (await readFile(file, 'utf8')).replace(it.inbox.url, proxy.url));
      proxy.swallow(/"method":"tools\/call".*"name":"send_message"/);
      const worker = await running(it);
      const seen = await visit(it);
      await seen.live();
      it.say('@alice', 'hello');
      await worker.says(/not sent to @alice, now unsure/);
      await seen.row('attention', '@alice, reply').getByRole('button', { name: 'Send again' }).click();
      await seen.says('confirm-text', '@alice gets it twice');
      await seen.page.locator('#confirm-yes').click();
      await it.answerTo('@alice');
      await seen.page.locator('#attention').waitFor({ state: 'hidden' });
    } finally {
      await proxy.close();
    }
  });

  it('pauses, resumes and wakes', async () => {
    const it = await lab({ settings: { min_sleep: '10m', max_sleep: '10m' } });
    const worker = await running(it);
    const seen = await visit(it);
    await seen.live();
    await seen.page.getByRole('button', { name: 'Pause' }).click();
    await seen.says('health', 'Paused');
    it.say('@alice', 'hello');
    await seen.page.getByRole('button', { name: 'Wake' }).click();
    await seen.row('messages', '@alice').filter({ hasText: 'waiting' }).waitFor();
    await seen.says('facts', /Waiting1oldest /);
    expect(await seen.page.title()).toBe('Paused, 1 waiting · agentdm');
    await seen.page.getByRole('button', { name: 'Resume' }).click();
    await it.answerTo('@alice');
    await seen.row('messages', '@alice').filter({ hasText: 'answered' }).waitFor();
    await seen.page.getByRole('button', { name: 'Pause' }).waitFor();
    expect(worker.lines.join('\n')).toMatch(/on hold, paused/);
  });

  it('says that the worker has stopped, and lets nothing be pressed then', async () => {
    const it = await lab();
    const worker = await running(it);
    const seen = await visit(it);
    await seen.live();
    seen.expectsLoss = true;
    await it.command('stop');
    await worker.ended();
    await seen.says(
      'banner',
      /(has stopped\.|it has stopped).* What you see is as of .*“inbox-worker dashboard”/,
    );
    expect(await seen.page.getByRole('button', { name: 'Pause' }).isDisabled()).toBe(true);
    await seen.says('health', 'Idle');
  });

  it('says what a worker says that cannot tell its state', async () => {
    const { it } = await shared();
    const seen = await visit(it);
    await seen.live();
    seen.expectsLoss = true;
    const trouble = { error: 'The disk is full.', try: 'Make room.', code: 'store-unusable' };
    await seen.page.route('**/control/status', (route) => route.fulfill({ status: 500, json: trouble }));
    await seen.says(
      'banner',
      'The worker cannot tell how it stands: The disk is full. Make room. What you see is as of',
    );
    await seen.page.unroute('**/control/status');
    await seen.live();
    await seen.page.locator('#banner').waitFor({ state: 'hidden' });
  });

  it('leads from one agent of a process to the other, each with its own messages', async () => {
    const fleet = await openFleetLab({ clerk: {}, scout: {} });
    labs.push(fleet.lab);
    const process = fleet.runAll();
    for (const name of ['clerk', 'scout']) {
      await process.log.first(
        (line) => line.agent === name && /is ready/.test(line.msg),
        `${name} being ready`,
      );
    }
    fleet.say('@alice', 'clerk', 'for the clerk');
    fleet.say('@bob', 'scout', 'for the scout');
    await Promise.all([fleet.answerOf('clerk', '@alice'), fleet.answerOf('scout', '@bob')]);

    const seen = await visit(fleet.lab);
    await seen.live();
    const picker = seen.page.getByRole('combobox', { name: 'Agent' });
    await picker.waitFor();
    expect(new URL(seen.page.url()).pathname).toBe('/clerk/dashboard/');
    expect(await picker.locator('option').allTextContents()).toEqual([
      expect.stringMatching(/^clerk \(/),
      expect.stringMatching(/^scout \(/),
    ]);
    await seen.row('messages', '@alice').waitFor();
    expect(await seen.row('messages', '@bob').count()).toBe(0);

    await picker.selectOption('/scout/');
    await seen.page.waitForURL('**/scout/dashboard/');
    await seen.live();
    await seen.row('messages', '@bob').getByRole('button').click();
    await seen.says('story-body', 'for the scout');
    expect(await seen.row('messages', '@alice').count()).toBe(0);
    expect(await seen.page.title()).toMatch(/· scout$/);
  });

  it('stays usable with ten thousand messages, by people whose names are meant to harm', async () => {
    const it = await lab();
    const people = [
      '@alice',
      '<img src=x onerror=alert(1)>',
      '\u001b[2J\u202e"><script>alert(1)</script>',
      '@dora',
    ];
    await withPast(it, 10_000, people);
    await running(it);
    const seen = await visit(it);
    await seen.live();
    await seen.says('facts', /Answered9[67]\d\d/);
    const lists = seen.page.locator('#messages-list, #conversations-list, #turns-list, #attention-list');
    expect(await lists.locator('img, script, iframe').count()).toBe(0);
    await seen.row('conversations', '<img src=x onerror=alert(1)>').waitFor();
    await seen.row('conversations', '"><script>alert(1)</script>').waitFor();
    const shown = (await lists.allTextContents()).join('');
    expect(shown).not.toMatch(/[\p{Cc}\u202e]/u);

    const first = await seen.page.locator('#messages-list tbody').textContent();
    await seen.page.getByRole('button', { name: 'Older' }).click();
    await expect.poll(() => seen.page.locator('#messages-list tbody').textContent()).not.toBe(first);
    await seen.page.getByRole('button', { name: 'Newer' }).click();
    await seen.page.getByRole('combobox', { name: 'Show messages' }).selectOption('Given up');
    await expect
      .poll(async () => new Set(await seen.page.locator('#messages-list .state').allTextContents()))
      .toEqual(new Set(['given up']));
    await seen.page.getByRole('combobox', { name: 'Show messages' }).selectOption('All messages');
    await seen.row('conversations', '@dora').getByRole('button').click();
    await expect
      .poll(async () => new Set(await seen.page.locator('#messages-list tbody .name').allTextContents()))
      .toEqual(new Set(['@dora']));
    await seen.page.getByRole('button', { name: /^Show messages of all conversations/ }).click();
    await expect.poll(() => seen.row('messages', '@alice').count()).toBeGreaterThan(0);
    await seen.page.getByRole('button', { name: 'More turns' }).click();
    await expect.poll(() => seen.page.locator('#turns-list tbody tr').count()).toBe(100);
    await seen.page.getByRole('radio', { name: '30 d' }).check();
    await seen.page.getByRole('img', { name: /the last 2000 replies$/ }).waitFor();
  });
});
