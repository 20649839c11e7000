// Composed agents that do what a test says: for what befalls an agent among others.
import type { ComposedAgent, RunEnd } from '../../../src/app/compose.js';
import { deferred } from '../../../src/lib/deferred.js';

export const DONE: RunEnd = { exitCode: 0, text: 'drained' };

export class FakeAgent implements ComposedAgent {
  readonly did: string[] = [];
  readonly ending = deferred<RunEnd>();
  /** Ends when it is told to, as a worker does; false: it hangs. */
  obeys = true;

  run = (): Promise<RunEnd> => {
    this.did.push('run');
    return this.ending.promise;
  };
  runOnce = (): Promise<RunEnd> => {
    this.did.push('run once');
    return this.ending.promise;
  };
  stop = (how: 'drain' | 'force', text: string): void => {
    this.did.push(`${how}: ${text}`);
    if (this.obeys) this.ending.resolve(DONE);
  };
  wake = (kind: string): void => {
    this.did.push(`woken by ${kind}`);
  };
  reload = async () => {
    this.did.push('reload');
    return { changed: [], kept: [], warnings: [] };
  };
  fit: ReturnType<ComposedAgent['fitness']> = { ok: true, status: 'ok' };
  fitness = () => this.fit;
  status = async () => ({ health: 'idle' }) as Awaited<ReturnType<ComposedAgent['status']>>;
  metrics = async (): Promise<string | undefined> => undefined;
  webhookAddress = () => undefined;
  close = async (): Promise<void> => {
    this.did.push('close');
  };
}
