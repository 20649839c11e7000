// The model behind Claude Code: quotes every question of its turn, and fails, stalls and stutters as told by the dice.
import { setTimeout as sleep } from 'node:timers/promises';
import { prompts, toolNamed, toolSteps } from '../../src/rehearsal/conversation.js';
import { fencedMessages } from '../../src/rehearsal/fenced.js';
import type { Answer, ErrorFault, MessagesRequest, Script, StreamFault } from '../../src/rehearsal/index.js';
import type { Dice } from '../simulation/chance.js';
import type { Tally } from './options.js';
import { answerHead, answerTail, type Question, questionsIn } from './question.js';

/** As set in Claude's environment: a burst of more calls than this makes the turn fail. */
export const CLAUDE_RETRIES = 3;
/** More than the inbox takes in one message. */
const MUCH = 'so much to say about it, '.repeat(500);

const BURSTS = ['429', '529', '500'] as const;

export interface ModelOptions {
  readonly dice: Dice;
  readonly tally: Tally;
  readonly longBursts: boolean;
}

export class Model {
  readonly #options: ModelOptions;
  #burst: { readonly fault: (typeof BURSTS)[number]; left: number } | undefined;
  #well = false;
  #open = 0;

  constructor(options: ModelOptions) {
    this.#options = options;
  }

  /** Calls that the model is thinking about: Claude is in the middle of a turn. */
  get busy(): boolean {
    return this.#open > 0;
  }

  readonly script: Script = async (request, { signal }) => {
    if (this.#well) return answer(request);
    const trouble = this.#trouble();
    if (trouble && isError(trouble)) return trouble;
    this.#open += 1;
    try {
      // A model takes its time, and most of a turn is this.
      await sleep(this.#options.dice.rather(30, 2_500), undefined, { signal });
    } finally {
      this.#open -= 1;
    }
    return trouble && 'fault' in trouble ? trouble : { ...answer(request), ...trouble };
  };

  /** From now on every call is answered at once. */
  beWell(): void {
    this.#well = true;
  }

  /** What goes wrong with this call: an error, a stream that breaks, one that stutters; mostly nothing. */
  #trouble(): ErrorFault | StreamFault | Pick<Answer, 'delayMs' | 'chunkDelayMs'> | undefined {
    const { dice, tally, longBursts } = this.#options;
    if (!this.#burst && dice.chance(0.08)) {
      const long = longBursts && dice.chance(0.08);
      this.#burst = { fault: dice.pick(BURSTS), left: long ? CLAUDE_RETRIES + 1 : dice.between(1, 2) };
    }
    if (this.#burst) {
      const { fault } = this.#burst;
      this.#burst.left -= 1;
      if (this.#burst.left === 0) this.#burst = undefined;
      tally.add(`model ${fault}`);
      return { fault };
    }
    const fate = dice.next();
    if (fate < 0.05) {
      tally.add('stream cut');
      return { fault: 'cut' };
    }
    if (fate < 0.06) {
      tally.add('stream dead');
      return { fault: 'hang' };
    }
    if (fate < 0.16) {
      tally.add('stream slow');
      return { delayMs: dice.between(0, 2_000), chunkDelayMs: dice.between(10, 400) };
    }
    return undefined;
  }
}

function isError(trouble: object): trouble is ErrorFault {
  return 'fault' in trouble && trouble.fault !== 'cut' && trouble.fault !== 'hang';
}

/** What a turn is about: its questions, and whom they are from. */
interface Task {
  readonly partner: string;
  readonly questions: readonly Question[];
  /** The history does not hold all of them. */
  readonly isIncomplete: boolean;
}

function answer(request: MessagesRequest): Answer {
  const { partner, questions, isIncomplete } = taskOf(request);
  const steps = toolSteps(request);
  const did = (suffix: string): boolean =>
    steps.some((step) => step.name.endsWith(`__${suffix}`) && step.result !== undefined && !step.failed);
  if (isIncomplete && !did('read_dm')) return use(request, 'read_dm', { with: partner });
  if (questions.length === 0) return say('There was no question.');
  if (questions.every(({ manner }) => manner === 'quiet')) return say('NO_REPLY');
  const tokens = questions.map(({ token }) => token);
  const manners = new Set(questions.map(({ manner }) => manner));
  const text = manners.has('long')
    ? `${answerHead(tokens)} ${MUCH} ${answerTail(tokens)}`
    : `${answerHead(tokens)} I make much of it.`;
  if (manners.has('tool')) {
    return did('send_dm') ? say('done') : use(request, 'send_dm', { to: partner, message: text });
  }
  if (manners.has('interim') && !did('send_dm')) {
    return use(request, 'send_dm', { to: partner, message: 'Give me a moment.', interim: true });
  }
  return say(text);
}

/** Read from the last prompt; one that only says "continue" names messages that stand further up, or can be read. */
function taskOf(request: MessagesRequest): Task {
  const said = prompts(request);
  const last = said.at(-1) ?? '';
  const inLast = fencedMessages(last).filter(({ kind }) => kind === 'message');
  const [, named, partner = ''] =
    [...last.matchAll(/Continue: your turn on message (.*?) from (\S+) was/g)].at(-1) ?? [];
  if (named === undefined) {
    return {
      partner: inLast.at(-1)?.from ?? '',
      questions: inLast.flatMap(({ text }) => questionsIn(text)),
      isIncomplete: false,
    };
  }
  const known = new Map<string, string>();
  for (const { id, text } of said.flatMap(fencedMessages)) if (id !== undefined) known.set(id, text);
  for (const { id, text } of readMessages(request)) known.set(id, text);
  const ids = named.split(', ');
  return {
    partner,
    questions: ids.flatMap((id) => questionsIn(known.get(id) ?? '')),
    isIncomplete: ids.some((id) => !known.has(id)),
  };
}

function readMessages(request: MessagesRequest): { id: string; text: string }[] {
  return toolSteps(request)
    .filter((step) => step.name.endsWith('__read_dm') && step.result !== undefined && !step.failed)
    .flatMap((step) => {
      const { messages } = JSON.parse(step.result ?? '{}') as { messages?: { id: string; text: string }[] };
      return messages ?? [];
    });
}

function use(request: MessagesRequest, tool: string, input: object): Answer {
  const name = toolNamed(request, tool);
  if (name === undefined) throw new Error(`Claude Code does not offer ${tool}.`);
  return { content: [{ type: 'tool_use', name, input }] };
}

const say = (text: string): Answer => ({ content: [{ type: 'text', text }] });
