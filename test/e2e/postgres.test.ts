// The whole worker on a real PostgreSQL: answered once through kills of worker and server, taken over by another.
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Lab, openLab } from '../support/agent-lab.js';
import { postgresMissing, startPostgres, type TestPostgres } from '../support/postgres.js';

describe.skipIf(postgresMissing)('on PostgreSQL', () => {
  let server: TestPostgres;
  const labs: Lab[] = [];
  beforeAll(async () => {
    server = await startPostgres();
  }, 60_000);
  afterAll(() => server?.close());
  afterEach(async () => {
    for (const one of labs.splice(0)) await one.close();
  });

  const lab = async (settings: Record<string, unknown> = {}): Promise<Lab> => {
    const opened = await openLab({ settings });
    labs.push(opened);
    await useServer(opened);
    return opened;
  };
  const useServer = (it: Lab): Promise<void> =>
    appendFile(join(it.folder, '.env'), `INBOX_WORKER_DATABASE_URL=${server.url}\n`);
  const json = async (it: Lab, ...args: string[]) => {
    const { stdout, stderr, exitCode } = await it.command(...args, '--json');
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    return JSON.parse(stdout);
  };

  it('a worker killed in mid-turn answers once after its restart, and commands read the store while it is down', async () => {
    const it = await lab();
    const first = it.run();
    const hold = it.api.hold();
    const id = it.say('@alice', 'remember the walrus');
    await hold.reached;
    await first.kill();
    hold.release();
    expect(await json(it, 'show', id)).toMatchObject({ running: false, message: { state: 'claimed' } });

    const second = it.run();
    expect((await it.answerTo('@alice')).text).toContain('walrus');
    second.signal('SIGTERM');
    expect(await second.ended()).toMatchObject({ exitCode: 0 });
    expect(it.answers('@alice')).toHaveLength(1);
    expect(await json(it, 'show', id)).toMatchObject({ message: { state: 'answered' } });
    expect((await json(it, 'ledger')).length ?? 1).toBeGreaterThan(0);
  });

  it('a server that crashes in mid-turn costs no message and no answer, and the worker goes on by itself', async () => {
    const it = await lab();
    const worker = it.run();
    const hold = it.api.hold();
    it.say('@alice', 'one');
    await hold.reached;
    await server.stop('immediate');
    // Empty looks ask the store for nothing: the end of the turn is the first to notice.
    hold.release();
    await worker.says(/cannot be reached/);
    await server.start();
    await it.answerTo('@alice');
    it.say('@alice', 'two');
    expect((await it.answerTo('@alice', 1)).text).toContain('two');
    worker.signal('SIGTERM');
    expect(await worker.ended()).toMatchObject({ exitCode: 0 });
    expect(it.answers('@alice')).toHaveLength(2);
  });

  it('another worker with a state folder of its own waits for the lease, takes over, and knows what was said', async () => {
    const it = await lab();
    const first = it.run();
    it.say('@alice', 'remember the walrus');
    await it.answerTo('@alice');
    const second = it.run(['--standby'], { XDG_STATE_HOME: join(it.root, 'elsewhere') });
    await second.says(/Standing by/);
    await first.kill();
    it.say('@alice', 'what was it?');
    expect((await it.answerTo('@alice', 1)).text).toContain('walrus');
    second.signal('SIGTERM');
    expect(await second.ended()).toMatchObject({ exitCode: 0 });
  });

  it('is refused while a local store has work left, and taken once that is done', async () => {
    const it = await openLab({ settings: { attempts: 1, dead_notice: false } });
    labs.push(it);
    const local = it.run();
    const hold = it.api.hold();
    it.say('@alice', 'left behind');
    await hold.reached;
    await local.kill();
    await useServer(it);
    const refused = await it.command('run', '--once');
    expect(refused).toMatchObject({ exitCode: expect.any(Number) });
    expect(refused.stderr).toMatch(/still holds 1 message/);
    expect(refused.stderr).toMatch(/try: Let a worker without database_url/);
    expect(refused.exitCode).not.toBe(0);
    hold.release();
  });
});
