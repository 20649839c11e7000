// A question that can be recognised in its answer, and what it asks of the model.

/**
 * `plain`: a text answer. `tool`: one through send_dm. `interim`: a sign of life first. `long`: more than the inbox takes
 * at once. `quiet`: none, unless another question of the same turn wants one.
 */
export type Manner = 'plain' | 'tool' | 'interim' | 'long' | 'quiet';

export interface Question {
  /** `q00042`: stands in the question and at the head of whatever answers it. */
  readonly token: string;
  readonly manner: Manner;
}

export function questionText({ token, manner }: Question): string {
  return `Question ${token} (${manner}): what do you make of it?`;
}

/** The questions that stand in a text, in its order. */
export function questionsIn(text: string): Question[] {
  return [...text.matchAll(/\bQuestion (q\d+) \((\w+)\)/g)].map(([, token = '', manner = '']) => ({
    token,
    manner: manner as Manner,
  }));
}

/** The head of an answer: it names every question that it answers, and no other text does so. */
export function answerHead(tokens: readonly string[]): string {
  return `[answers ${tokens.join(' ')}]`;
}

/** The end of a long answer: in another message than its head. */
export function answerTail(tokens: readonly string[]): string {
  return `[so much for ${tokens.join(' ')}]`;
}

export function answeredIn(text: string): string[] {
  return wordsIn(/\[answers ([^\]]*)\]/g, text);
}

export function endedIn(text: string): string[] {
  return wordsIn(/\[so much for ([^\]]*)\]/g, text);
}

function wordsIn(pattern: RegExp, text: string): string[] {
  return [...text.matchAll(pattern)].flatMap(([, words = '']) => words.split(' '));
}
