// Says durations, money and counts the way people do.

const UNITS: readonly (readonly [name: string, ms: number])[] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
];

/** `850 ms`, `1.2 s`, `42 s`, `3 m 12 s`, `2 h 5 m`, `3 d 4 h`: two units at most. Negative counts as nothing. */
export function humanDuration(ms: number): string {
  if (!Number.isFinite(ms)) return '?';
  const whole = Math.max(0, Math.round(ms));
  if (whole < 1000) return `${whole} ms`;
  // Rounded before the unit is chosen, so that nothing is ever "60 s".
  if (whole < 9950) return `${trimZeros((whole / 1000).toFixed(1))} s`;
  const seconds = Math.round(whole / 1000) * 1000;
  const first = UNITS.findIndex(([, size]) => seconds >= size);
  const [name, size] = UNITS[first] ?? ['s', 1000];
  const [nextName, nextSize] = UNITS[first + 1] ?? ['', 0];
  const rest = nextSize === 0 ? 0 : Math.floor((seconds % size) / nextSize);
  return `${Math.floor(seconds / size)} ${name}${rest > 0 ? ` ${rest} ${nextName}` : ''}`;
}

/** `$0`, `<$0.0001`, `$0.0031`, `$0.042`, `$1.23`: small sums keep two digits that say something. */
export function humanDollars(usd: number): string {
  if (!Number.isFinite(usd)) return '$?';
  if (usd <= 0) return '$0';
  if (usd < 0.0001) return '<$0.0001';
  if (usd >= 0.0995) return `$${usd.toFixed(2)}`;
  return `$${trimZeros(Number(usd.toPrecision(2)).toFixed(5))}`;
}

/** `999`, `1.2k`, `12k`, `1.2M`: about so many. */
export function humanCount(count: number): string {
  if (!Number.isFinite(count)) return '?';
  const whole = Math.max(0, Math.round(count));
  if (whole < 1000) return `${whole}`;
  // Rounded before the unit is chosen, so that nothing is ever "1000k".
  if (whole < 999_500) return `${short(whole / 1000)}k`;
  return `${short(whole / 1_000_000)}M`;
}

const short = (value: number): string => (value < 9.95 ? trimZeros(value.toFixed(1)) : value.toFixed(0));

/** `1 turn`, `2 turns`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

const trimZeros = (digits: string): string => digits.replace(/\.?0+$/, '');
