// Which system prompt is taken, and what the packaged ones say.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readSystemPrompt } from '../../src/config/prompt-file.js';
import { SILENCE } from '../../src/domain/verdict.js';
import { folderWith } from './folder.js';

const packaged = async (delivery: 'inline' | 'pull') =>
  (await readSystemPrompt({ dir: await folderWith(), delivery, systemPromptFile: undefined })).text;

describe('the packaged prompt', () => {
  it('for inline is short and says what it must', async () => {
    const text = await packaged('inline');
    expect(text.length).toBeLessThanOrEqual(1200);
    for (const said of [
      '<message-…>',
      '<earlier-…>',
      'word for word',
      SILENCE,
      '"interim": true',
      'task_done',
      'read_dm',
    ]) {
      expect(text).toContain(said);
    }
  });

  it('for pull never says that the final text is sent', async () => {
    const text = await packaged('pull');
    expect(text.length).toBeLessThanOrEqual(1200);
    expect(text).not.toContain('word for word');
    expect(text).not.toContain(SILENCE);
    for (const said of ['list_dms', 'read_dm', 'send_dm', 'no_reply']) expect(text).toContain(said);
  });
});

describe('the user may bring one', () => {
  const files = { 'config/prompts/answer.md': 'own answer\n', 'mine.md': 'mine' };

  it('in config/prompts of the folder, or by setting', async () => {
    const dir = await folderWith(files);
    const own = await readSystemPrompt({ dir, delivery: 'inline', systemPromptFile: undefined });
    expect(own).toEqual({ text: 'own answer', path: join(dir, 'config/prompts/answer.md') });
    const mine = await readSystemPrompt({ dir, delivery: 'inline', systemPromptFile: join(dir, 'mine.md') });
    expect(mine.text).toBe('mine');
  });

  it('which must exist', async () => {
    const dir = await folderWith();
    const path = join(dir, 'gone.md');
    await expect(readSystemPrompt({ dir, delivery: 'inline', systemPromptFile: path })).rejects.toMatchObject(
      {
        code: 'file-unreadable',
        message: `The system prompt ${path} does not exist.`,
      },
    );
  });
});
