// Which agent this page is about, and the way to the others under the same address.
import type { AgentLine } from '../../wire.js';
import { make, must, setText } from './dom.js';
import { healthWord } from './words.js';

export interface Agents {
  readonly name: string;
  show(agents: readonly AgentLine[]): void;
}

export function agents(): Agents {
  const select = must<HTMLSelectElement>('agent-select');
  /** Where this agent lies: the page is one folder below. */
  const own = new URL('..', document.baseURI).pathname;
  let name = 'inbox-worker';
  let shown = '';
  select.addEventListener('change', () => {
    // Same origin, so the token in this tab's storage opens that one, too.
    location.assign(new URL(`${select.value}dashboard/`, location.origin));
  });
  return {
    get name() {
      return name;
    },
    show(list) {
      const mine = list.find(({ path }) => path === own) ?? list[0];
      name = mine?.name ?? name;
      setText(must('agent-name'), name);
      must('agent-name').hidden = list.length > 1;
      must('agent-picker').hidden = list.length < 2;
      const text = JSON.stringify(list);
      if (text === shown || document.activeElement === select) return;
      shown = text;
      select.replaceChildren(
        ...list.map(({ name: one, path, health }) => {
          const option = make('option', { value: path }, `${one} (${healthWord(health).toLowerCase()})`);
          option.selected = path === own;
          return option;
        }),
      );
    },
  };
}
