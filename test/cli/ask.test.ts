// Questions on a terminal: defaults, what is given already, wrong answers, and breaking off.
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { type Question, terminalAsker } from '../../src/cli/ask.js';
import { askFor } from '../../src/cli/init.js';
import { STARTER_DEFAULTS } from '../../src/config/index.js';

function terminal() {
  const input = new PassThrough();
  const output = new PassThrough();
  let shown = '';
  output.on('data', (chunk) => {
    shown += chunk;
  });
  return { input, asker: terminalAsker(input, output), shown: () => shown };
}

const question: Question = {
  text: 'How many?',
  fallback: '1',
  fault: (answer) => (/^\d$/.test(answer) ? undefined : 'one digit'),
};

describe('a question', () => {
  it('takes an answer, asks again after a wrong one, and takes the fallback for none', async () => {
    const { input, asker, shown } = terminal();
    const first = asker.ask(question);
    // Pasted in one go, as people do.
    input.write('many\n 7 \n\n');
    expect(await first).toBe('7');
    expect(shown()).toContain('How many? [1] ');
    expect(shown()).toContain('Write one digit.');
    expect(await asker.ask(question)).toBe('1');
    asker.close();
  });

  it('that is broken off rejects, and so does the next one', async () => {
    const { input, asker } = terminal();
    const asked = asker.ask(question);
    input.end();
    await expect(asked).rejects.toMatchObject({ code: 'usage', message: expect.stringContaining('nothing') });
    await expect(asker.ask(question)).rejects.toMatchObject({ code: 'usage' });
  });
});

it('only what no flag gave is asked, in order', async () => {
  const asked: string[] = [];
  const defaults = { ...STARTER_DEFAULTS, dir: '/agent' };
  const answers = await askFor({ preset: 'work' }, defaults, {
    ask: async ({ text, fallback }) => {
      asked.push(text);
      return text.startsWith('What may it cost') ? '$2' : fallback;
    },
    close: () => {},
  });
  expect(asked.map((text) => text.split(' ').slice(0, 2).join(' '))).toEqual([
    'Which inbox?',
    'Variable that',
    'Folder of',
    'What may',
  ]);
  expect(answers).toMatchObject({
    preset: 'work',
    budgetDay: '$2',
    keyEnv: 'AGENTDM_API_KEY',
    dir: '/agent',
  });
});
