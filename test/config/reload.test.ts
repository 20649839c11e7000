// What of new settings a running worker takes, and what waits for a restart, with a reason for each.
import { expect, it } from 'vitest';
import { loadSettings, type Settings } from '../../src/config/load.js';
import { renewSettings } from '../../src/config/reload.js';
import { SETTING_LIST } from '../../src/config/schema.js';
import { WorkerError } from '../../src/domain/errors.js';
import { folderWith } from './folder.js';

async function both(
  before: Record<string, unknown>,
  after: Record<string, unknown>,
): Promise<[Settings, Settings]> {
  const load = async (values: Record<string, unknown>) =>
    loadSettings({
      flags: {},
      env: { HOME: '/home/nobody' },
      cwd: await folderWith({ 'config/worker.json': values }),
    });
  const [running, wanted] = [await load(before), await load(after)];
  // Two folders, only because a test writes two files.
  return [running, { ...wanted, dir: running.dir }];
}

it('takes what is reloadable with its origin, and keeps the rest with a reason', async () => {
  const [running, wanted] = await both(
    { preset: 'read', drain: '5s', send_to: ['@bob'] },
    { preset: 'everything', budget_day: '$20', drain: '5s', webhook_port: 9000 },
  );
  const { settings, changed, kept } = renewSettings(running, wanted);
  expect(changed).toEqual([
    { key: 'send_to', from: '@bob', to: '' },
    { key: 'budget_day', from: '$10', to: '$20' },
  ]);
  expect(kept).toEqual([
    {
      key: 'preset',
      running: 'read',
      wanted: 'everything',
      why: 'what Claude may do and see is decided at the start alone',
    },
    { key: 'webhook_port', running: '8787', wanted: '9000', why: 'what it opens is opened at the start' },
  ]);
  expect(settings).toMatchObject({ preset: 'read', webhookPort: 8787, budgetDay: { usd: 20 }, sendTo: [] });
  expect(settings.origins).toMatchObject({
    budgetDay: { from: 'file' },
    preset: { from: 'file' },
    webhookPort: { from: 'default' },
  });
});

it('tells nothing where nothing differs, and hides secrets', async () => {
  const [running, wanted] = await both({ drain: '60s' }, { drain: '1m', webhook_secret: 'whsec_c2VjcmV0' });
  const { changed, kept, settings } = renewSettings(running, wanted);
  expect(changed).toEqual([{ key: 'webhook_secret', from: '', to: '…hidden' }]);
  expect(kept).toEqual([]);
  expect(settings.webhookSecret).toEqual(['whsec_c2VjcmV0']);
  const [old, rotated] = await both({ webhook_secret: 'whsec_b2xk' }, { webhook_secret: 'whsec_bmV3' });
  expect(renewSettings(old, rotated).changed).toEqual([
    { key: 'webhook_secret', from: '…hidden', to: '…hidden' },
  ]);
});

it('knows a max_sleep that was set from the default of the same length', async () => {
  const [running, wanted] = await both({}, { max_sleep: '1h' });
  expect(renewSettings(running, wanted).changed).toEqual([
    { key: 'max_sleep', from: '1h (default)', to: '1h' },
  ]);
});

it('refuses a mixture of old and new that breaks a rule', async () => {
  const [running, wanted] = await both({}, { channels: 'all', own_alias: '@agent' });
  const renew = () => renewSettings(running, wanted);
  expect(renew).toThrow(WorkerError);
  expect(renew).toThrow(
    /^Only after a restart do these settings fit: channels is "all" and own_alias is not set/,
  );
});

it('has a reason for each setting that takes a restart, and for no other', () => {
  for (const [, { key, reloadable, restart }] of SETTING_LIST) {
    expect([key, restart === undefined]).toEqual([key, reloadable]);
    expect([key, restart]).not.toEqual([key, '']);
  }
});
