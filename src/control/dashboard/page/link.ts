// Whether what is shown is live; and where it is not, why, and what to do.
import type { Access } from './access.js';
import { must, setText } from './dom.js';
import type { Link } from './live.js';
import { sentence } from './said.js';
import { seconds } from './words.js';

const WORDS: Record<Link, string> = {
  starting: 'connecting',
  live: 'live',
  unsteady: 'no answer, trying again',
  gone: 'not reached',
  stopped: 'stopped',
  locked: 'locked',
  troubled: 'in trouble',
};

let liveAt: number | undefined;

/** @param known something has been shown before @param retry asks again, with the token that was given */
export function showLink(
  link: Link,
  why: Error | undefined,
  known: boolean,
  access: Access,
  retry: () => void,
): void {
  if (document.body.dataset.link === 'live' && link !== 'live') liveAt = Date.now();
  document.body.dataset.link = link;
  setText(must('link'), WORDS[link]);
  const banner = must('banner');
  const text = sentenceOf(link, why, known);
  banner.hidden = text === '';
  setText(banner, text);
  // What cannot be done must not look as if it could.
  for (const button of document.querySelectorAll<HTMLButtonElement>('#wake, #pause')) {
    button.disabled = link !== 'live';
  }
  if (link === 'locked') askForToken(access, known, retry);
  else must<HTMLDialogElement>('access').close();
}

/** What the banner says; empty where nothing is wrong, or another place says it. */
function sentenceOf(link: Link, why: Error | undefined, known: boolean): string {
  const shown = known && liveAt !== undefined ? ` What you see is as of ${seconds(liveAt)}.` : '';
  const again = ' Each run has an address of its own: start it, and run “inbox-worker dashboard” again.';
  switch (link) {
    case 'stopped':
      return `The worker has stopped.${shown}${again}`;
    case 'gone':
      return `The worker does not answer: it has stopped, or cannot be reached.${shown}${again}`;
    case 'troubled':
      return `The worker cannot tell how it stands: ${sentence(why)}${shown}`;
    default:
      return '';
  }
}

function askForToken(access: Access, known: boolean, retry: () => void): void {
  const dialog = must<HTMLDialogElement>('access');
  const input = must<HTMLInputElement>('access-token');
  const why =
    access.token() === undefined
      ? 'This page was opened without a token.'
      : 'The token is not that of the run that answers.';
  setText(
    must('access-text'),
    `${why} Run “inbox-worker dashboard”: it opens this page with one.${known ? ' Or another worker has this address now.' : ''}`,
  );
  const take = (): void => {
    const token = input.value.trim();
    if (token === '') return;
    input.value = '';
    access.keep(token);
    dialog.close();
    retry();
  };
  // Handled here: the policy of this page lets no form be sent anywhere.
  must('access-form').onsubmit = (event) => {
    event.preventDefault();
    take();
  };
  if (!dialog.open) dialog.showModal();
}
