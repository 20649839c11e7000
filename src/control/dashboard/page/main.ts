// The dashboard: asks the worker for its state, shows it, and does what the buttons say.
import type { Status } from '../../../domain/status.js';
import { humanDuration } from '../../../lib/human.js';
import type { Bucket } from '../../../ports/reports.js';
import { reportPaths } from '../../report-paths.js';
import type {
  AgentLine,
  ConversationList,
  DeadList,
  LatencyList,
  LedgerLine,
  MessagePage,
} from '../../wire.js';
import { openAccess } from './access.js';
import { actionsOver } from './actions.js';
import { agents } from './agents.js';
import { Refused, workerApi } from './api.js';
import { attention } from './attention.js';
import { conversations } from './conversations.js';
import { must, setText } from './dom.js';
import { drawer } from './drawer.js';
import { showFacts } from './facts.js';
import { showHeadline } from './headline.js';
import { moveIn, shortcuts } from './keys.js';
import { showLink } from './link.js';
import { follow } from './live.js';
import { messages } from './messages.js';
import { plots } from './plots.js';
import { say, sentence } from './said.js';
import { turns } from './turns.js';

/** Lists are asked for when the state shows a change; this often they are all the same, in case it does not. */
const LISTS_MS = 30_000;
const TICK_MS = 1_000;

const access = await openAccess();
const api = workerApi(access.token);
/** As we asked for it; the state shows it once the worker has come to it, which a turn may put off. */
let wished: boolean | undefined;
const actions = actionsOver(api, {
  changed: () => refresh(),
  paused(paused) {
    wished = paused;
  },
});
const story = drawer(api, actions);
const open = (id: string): void => story.open(id);
const picker = agents();
const needed = attention(actions, open);
const mail = messages(() => void loadLists(), open);
const talks = conversations((conversation) => mail.choose(conversation));
const ledger = turns(() => void loadLists(), open);
const figures = plots(() => void loadLists());

let status: Status | undefined;
let seen = '';
let listedAt = 0;
let loading: Promise<void> | undefined;
let again = false;

const live = follow<Status>({
  ask: () => api.get<Status>('status'),
  isStopping: (now) => now.stopping,
  isHidden: () => document.hidden,
  onStatus(next) {
    status = next;
    showNow();
    // What cannot change without one of these changing is not asked for again.
    const key = JSON.stringify([next.messages, next.outbox, next.today, next.turn?.startedAt, next.agent]);
    if (key !== seen || api.now() - listedAt > LISTS_MS) void loadLists();
    seen = key;
  },
  onLink: (link, why) => showLink(link, why, status !== undefined, access, refresh),
  wait: (ms, signal) =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      signal.addEventListener('abort', () => {
        clearTimeout(timer);
        resolve();
      });
    }),
});

function refresh(): void {
  seen = '';
  live.nudge();
}

/** One round at a time; what is wished for meanwhile is another one. */
async function loadLists(): Promise<void> {
  again = true;
  loading ??= (async () => {
    try {
      while (again) {
        again = false;
        await askLists();
      }
    } catch (error) {
      // That nobody answers is told by the state, which is asked for all the time.
      if (error instanceof Refused) say(sentence(error), true);
    } finally {
      loading = undefined;
    }
  })();
  await loading;
}

async function askLists(): Promise<void> {
  const now = api.now();
  const spans = figures.spans(now);
  const [list, talk, page, dead, lines, series, latencies] = await Promise.all([
    api.get<{ agents: AgentLine[] }>('agents'),
    api.get<ConversationList>(reportPaths.conversations),
    api.get<MessagePage>(reportPaths.messages(mail.query())),
    api.get<DeadList>('dead'),
    api.get<{ turns: LedgerLine[] }>(reportPaths.turns(ledger.limit())),
    api.get<{ buckets: Bucket[] }>(reportPaths.series(spans.series)),
    api.get<LatencyList>(reportPaths.latencies(spans.latencies)),
    story.refresh(),
  ]);
  listedAt = now;
  picker.show(list.agents);
  talks.show(talk, now);
  mail.show(page, now);
  needed.show(dead, now);
  ledger.show(lines.turns, now);
  if (status) figures.show({ buckets: series.buckets, latencies }, status, now);
  showNow();
}

function showNow(): void {
  if (!status) return;
  const now = api.now();
  showHeadline(status, picker.name, now);
  showFacts(status, now);
  setText(must('pause'), isPaused() ? 'Resume' : 'Pause');
  setText(
    must('foot'),
    `Running for ${humanDuration(now - status.startedAt)}. Times are this browser's; budgets count days in UTC.`,
  );
}

function isPaused(): boolean {
  const held = status?.holds.some(({ reason }) => reason === 'paused') ?? false;
  if (wished === held) wished = undefined;
  return wished ?? held;
}

must('wake').addEventListener('click', () => actions.wake());
must('pause').addEventListener('click', () => actions.pause(!isPaused()));
/** Through the button: while that is off, its key is. */
const press = (id: string) => () => must(id).click();
const go = (id: string) => () => must(id).focus();
shortcuts([
  { key: 'w', what: 'wake: look at the inbox now', press: press('wake') },
  { key: 'p', what: 'pause, or resume', press: press('pause') },
  { key: 'n', what: 'to what is happening now', press: go('now') },
  { key: 'c', what: 'to the conversations', press: go('conversations') },
  { key: 'm', what: 'to the messages', press: go('messages') },
  { key: 't', what: 'to the turns', press: go('turns') },
  { key: 'f', what: 'choose which messages are shown', press: go('filter-state') },
  { key: 'j', what: 'down the messages', press: () => moveIn(must('messages-list'), 1) },
  { key: 'k', what: 'up the messages', press: () => moveIn(must('messages-list'), -1) },
]);

document.addEventListener('visibilitychange', () => {
  if (!document.hidden) live.nudge();
});
setInterval(() => {
  if (document.hidden || live.link !== 'live') return;
  const now = api.now();
  showNow();
  for (const part of [needed, talks, mail]) part.tick(now);
}, TICK_MS);
