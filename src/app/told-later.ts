// Sentences that wait until the inbox has answered: before that, its own trouble is what there is to tell.
import type { Observer } from '../ports/observer.js';

/** Tells `sentences`, whatever is in them by then, at the first look that succeeds. */
export function toldOnceReached(sentences: string[], tell: (text: string) => void): Observer {
  return {
    on(event) {
      if (event.type === 'looked') for (const sentence of sentences.splice(0)) tell(sentence);
    },
  };
}
