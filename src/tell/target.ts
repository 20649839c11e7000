// Whom news goes to, and what became of it.

export type Target =
  | { readonly kind: 'command'; readonly words: readonly string[] }
  | { readonly kind: 'shell'; readonly line: string }
  | {
      readonly kind: 'webhook';
      readonly url: string;
      /** Each signs. */
      readonly secrets: readonly string[];
    };

export type Outcome =
  | { readonly kind: 'told'; readonly how: string }
  /** Whole after "could not be told: ". */
  | { readonly kind: 'failed'; readonly why: string };
