import { describe, expect, it } from 'vitest';
import { ago, ahead, bytes, healthTone, healthWord } from '../../../src/control/dashboard/page/words.js';
import { visible } from '../../../src/lib/visible.js';

describe("the page's words", () => {
  it('tell times as people do', () => {
    expect([0, 1_999, 59_000, 119_000, 125_000, 4_260_000].map((ms) => ago(0, ms))).toEqual([
      'just now',
      'just now',
      '59 s ago',
      '1 m 59 s ago',
      '2 m ago',
      '1 h 11 m ago',
    ]);
    // By a clock that runs ahead of ours.
    expect(ago(5_000, 0)).toBe('just now');
    expect(ago(undefined, 0)).toBe('');
    expect([-5, 999, 42_000, 7_200_000].map((at) => ahead(at, 0))).toEqual([
      'now',
      'now',
      'in 42 s',
      'in 2 h',
    ]);
  });

  it('tell sizes', () => {
    expect([0, 999, 1_744, 12_300, 2_500_000].map(bytes)).toEqual([
      '0 B',
      '999 B',
      '1.7 kB',
      '12 kB',
      '2.5 MB',
    ]);
  });

  it('name a health, also one they do not know', () => {
    expect([healthWord('idle'), healthTone('idle')]).toEqual(['Idle', 'good']);
    expect([healthWord('inbox-down'), healthTone('inbox-down')]).toEqual(['The inbox is down', 'bad']);
    expect([healthWord('constructor'), healthTone('constructor')]).toEqual(['constructor', 'wait']);
  });
});

describe('a text made visible', () => {
  it('keeps its lines, and shows what hides in them', () => {
    expect(visible('a\tb\r\nc\nd')).toBe('a\tb\nc\nd');
    expect(visible('\u001b[2J \u202eevil\u2066 \u0000 \ufeff \u{e0041} \rx')).toBe(
      '⟨U+001B⟩[2J ⟨U+202E⟩evil⟨U+2066⟩ ⟨U+0000⟩ ⟨U+FEFF⟩ ⟨U+E0041⟩ ⟨U+000D⟩x',
    );
    expect(visible('<b>héllo 👍🏽 &amp;</b>')).toBe('<b>héllo 👍🏽 &amp;</b>');
  });
});
