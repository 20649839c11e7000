// The systemd units: read by systemd itself where it is there, and true to what the program does.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SETTINGS } from '../../src/config/schema.js';
import { parseDuration } from '../../src/config/values.js';
import { EXIT } from '../../src/domain/errors.js';
import { AFTER_DRAIN_MS, badWords, ourVariables, textOf } from './known.js';

const UNITS = ['inbox-worker.service', 'inbox-worker@.service'];
const unitText = (name: string): string => textOf(`config/deploy/systemd/${name}`);

const HAS_SYSTEMD = (() => {
  try {
    execFileSync('systemd-analyze', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

/** Directives of a unit by section, as systemd reads them: the last one of a name, comments left out. */
function directives(text: string, section: string): Map<string, string> {
  const part = text.split(/^\[/m).find((chunk) => chunk.startsWith(`${section}]`)) ?? '';
  const lines = part
    .split('\n')
    .slice(1)
    .filter((line) => /^[A-Za-z]+=/.test(line));
  return new Map(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
}

const SERVICE = directives(unitText('inbox-worker.service'), 'Service');
const seconds = (name: string): number => {
  const ms = parseDuration((SERVICE.get(name) ?? '').replace('min', 'm'));
  if (ms === undefined) throw new Error(`${name} is no time: ${SERVICE.get(name)}`);
  return ms;
};

describe.each(UNITS)('%s', (name) => {
  it.skipIf(!HAS_SYSTEMD)('is sound to systemd-analyze verify, and well locked', () => {
    const folder = mkdtempSync(join(tmpdir(), 'units-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const installed = join(folder, name.replace('@', '@anna'));
    const program = '/usr/local/bin/inbox-worker ';
    expect(unitText(name)).toContain(`ExecStart=${program}`);
    // It looks whether the program is there, which it is only where the worker is installed.
    writeFileSync(installed, unitText(name).replaceAll(program, '/bin/true '));
    const verified = spawnSync('systemd-analyze', ['verify', installed], { encoding: 'utf8' });
    expect([verified.status, verified.stderr.trim()]).toEqual([0, '']);
    const judged = spawnSync('systemd-analyze', ['security', '--offline=yes', '--threshold=45', installed], {
      encoding: 'utf8',
    });
    expect([judged.status, judged.stdout.match(/exposure level.*/)?.[0]]).toEqual([0, expect.any(String)]);
  });

  it('names only variables that there are', () => {
    const names = ourVariables(unitText(name));
    const known = Object.values(SETTINGS).flatMap(({ env }): readonly string[] => env);
    expect(names.filter((one) => !known.includes(one))).toEqual([]);
  });
});

it.skipIf(!HAS_SYSTEMD)('systemd-analyze would object: the check itself can fail', () => {
  const folder = mkdtempSync(join(tmpdir(), 'units-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const broken = join(folder, 'broken.service');
  writeFileSync(broken, '[Service]\nExecStart=/nowhere/at/all\n');
  expect(spawnSync('systemd-analyze', ['verify', broken]).status).not.toBe(0);
});

it('the two units differ in their folder alone', () => {
  const one = unitText('inbox-worker.service').split('\n');
  const many = unitText('inbox-worker@.service').split('\n');
  expect(many).toHaveLength(one.length);
  const rest = (lines: readonly string[]) =>
    lines
      .slice(1)
      .map((line) => line.replaceAll('/srv/agents/%i', '/srv/agent').replace('/%i.env', '/agent.env'));
  expect(rest(many)).toEqual(rest(one));
});

describe('the service', () => {
  it('starts a command that there is', async () => {
    const [program, ...words] = (SERVICE.get('ExecStart') ?? '').split(' ');
    expect(program?.endsWith('/inbox-worker')).toBe(true);
    expect(await badWords(words)).toEqual([]);
  });

  it('is not started again where only a person can help, and is otherwise', () => {
    const never = (SERVICE.get('RestartPreventExitStatus') ?? '').split(' ').map(Number);
    expect(never).toEqual([EXIT.usage, EXIT.leaseHeld, EXIT.overBudget]);
    expect(SERVICE.get('Restart')).toBe('on-failure');
    expect(never).not.toContain(EXIT.internal);
  });

  it('has time to end, and is asked before it is killed', () => {
    const drainMs = SETTINGS.drainMs.defaultOf({ cwd: '', home: '', env: {} });
    expect(seconds('TimeoutStopSec')).toBeGreaterThanOrEqual(drainMs + AFTER_DRAIN_MS);
    expect(SERVICE.get('KillMode')).toBe('mixed');
    expect(SERVICE.get('WatchdogSignal')).toBe('SIGTERM');
  });

  it('may tell how it is, as the program does', () => {
    expect([SERVICE.get('Type'), SERVICE.get('NotifyAccess')]).toEqual(['notify', 'all']);
    // A status that hangs is given up after ten seconds, and a sign of life is sent every quarter.
    expect(seconds('WatchdogSec') / 4).toBeGreaterThan(10_000);
  });

  it('can be reloaded when the program can: else the signal would end it', () => {
    const takesIt = textOf('src/main.ts').includes("'SIGHUP'");
    expect(SERVICE.get('ExecReload')).toBe(takesIt ? '/bin/kill -HUP $MAINPID' : undefined);
    expect(textOf('docs/deployment.md').includes('systemctl reload')).toBe(takesIt);
  });

  it('can compile as it runs, sees its processes, and keeps no core dump', () => {
    expect(SERVICE.get('LimitCORE')).toBe('0');
    for (const name of [
      'MemoryDenyWriteExecute',
      'ProtectProc',
      'ProcSubset',
      'PrivateUsers',
      'PrivateNetwork',
    ]) {
      expect(SERVICE.has(name)).toBe(false);
    }
    expect(SERVICE.get('OOMPolicy')).toBe('continue');
  });
});
