// What is logged changes while it is logged: by a reload.
import { Writable } from 'node:stream';
import { expect, it } from 'vitest';
import { makeObservers } from '../../src/app/observers.js';
import { systemClock } from '../../src/app/system.js';
import { loadSettings } from '../../src/config/index.js';
import { folderWith } from '../config/folder.js';

it('takes another log level, and whether words of people are logged, from one line to the next', async () => {
  const folder = await folderWith({});
  const settings = await loadSettings({
    flags: { logFormat: 'json', logBodies: 'on' },
    env: { HOME: '/home/nobody' },
    cwd: folder,
  });
  const lines: string[] = [];
  const log = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      lines.push((JSON.parse(chunk.toString()) as { msg: string }).msg);
      done();
    },
  });
  const observers = await makeObservers({
    ...{ settings, folder, log, inbox: 'agentdm', version: '1.2.3' },
    ...{ secrets: [], clock: systemClock, others: [] },
  });
  const say = (text: string): void => {
    observers.observer.on({ type: 'notice', level: 'info', text });
    observers.onWords({ direction: 'in', who: '@alice', conversation: '@alice', id: 'm1', text });
  };
  say('one');
  observers.setLogging({ logLevel: 'info', logBodies: false });
  say('two');
  observers.setLogging({ logLevel: 'warn', logBodies: true });
  say('three');
  observers.setLogging({ logLevel: 'info', logBodies: true });
  say('four');
  await observers.flush();
  expect(lines).toEqual(['one', '@alice wrote: one', 'two', 'four', '@alice wrote: four']);
});
