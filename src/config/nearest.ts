// Suggests the known name that a misspelt one was probably meant to be.

/** The nearest of `known`, or undefined when none is near. Case, `_` and `-` do not count. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const wanted = plain(name);
  let best: { name: string; distance: number } | undefined;
  for (const candidate of known) {
    const distance = editDistance(wanted, plain(candidate));
    if (!best || distance < best.distance) best = { name: candidate, distance };
  }
  return best && best.distance <= (wanted.length < 5 ? 1 : Math.max(2, wanted.length / 4))
    ? best.name
    : undefined;
}

const plain = (name: string): string => name.toLowerCase().replace(/[_-]/g, '');

/** Levenshtein: how many letters to add, drop or change. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
