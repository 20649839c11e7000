import { describe, expect, it } from 'vitest';
import { WorkerError } from '../../src/domain/errors.js';
import { parseSecret } from '../../src/wake/secret.js';
import { KEY, SECRET } from './support.js';

describe('parseSecret', () => {
  it('decodes a whsec_ secret', () => {
    expect(parseSecret(SECRET).standardKeys).toEqual([KEY]);
    expect(parseSecret(SECRET).textKey.toString()).toBe(SECRET);
  });

  it('takes a plain one as it stands', () => {
    expect(parseSecret('correct horse').standardKeys).toEqual([Buffer.from('correct horse')]);
  });

  it('takes a base64 one whose prefix was left out both ways', () => {
    const bare = KEY.toString('base64');
    expect(parseSecret(bare).standardKeys).toEqual([Buffer.from(bare), KEY]);
    expect(parseSecret(bare.replace(/=+$/, '')).standardKeys).toContainEqual(KEY);
  });

  it('forgives the line break at the end of a file', () => {
    expect(parseSecret(`${SECRET}\n`)).toEqual(parseSecret(SECRET));
  });

  it.each(['', '  \n', 'whsec_', 'whsec_%%%', 'whsec_abc*def'])('refuses %j without showing it', (text) => {
    expect(() => parseSecret(text)).toThrow(WorkerError);
    try {
      parseSecret(text);
    } catch (error) {
      expect(error).toMatchObject({ code: 'setting-invalid' });
      if (text.length > 6) expect(String(error)).not.toContain(text.slice(6));
    }
  });
});
