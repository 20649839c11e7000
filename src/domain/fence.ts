// Fences a stranger's text in the prompt, so that it reads as data and cannot climb out.

/**
 * `<TAG ATTRIBUTES>\ntext\n</TAG>`. The tag carries a random word (`nonce`) that the text cannot know;
 * should it hold the closing tag all the same, that is broken with a zero-width space.
 */
export function fence(tag: string, nonce: string, attributes: Record<string, string>, text: string): string {
  const name = `${tag}-${nonce}`;
  const list = Object.entries(attributes)
    .map(
      ([key, value]) =>
        ` ${key}="${value
          .replace(/[\r\n]+/g, ' ')
          .replaceAll('"', '&quot;')
          .replaceAll('<', '&lt;')
          .replaceAll('>', '&gt;')}"`,
    )
    .join('');
  const safe = text.replaceAll(new RegExp(`(</?)(?=${name})`, 'gi'), '$1\u200b');
  return `<${name}${list}>\n${safe}\n</${name}>`;
}
