// The wake stream: does it open, or is it open already.
import { systemClock, systemRandom } from '../app/system.js';
import { wakeStreamOf } from '../app/wake-parts.js';
import type { ResolvedInbox, Settings } from '../config/index.js';
import { wakeStream } from '../wake/index.js';
import { type Finding, ok, skip, warn } from './check.js';
import type { RunningWorker } from './running.js';

export async function wakeStreamOpens(
  settings: Settings,
  inbox: ResolvedInbox,
  worker: RunningWorker | undefined,
): Promise<Finding> {
  const stream = wakeStreamOf(settings, inbox);
  if (!stream) return skip('No wake stream is known for this inbox, or it is off.');
  // A second one might end the first: nobody knows what a server makes of two with one key.
  if (worker?.ways.stream === true) {
    return ok(`The wake stream of the worker that runs here (process ${worker.entry.pid}) is connected.`);
  }
  const troubles: string[] = [];
  const source = wakeStream({
    ...stream,
    clock: systemClock,
    random: systemRandom,
    observer: { on: (event) => void (event.type === 'notice' && troubles.push(event.text)) },
    connectMs: settings.callTimeoutMs,
  });
  try {
    await source.start(() => {});
    if (source.connected()) return ok('The wake stream opens.');
    return warn(
      troubles[0] ?? 'The wake stream was closed at once. The inbox is still polled.',
      'Check the address in wake_stream and the key; or set wake_stream to off.',
    );
  } finally {
    await source.stop();
  }
}
