// Who may speak to the server: the right Host header, and a known bearer key.

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Whether `host` (as given to listen) is this machine only. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.has(host) || host === '::1';
}

/**
 * A web page can make the browser's own machine answer to the page's name (DNS rebinding). A server bound to loopback
 * therefore takes only requests that name loopback, in Host and, where a browser sends one, in Origin.
 */
export function namesLoopback(headers: Headers): boolean {
  const origin = headers.get('origin');
  return (
    LOOPBACK.has(hostname(`http://${headers.get('host') ?? ''}`)) &&
    (origin === null || LOOPBACK.has(hostname(origin)))
  );
}

/** The key of `Authorization: Bearer KEY`, or nothing. */
export function bearerKey(headers: Headers): string | undefined {
  return /^Bearer +(\S+)$/i.exec(headers.get('authorization') ?? '')?.[1];
}

function hostname(url: string): string {
  try {
    return new URL(url).hostname;
  } catch {
    return '';
  }
}
