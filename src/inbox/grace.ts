// An abort that comes a little later, for answers that only we will ever get.

/**
 * Aborts `graceMs` after `signal` does; at once when it had already aborted. `end()` must be called: it frees the
 * timer and the listener.
 */
export function afterGrace(
  signal: AbortSignal,
  graceMs: number,
): { readonly signal: AbortSignal; end(): void } {
  const late = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const onAbort = () => {
    timer = setTimeout(() => late.abort(signal.reason), graceMs);
  };
  if (signal.aborted) late.abort(signal.reason);
  else signal.addEventListener('abort', onAbort, { once: true });
  return {
    signal: late.signal,
    end() {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    },
  };
}
