// Keeps asking for the state: soon while somebody looks, rarely while nobody does, ever more rarely without an answer.

/**
 * starting → live ⇄ unsteady → gone; `stopped`: it had said that it was stopping; `locked`: our token is not its;
 * `troubled`: it answers that it cannot tell its state.
 */
export type Link = 'starting' | 'live' | 'unsteady' | 'gone' | 'stopped' | 'locked' | 'troubled';

export interface LiveOptions<S> {
  /** Rejects with an error named `Locked` where the token is not taken, `Refused` where it answers with a reason. */
  ask(): Promise<S>;
  /** It is about to end: once it does not answer, that is why. */
  isStopping(status: S): boolean;
  isHidden(): boolean;
  onStatus(status: S): void;
  /** @param why what went wrong, where something did */
  onLink(link: Link, why: Error | undefined): void;
  /** Resolves after `ms`, or at once when `signal` aborts. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

export interface Live {
  readonly link: Link;
  /** Ask now. */
  nudge(): void;
}

const SEEN_MS = 2_000;
const HIDDEN_MS = 15_000;
const LONGEST_MS = 30_000;
/** One lost answer is a hiccup; three are news. */
const GONE_AFTER = 3;

export function follow<S>(options: LiveOptions<S>): Live {
  let link: Link = 'starting';
  let failures = 0;
  let stopping = false;
  let sleep = new AbortController();

  const become = (next: Link, why?: Error): void => {
    if (next === link) return;
    link = next;
    options.onLink(next, why);
  };

  const once = async (): Promise<void> => {
    try {
      const status = await options.ask();
      failures = 0;
      stopping = options.isStopping(status);
      become('live');
      options.onStatus(status);
    } catch (error) {
      failures += 1;
      const why = error instanceof Error ? error : new Error(String(error));
      if (why.name === 'Locked') become('locked', why);
      else if (why.name === 'Refused') become('troubled', why);
      else if (stopping) become('stopped', why);
      else become(failures < GONE_AFTER && link !== 'gone' ? 'unsteady' : 'gone', why);
    }
  };

  const pause = (): number => {
    if (failures > 0) return Math.min(LONGEST_MS, SEEN_MS * 2 ** (failures - 1));
    return options.isHidden() ? HIDDEN_MS : SEEN_MS;
  };

  const run = async (): Promise<never> => {
    for (;;) {
      sleep = new AbortController();
      await once();
      // Nudged while it asked: what it was told may be older than the nudge.
      if (!sleep.signal.aborted) await options.wait(pause(), sleep.signal);
    }
  };
  void run();
  return {
    get link() {
      return link;
    },
    nudge: () => sleep.abort(),
  };
}
