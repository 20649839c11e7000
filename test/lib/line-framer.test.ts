import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lineFramer } from '../../src/lib/line-framer.js';

function frame(chunks: Buffer[], maxBytes?: number): { lines: string[]; overlong: number[] } {
  const lines: string[] = [];
  const overlong: number[] = [];
  const framer = lineFramer({
    onLine: (line) => lines.push(line),
    onOverlong: (bytes) => overlong.push(bytes),
    ...(maxBytes ? { maxBytes } : {}),
  });
  for (const chunk of chunks) framer.push(chunk);
  framer.end();
  return { lines, overlong };
}

describe('lineFramer', () => {
  it('gives the same lines however the bytes are cut', () => {
    const line = fc
      .string({ unit: 'binary', maxLength: 30 })
      .map((text) => text.toWellFormed().replaceAll('\n', ''));
    fc.assert(
      fc.property(fc.array(line), fc.array(fc.integer({ min: 0, max: 200 })), (lines, cuts) => {
        const bytes = Buffer.from(lines.map((text) => `${text}\n`).join(''));
        const at = [...new Set(cuts.filter((cut) => cut < bytes.length))].toSorted((a, b) => a - b);
        const chunks = [...at, bytes.length].map((end, index) => bytes.subarray(at[index - 1] ?? 0, end));
        expect(frame(chunks).lines).toEqual(lines.filter((text) => text !== ''));
      }),
    );
  });

  it('cuts on LF alone: CR and U+2028 are data', () => {
    expect(frame([Buffer.from('a\rb\u2028c\nd')]).lines).toEqual(['a\rb\u2028c', 'd']);
  });

  it('drops an overlong line whole, says so once, and goes on', () => {
    const chunks = [Buffer.from('x'.repeat(8)), Buffer.from('x'.repeat(8)), Buffer.from('\nok\n')];
    expect(frame(chunks, 10)).toEqual({ lines: ['ok'], overlong: [16] });
  });
});
