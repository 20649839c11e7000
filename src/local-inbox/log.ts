// The room's way to say what happened: an event and facts that hold no key and no message text.

export type Log = (event: string, facts: Record<string, unknown>) => void;
