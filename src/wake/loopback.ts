// Which addresses only this machine can reach.
import { isIPv4, isIPv6 } from 'node:net';

/** True for 127.0.0.0/8, ::1 (also written long or v4-mapped) and `localhost`; an empty host listens everywhere. */
export function isLoopback(host: string): boolean {
  if (host.toLowerCase() === 'localhost') return true;
  if (isIPv4(host)) return host.startsWith('127.');
  if (!isIPv6(host) || host.includes('%')) return false;
  // The URL parser writes every spelling of an address in its one short form.
  const short = new URL(`http://[${host}]`).hostname;
  return short === '[::1]' || /^\[::ffff:7f[0-9a-f]{2}:[0-9a-f]+\]$/.test(short);
}
