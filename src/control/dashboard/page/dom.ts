// Small tools for the page's elements. Text goes in as text, never as markup.

/** The element of this id, which the page must have. */
export function must<E extends HTMLElement = HTMLElement>(id: string): E {
  const element = document.getElementById(id);
  if (!element) throw new Error(`The page has no #${id}.`);
  return element as E;
}

export type Child = Node | string | undefined;

/** Attributes by name; undefined leaves one out. */
export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Readonly<Record<string, string | undefined>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined) element.setAttribute(name, value);
  }
  for (const child of children) if (child !== undefined) element.append(child);
  return element;
}

/** Only where it changes: what stays is not selected anew, nor spoken again. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

export function setAttribute(element: Element, name: string, value: string | undefined): void {
  if (value === undefined) element.removeAttribute(name);
  else if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

export function button(text: string, press: () => void, kind?: string): HTMLButtonElement {
  const element = make('button', { type: 'button', class: kind }, text);
  element.addEventListener('click', press);
  return element;
}

/**
 * Shows items as children of `parent`, in order. What stays keeps its element, and with it the focus and the selection
 * in it; when the focused one goes, the focus goes to the section around it.
 */
export function keyed<T>(
  parent: Element,
  key: (item: T) => string,
  create: (item: T) => HTMLElement,
  fill: (element: HTMLElement, item: T) => void,
): (items: readonly T[]) => void {
  let shown = new Map<string, HTMLElement>();
  return (items) => {
    const hadFocus = parent.contains(document.activeElement);
    const next = new Map<string, HTMLElement>();
    for (const item of items) {
      const name = key(item);
      const element = shown.get(name) ?? create(item);
      fill(element, item);
      next.set(name, element);
    }
    for (const [name, element] of shown) if (!next.has(name)) element.remove();
    let place = parent.firstElementChild;
    for (const element of next.values()) {
      if (element === place) place = place.nextElementSibling;
      else parent.insertBefore(element, place);
    }
    shown = next;
    if (hadFocus && !parent.contains(document.activeElement)) {
      parent.closest<HTMLElement>('section[tabindex]')?.focus({ preventScroll: true });
    }
  };
}
