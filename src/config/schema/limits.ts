// Settings: what may be spent, by whom, and how often one conversation may go back and forth.

import type { Cap } from '../../domain/budget.js';
import { budget } from '../budget-kind.js';
import { settingsOf } from '../setting.js';
import { cap, duration } from '../values.js';

const setting = settingsOf('limits');

const UNLIMITED: Cap = { usd: 'unlimited', tokens: 'unlimited' };

export const LIMIT_SETTINGS = {
  budgetDay: setting('budget_day', budget, {
    default: { usd: 10, tokens: 'unlimited' } as Cap,
    caption: 'what all turns of a day (UTC) may cost; then no turn starts before the next one',
    reloadable: true,
    example: true,
  }),
  budgetHour: setting('budget_hour', budget, {
    default: UNLIMITED,
    caption: 'the same for an hour',
    reloadable: true,
    example: true,
  }),
  budgetRun: setting('budget_run', budget, {
    default: UNLIMITED,
    caption: 'what one run may cost; then it ends with exit code 6',
    reloadable: true,
  }),
  budgetConversation: setting('budget_conversation', budget, {
    default: UNLIMITED,
    caption: 'what one conversation may cost in a day; then only that one waits for the next',
    reloadable: true,
    example: true,
  }),
  budgetSender: setting('budget_sender', budget, {
    default: UNLIMITED,
    caption: 'what the messages of one sender may cost in a day, in all conversations together',
    reloadable: true,
  }),
  budgetMessage: setting('budget_message', budget, {
    default: UNLIMITED,
    caption: 'what all attempts at one message may cost; then it counts as dead',
    reloadable: true,
    example: true,
  }),
  loopTurns: setting('loop_turns', cap('turns'), {
    default: 30 as number | 'unlimited',
    caption:
      'how many answers one conversation gets within `loop_window`, so that two bots cannot thank each other for ever',
    reloadable: true,
    example: true,
  }),
  loopWindowMs: setting('loop_window', duration(), {
    default: 3_600_000,
    caption: 'the time that `loop_turns` counts in',
    reloadable: true,
  }),
};
