// The dashboard for everybody: by keyboard alone, on a phone, in the dark, and by axe-core's rules.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Lab, openLab } from '../support/agent-lab.js';
import { findChromium, launchChromium, SKIPPED } from '../support/chromium.js';
import { fillStore } from '../support/fill-store.js';
import { Visit } from '../support/visit.js';

const path = findChromium();
if (!path) console.warn(SKIPPED);

/** What has the focus: its id, else its name. */
const FOCUSED =
  'document.activeElement.id || document.activeElement.ariaLabel || document.activeElement.textContent';

let browser: Browser;
let lab: Lab;
let url: string;
const visits: Visit[] = [];

beforeAll(async () => {
  if (!path) return;
  browser = await launchChromium(path);
  lab = await openLab({ settings: { budget_hour: '$2', attempts: 1 } });
  await lab.run(['--once']).ended();
  const states = join(lab.stateRoot, 'inbox-worker');
  const [identity] = (await readdir(states)).filter((name) => name !== 'running');
  const people = [
    '@alice',
    '#ops',
    '@somebody-with-a-very-long-name-that-does-not-fit-on-a-phone-in-one-line',
    '@b',
  ];
  fillStore(join(states, identity ?? '', 'worker.db'), { messages: 400, people, until: Date.now() - 60_000 });
  await lab.run().says(/is ready/);
  url = (await lab.command('dashboard', '--print')).stdout;
});
afterAll(async () => {
  await browser?.close();
  await lab?.close();
});
afterEach(async () => {
  const faults = visits.flatMap((visit) => visit.faults);
  for (const visit of visits.splice(0)) await visit.end();
  expect(faults).toEqual([]);
});

async function visit(options: Parameters<typeof Visit.begin>[2] = {}): Promise<Visit> {
  const begun = await Visit.begin(browser, url, options);
  visits.push(begun);
  await begun.live();
  return begun;
}

describe.skipIf(!path)(`the dashboard for everybody${path ? '' : ` (${SKIPPED})`}`, () => {
  it('can be used by keyboard alone', async () => {
    const { page } = await visit();
    const focused = (): Promise<string> => page.evaluate(FOCUSED);
    const press = (...keys: string[]) =>
      keys.reduce((before, key) => before.then(() => page.keyboard.press(key)), Promise.resolve());

    await press('Tab');
    expect(await focused()).toBe('Skip to what is happening now');
    await press('Enter');
    expect(await focused()).toBe('now');

    await press('m', 'j', 'j');
    const name = await focused();
    expect(name).toMatch(/^Show the message of /);
    await press('Enter');
    await page.locator('.life li').first().waitFor();
    expect(await page.evaluate("document.querySelector('#story').contains(document.activeElement)")).toBe(
      true,
    );
    // In a dialog the shortcuts rest.
    await press('p', 'Escape');
    await page.locator('#story').waitFor({ state: 'hidden' });
    expect(await focused()).toBe(name);

    await press('?');
    expect(await focused()).toBe('help-close');
    await press('Enter');
    await page.locator('#help').waitFor({ state: 'hidden' });

    await press('p');
    await page.locator('#health').filter({ hasText: 'Paused' }).waitFor();
    await press('p');
    await page.locator('#health').filter({ hasText: 'Idle' }).waitFor();

    await press('f', 'ArrowDown');
    await expect.poll(() => page.getByRole('combobox', { name: 'Show messages' }).inputValue()).toBe('1');
    // What is typed into a choice is no shortcut.
    await press('p');
    await press('t', 'Tab');
    await page.getByRole('radio', { name: '24 h' }).focus();
    await press('ArrowRight');
    await page
      .getByRole('img', { name: /bars of 2 h$/ })
      .first()
      .waitFor();
    await page.locator('#health').filter({ hasText: 'Idle' }).waitFor();

    // And off they are.
    await press('?', 'Shift+Tab', 'Space', 'Escape', 'p');
    expect(await page.getByRole('checkbox', { includeHidden: true }).isChecked()).toBe(false);
    expect(await page.locator('#said').textContent()).not.toContain('Paused');
  });

  it.each([320, 360, 640, 900, 1280])('fits a screen of %i pixels', async (width) => {
    const seen = await visit({
      viewport: { width, height: 740 },
      hasTouch: width < 700,
      isMobile: width < 700,
    });
    expect(await seen.sideways()).toBe(0);
    await seen.page.locator('#messages-list tbody .name button').first().click();
    await seen.page.locator('.life li').first().waitFor();
    expect(await seen.sideways()).toBe(0);
    const drawer =
      'document.querySelector("#story").scrollWidth - document.querySelector("#story").clientWidth';
    expect(await seen.page.evaluate(drawer)).toBe(0);
  });

  it.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 360],
    ['dark', 360],
  ] as const)('has no serious barrier in %s at %i pixels', async (colorScheme, width) => {
    const seen = await visit({ colorScheme, viewport: { width, height: 800 }, reducedMotion: 'reduce' });
    const { page } = seen;
    expect(await seen.barriers()).toEqual([]);
    await page.getByText('As a table: Turns').click();
    await page.locator('#attention-list .name button').first().click();
    await page.locator('.life li').first().waitFor();
    expect(await seen.barriers()).toEqual([]);
    await page.locator('#story').getByRole('button', { name: 'Drop' }).click();
    await seen.says('confirm', 'Drop this message?');
    expect(await seen.barriers()).toEqual([]);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.keyboard.press('Escape');
    await page.locator('#story').waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Keyboard shortcuts' }).click();
    expect(await seen.barriers()).toEqual([]);
  });

  it('follows a change of the colours', async () => {
    const { page } = await visit({ colorScheme: 'light' });
    const ground = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
    const light = await ground();
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await ground()).not.toBe(light);
  });
});
