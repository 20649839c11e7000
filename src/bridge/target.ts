// Where the bridge leads: the inbox's address, and what goes along with every request.

export interface Target {
  /** Streamable HTTP. */
  readonly url: string;
  /** The key among them. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Asked at each new connection, for an embedded inbox may have come back on another port. Rejects with a WorkerError,
 * whose sentence reaches the client, where the inbox cannot be found at present.
 */
export type FindTarget = () => Promise<Target>;

/** The inbox as it stands in sentences: never with a query, which may hold a key. */
export function nameOf({ url }: Target): string {
  const { origin, pathname } = new URL(url);
  return `the inbox at ${origin}${pathname}`;
}
