// The verdict: what became of every question, judged by what the inbox holds.
import type { Books } from './books.js';
import type { Sent } from './inbox-watch.js';
import type { ChaosOptions } from './options.js';
import type { Posted } from './people.js';
import { answeredIn, endedIn } from './question.js';

export interface Verdict {
  readonly messages: number;
  readonly answered: number;
  readonly silent: number;
  readonly dead: number;
  /** Neither answered nor rightly silent nor dead. */
  readonly lost: number;
  /** Answered by more than one message. */
  readonly doubled: number;
  /** Sends that the worker holds because nobody can tell whether they arrived; some have. */
  readonly unsure: number;
  /** Neither answered nor lost: their answers are among those sends. */
  readonly inDoubt: number;
  /** Read in vain: the inbox counts them as read, and the worker never had them. */
  readonly neverReceived: number;
  /** Answered to somebody else. */
  readonly astray: number;
  /** Answered before an earlier question of the same person. */
  readonly outOfOrder: number;
  /** A long answer without its end, or with two. */
  readonly broken: number;
  /** One line for each question that fared badly. */
  readonly faults: readonly string[];
}

const NOTHING = {
  answered: 0,
  inDoubt: 0,
  neverReceived: 0,
  silent: 0,
  dead: 0,
  lost: 0,
  doubled: 0,
  astray: 0,
  outOfOrder: 0,
  broken: 0,
};

/** `posted` in the order of each person's posting. */
export function judge(
  posted: readonly Posted[],
  sent: readonly Sent[],
  books: Pick<Books, 'stateOf' | 'unsure'>,
  vocabulary: ChaosOptions['vocabulary'],
): Verdict {
  const heads = placesOf(sent, answeredIn);
  const tails = placesOf(sent, endedIn);
  const doubtful = new Set(books.unsure.flatMap(answeredIn));
  const faults: string[] = [];
  const count = { ...NOTHING };
  const fault = (kind: keyof typeof count, { token, from, manner, id }: Posted): void => {
    count[kind] += 1;
    faults.push(`${kind}: ${token} (${manner}) of ${from}, message ${id}, ${books.stateOf(id) ?? 'unknown'}`);
  };
  const lastPlace = new Map<string, number>();
  for (const question of posted) {
    const places = heads.get(question.token) ?? [];
    const state = books.stateOf(question.id);
    const [place] = places;
    if (place === undefined) {
      if (doubtful.has(question.token)) count.inDoubt += 1;
      else if (vocabulary === 'agentdm' && state === undefined) count.neverReceived += 1;
      else if (state === 'dead') fault('dead', question);
      else if (state === 'silent' && question.manner === 'quiet') count.silent += 1;
      else fault('lost', question);
      continue;
    }
    count.answered += 1;
    if (places.length > 1) fault('doubled', question);
    if (places.some((at) => sent[at]?.to !== question.from)) fault('astray', question);
    if (place < (lastPlace.get(question.from) ?? 0)) fault('outOfOrder', question);
    lastPlace.set(question.from, place);
    const ends = tails.get(question.token)?.length ?? 0;
    if (ends > 1 || (question.manner === 'long' && ends === 0)) fault('broken', question);
  }
  return { messages: posted.length, ...count, unsure: books.unsure.length, faults };
}

/** Nothing that must never be; what only `agentdm` may leave behind is none of it, for only there it is counted. */
export function isGood(verdict: Verdict, vocabulary: ChaosOptions['vocabulary']): boolean {
  const { lost, doubled, dead, astray, outOfOrder, broken, unsure } = verdict;
  const never = lost + doubled + dead + astray + outOfOrder + broken;
  return never === 0 && (vocabulary === 'agentdm' || unsure === 0);
}

/** In which messages each question is named. */
function placesOf(sent: readonly Sent[], tokensIn: (text: string) => string[]): Map<string, number[]> {
  const places = new Map<string, number[]>();
  sent.forEach(({ text }, at) => {
    for (const token of tokensIn(text)) places.set(token, [...(places.get(token) ?? []), at]);
  });
  return places;
}
