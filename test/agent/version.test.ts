import { describe, expect, it } from 'vitest';
import {
  announcesReset,
  atLeast,
  keepsInterruptedPrompt,
  parseVersion,
  supportOf,
} from '../../src/agent/version.js';

describe('versions of Claude Code', () => {
  it('are read out of what --version prints', () => {
    expect(parseVersion('2.1.332 (Claude Code)')).toEqual([2, 1, 332]);
    expect(parseVersion('a development build')).toBeUndefined();
    expect(parseVersion(undefined)).toBeUndefined();
  });

  it('compare by numbers, not by letters', () => {
    expect(atLeast('2.1.133', [2, 1, 133])).toBe(true);
    expect(atLeast('2.1.99', [2, 1, 133])).toBe(false);
    expect(atLeast('2.2.0', [2, 1, 133])).toBe(true);
    expect(atLeast('10.0.0', [2, 1, 133])).toBe(true);
    expect(atLeast('1.0.128', [2, 0, 56])).toBe(false);
  });

  it('decide what is supported', () => {
    const table = ['1.0.128', '2.0.55', '2.0.56', '2.1.132', '2.1.133', '2.1.332', 'unknown'];
    expect(table.map(supportOf)).toEqual([
      'refused',
      'refused',
      'restarts',
      'restarts',
      'full',
      'full',
      'full',
    ]);
  });

  it('decide what proves a cleared conversation and what survives a death', () => {
    expect(['2.1.197', '2.1.198', undefined].map(announcesReset)).toEqual([false, true, true]);
    expect(['2.1.88', '2.1.89', undefined].map(keepsInterruptedPrompt)).toEqual([false, true, true]);
  });
});
