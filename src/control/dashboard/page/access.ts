// The token of the run: out of the address, where it stays no longer than it must, into this tab's own storage.

const KEY = 'inbox-worker-token';

export interface Access {
  token(): string | undefined;
  keep(token: string): void;
}

/**
 * Reads `#token=…`, or exchanges `#ticket=…` for the token: what follows a `#` is never sent to a server. Both are
 * wiped from the address, and so from the history, before anything else is done.
 */
export async function openAccess(): Promise<Access> {
  const given = new URLSearchParams(location.hash.slice(1));
  const [token, ticket] = [given.get('token'), given.get('ticket')];
  if (token !== null || ticket !== null) history.replaceState(null, '', location.pathname + location.search);
  const access: Access = {
    token: () => sessionStorage.getItem(KEY) ?? undefined,
    keep: (known) => sessionStorage.setItem(KEY, known),
  };
  const known = token ?? (ticket === null ? null : await redeemed(ticket));
  if (known) access.keep(known);
  return access;
}

/** Null where the ticket does not count any more: then whatever this tab knows already is tried. */
async function redeemed(ticket: string): Promise<string | null> {
  try {
    const response = await fetch('open', { method: 'POST', body: ticket, cache: 'no-store' });
    if (!response.ok) return null;
    const { token } = (await response.json()) as { token: string };
    return token;
  } catch {
    return null;
  }
}
