// How many columns a text takes on a terminal, and the part of it that fits.

const SEGMENTER = new Intl.Segmenter();

/** East Asian wide and fullwidth letters, by block: terminals give them two columns. */
const WIDE =
  /[\u{1100}-\u{115f}\u{2e80}-\u{303e}\u{3041}-\u{4dbf}\u{4e00}-\u{a4cf}\u{a960}-\u{a97c}\u{ac00}-\u{d7a3}\u{f900}-\u{faff}\u{fe30}-\u{fe6f}\u{ff01}-\u{ff60}\u{ffe0}-\u{ffe6}\u{16fe0}-\u{18cff}\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]/u;
/** Pictures: those that are one by themselves, and signs that a selector or a flag's second letter makes one. */
const PICTURE = /\p{Emoji_Presentation}|\ufe0f|\p{Regional_Indicator}{2}/u;
/** Marks that stand on the letter before, and what is never seen. */
const NOTHING = /^[\p{Mn}\p{Me}\p{Cf}\p{Cc}]*$/u;

/** Of one character as a person sees it. */
function widthOfOne(character: string): number {
  if (NOTHING.test(character)) return 0;
  return WIDE.test(character) || PICTURE.test(character) ? 2 : 1;
}

/** Columns of a text without controls. Where terminals disagree, the larger: a line cut early does no harm. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const { segment } of SEGMENTER.segment(text)) width += widthOfOne(segment);
  return width;
}

/** At most `columns` of a text; one that does not fit ends in `…`. */
export function cutToWidth(text: string, columns: number): string {
  if (columns <= 0) return '';
  let [kept, width] = ['', 0];
  for (const { segment } of SEGMENTER.segment(text)) {
    const more = width + widthOfOne(segment);
    if (more > columns) {
      // Room for the dots: of the last characters as many go as take a column.
      while (width > columns - 1) {
        const last = [...SEGMENTER.segment(kept)].at(-1)?.segment ?? '';
        kept = kept.slice(0, kept.length - last.length);
        width -= widthOfOne(last);
      }
      return `${kept}…`;
    }
    kept += segment;
    width = more;
  }
  return kept;
}
