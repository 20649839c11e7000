import { describe, expect, it } from 'vitest';
import { isLoopback } from '../../src/wake/loopback.js';

describe('isLoopback', () => {
  const inside = [
    '127.0.0.1',
    '127.8.9.10',
    'localhost',
    'LOCALHOST',
    '::1',
    '0:0:0:0:0:0:0:1',
    '::ffff:127.0.0.1',
  ];
  const outside = ['', '0.0.0.0', '::', '10.0.0.1', '192.168.1.1', '::2', 'fe80::1%eth0', '::ffff:10.0.0.1'];
  const names = ['example.com', '127.evil.example', 'localhost.example.com', '127.0.0', '0127.0.0.1'];

  it.each(inside)('%j is reached by this machine only', (host) => expect(isLoopback(host)).toBe(true));
  it.each([...outside, ...names])('%j may be reached by others', (host) =>
    expect(isLoopback(host)).toBe(false),
  );
});
