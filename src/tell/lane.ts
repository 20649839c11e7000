// Tells one thing at a time, as long as there is something to tell.

export interface Lane {
  /** Asks for what is next, unless a telling is under way: then it is asked when that is over. */
  poke(): void;
  /** Resolves when nothing is under way. */
  idle(): Promise<void>;
}

/**
 * There is no queue that could grow: what waits is merged where it comes from.
 * @param next what is to be told now, if anything
 * @param tell must not reject
 */
export function lane<T>(next: () => T | undefined, tell: (news: T) => Promise<void>): Lane {
  let current: Promise<void> | undefined;

  const run = async (first: T): Promise<void> => {
    for (let news: T | undefined = first; news !== undefined; news = next()) await tell(news);
    current = undefined;
  };

  return {
    poke() {
      if (current) return;
      const news = next();
      if (news !== undefined) current = run(news);
    },
    async idle() {
      await current;
    },
  };
}
