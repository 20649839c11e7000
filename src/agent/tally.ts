// Counts what is odd by kind, and reports it without flooding the log.

export class Tally {
  readonly #counts = new Map<string, number>();
  readonly #report: (what: string) => void;

  constructor(report: (what: string) => void) {
    this.#report = report;
  }

  /** Counts one of `kind`; the 1st, 10th, 100th… is reported. `what` is a sentence without its full stop. */
  note(kind: string, what: string): void {
    const count = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, count);
    if (/^10*$/.test(String(count)))
      this.#report(count === 1 ? `${what}.` : `${what} (${count} times by now).`);
  }

  count(kind: string): number {
    return this.#counts.get(kind) ?? 0;
  }
}
