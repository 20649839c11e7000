// Asks before what cannot be taken back.
import { must, setText } from './dom.js';

export interface Question {
  readonly title: string;
  readonly text: string;
  /** What the button says that does it. */
  readonly yes: string;
}

/** The answer is no unless that button was pressed. The focus goes back where it came from. */
export function confirmed({ title, text, yes }: Question): Promise<boolean> {
  const dialog = must<HTMLDialogElement>('confirm');
  const [accept, refuse] = [must('confirm-yes'), must('confirm-no')];
  setText(must('confirm-title'), title);
  setText(must('confirm-text'), text);
  setText(accept, yes);
  const controller = new AbortController();
  const { signal } = controller;
  return new Promise((resolve) => {
    const close = (answer: boolean) => () => {
      controller.abort();
      if (dialog.open) dialog.close();
      resolve(answer);
    };
    accept.addEventListener('click', close(true), { signal });
    refuse.addEventListener('click', close(false), { signal });
    dialog.addEventListener('close', close(false), { signal });
    dialog.showModal();
    refuse.focus();
  });
}
