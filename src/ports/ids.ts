// Identities and chance, handed in so that a run can be repeated.

export interface Ids {
  /** A uuid v4. */
  uuid(): string;
  /** An unguessable word of letters and digits: fences and tokens. */
  word(): string;
}

export interface Random {
  /** In [0, 1). */
  next(): number;
}
