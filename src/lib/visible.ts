// Makes a text of foreign origin safe to look at, line by line: what cannot be seen is shown as a mark.

/** Controls but tab and line end, direction marks, and characters nobody can see. */
const HIDDEN =
  /(?![\n\t])[\p{Cc}\p{Zl}\p{Zp}\u{200b}\u{200e}\u{200f}\u{202a}-\u{202e}\u{2066}-\u{2069}\u{feff}\u{e0000}-\u{e007f}]/gu;

/** The same text, a hidden character as `⟨U+202E⟩`. A carriage return before a line end is dropped. */
export function visible(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(HIDDEN, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`;
  });
}
