// Watches the pace: no loop is hot, and nobody knocks all the time where he was told to wait.
import type { Agenda } from './agenda.js';
import type { Chronicle } from './chronicle.js';
import type { CallTrouble } from './plan.js';

const HOUR = 3_600_000;
/** An idle worker needs some 1,000 calls an hour; each thing that happens explains some more. */
const CALLS_PER_HOUR = 2_500;
const CALLS_PER_STIMULUS = 80;
const SAME_INSTANT = 5_000;
/** A key that was refused is tried every 5 minutes, an inbox that is down about once a minute. */
const REFUSALS_PER_HOUR: Record<string, number> = {
  unauthorised: 16,
  'upstream.look': 100,
  'upstream.check': 100,
};

export class PaceWatch {
  /** Mail, turns, sends, faults: whatever makes work. */
  stimuli = 0;
  /** Wakes and starts: whatever makes a worker try at once. */
  pokes = 0;
  readonly #agenda: Agenda;
  readonly #record: Chronicle;
  readonly #calls: () => number;
  readonly #refusals = new Map<string, number>();

  /** @param calls calls of ports so far, of all processes */
  constructor(agenda: Agenda, record: Chronicle, calls: () => number) {
    this.#agenda = agenda;
    this.#record = record;
    this.#calls = calls;
  }

  /** The inbox did not answer a call as it should. */
  refused(call: string, how: CallTrouble): void {
    if (call === 'upstream.ack') return;
    const kind = how === 'unauthorised' ? how : call;
    this.#refusals.set(kind, (this.#refusals.get(kind) ?? 0) + 1);
  }

  /** After every step. */
  stepped(): void {
    if (this.#agenda.sameInstant > SAME_INSTANT) {
      this.#record.violate('busy', 'time stands still, and all are busy');
    }
  }

  /** From now on, hour by hour. */
  start(): void {
    const [calls, stimuli, pokes] = [this.#calls(), this.stimuli, this.pokes];
    this.#refusals.clear();
    this.#agenda.after(HOUR, () => {
      this.#judge(this.#calls() - calls, this.stimuli - stimuli, this.pokes - pokes);
      this.start();
    });
  }

  #judge(calls: number, stimuli: number, pokes: number): void {
    const most = CALLS_PER_HOUR + CALLS_PER_STIMULUS * stimuli;
    if (calls > most) this.#record.violate('busy', `${calls} calls in an hour that explains ${most}`);
    for (const [kind, base] of Object.entries(REFUSALS_PER_HOUR)) {
      const refused = this.#refusals.get(kind) ?? 0;
      const fair = base + 2 * pokes;
      if (refused > fair) {
        this.#record.violate('knocking', `${refused} refusals (${kind}) where ${fair} are fair`);
      }
    }
  }
}
