// Takes the README's pictures of the dashboard: `node scripts/dashboard-pictures.mjs`. Needs a Chromium.
import { execFileSync } from 'node:child_process';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';

const root = fileURLToPath(new URL('../', import.meta.url));
const pictures = join(root, 'docs/pictures');
const PEOPLE = ['@alice', '@bob', '#ops', '@carol', '@dora', '@eli'];
const VIEWPORT = { width: 1280, height: 860 };

execFileSync('npm', ['run', 'build', '--silent'], { cwd: root, stdio: 'inherit' });
const load = async (name) =>
  (await runnerImport(`${root}test/support/${name}.ts`, { configFile: false, logLevel: 'error' })).module;
const { openLab } = await load('agent-lab');
const { fillStore } = await load('fill-store');
const { findChromium, launchChromium, SKIPPED } = await load('chromium');
const { Visit } = await load('visit');

const path = findChromium();
if (!path) {
  console.error(SKIPPED);
  process.exit(1);
}
const lab = await openLab({
  settings: { attempts: 1, budget_hour: '$2', budget_day: '$10', min_sleep: '5s' },
});
const browser = await launchChromium(path);
try {
  await lab.run(['--once']).ended();
  const states = join(lab.stateRoot, 'inbox-worker');
  const [identity] = (await readdir(states)).filter((name) => name !== 'running');
  const past = { messages: 430, people: PEOPLE, until: Date.now() - 90_000, everyMs: 360_000 };
  fillStore(join(states, identity, 'worker.db'), past);
  await lab.run().says(/is ready/);
  const text = 'Yes. It ran at 02:00 and holds all fourteen folders.';
  lab.api.setScript(() => ({ content: [{ type: 'text', text }] }));
  lab.say('@eli', 'Is the backup of last night there?\n\nI only need a yes or a no.');
  await lab.answerTo('@eli');

  // Caught in the middle of a turn, with others waiting.
  const hold = lab.api.hold((call) => call.kind === 'turn');
  lab.say('@carol', 'What did we decide about the release?');
  await hold.reached;
  lab.say('@bob', 'And please tell me when the build is green again.');
  lab.say('@dora', 'Good morning!');
  const url = (await lab.command('dashboard', '--print')).stdout;
  await mkdir(pictures, { recursive: true });

  const overview = await Visit.begin(browser, url, { viewport: VIEWPORT, colorScheme: 'light' });
  await overview.live();
  await overview.says('facts', /Waiting3/);
  await overview.page.screenshot({ path: join(pictures, 'dashboard.png') });

  const message = await Visit.begin(browser, url, {
    viewport: { ...VIEWPORT, height: 600 },
    colorScheme: 'dark',
  });
  await message.live();
  await message.row('messages', '@eli').first().getByRole('button').click();
  await message.page.locator('.life li').nth(5).waitFor();
  await message.page.evaluate('document.activeElement.blur()');
  await message.page.screenshot({ path: join(pictures, 'dashboard-message.png') });
  hold.release();
} finally {
  await browser.close();
  await lab.close();
}
