// Focus: where the keyboard is. When that goes, because a message was completed or a window closed, what stands in its
// place is next, in the same line or list; else the heading above. Never is it the top of the page, nor a button that
// destroys something.

interface Step {
  node: Element;
  parent: Element;
  at: number;
}

// From the inside out.
type Place = Step[];

const FOCUSABLE = "a[href], button:not(.danger), input, select, textarea, summary";
// What is beyond them has nothing to do with what went.
const BOUNDS = "section, form, dialog, main";

const indexOf = (node: Element, parent: Element): number => Array.prototype.indexOf.call(parent.children, node);

function placeOf(element: Element): Place {
  const place: Place = [];
  for (let node = element; node.parentElement !== null; node = node.parentElement)
    place.push({ node, parent: node.parentElement, at: indexOf(node, node.parentElement) });
  return place;
}

function firstIn(element: Element | undefined): HTMLElement | null {
  if (element === undefined) return null;
  const all = [...(element.matches(FOCUSABLE) ? [element] : []), ...element.querySelectorAll(FOCUSABLE)];
  return (all.find((one) => one.checkVisibility()) as HTMLElement | undefined) ?? null;
}

// The last one before it.
function headingAbove(element: Element): HTMLElement | null {
  const around = element.closest("dialog, main") ?? document.body;
  const before = [...around.querySelectorAll<HTMLElement>("h1, h2, h3")].filter(
    (one) => one.checkVisibility() && element.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_PRECEDING,
  );
  return before.at(-1) ?? around.querySelector<HTMLElement>("h1, h2, h3");
}

// Where the keyboard was when a window opened.
const openers = new WeakMap<Element, Place>();

function heirOf(place: Place): HTMLElement | null {
  const [{ node: own }] = place;
  if (own.isConnected && own.checkVisibility()) return own as HTMLElement;
  for (const { node, parent, at } of place) {
    // What was in a window goes back to where that was opened.
    if (node instanceof HTMLDialogElement && !node.open) {
      const opener = openers.get(node);
      return opener === undefined ? null : heirOf(opener);
    }
    if (!parent.isConnected) continue;
    const now = node.isConnected ? indexOf(node, parent) : at;
    for (const near of [now, now + 1, now - 1]) {
      const heir = firstIn(parent.children[near]);
      if (heir !== null) return heir;
    }
    if (parent.matches(BOUNDS)) return headingAbove(parent.children[now] ?? parent);
  }
  return null;
}

function focusOn(element: HTMLElement): void {
  // A heading, which is no stop of Tab.
  if (element.tabIndex < 0) element.tabIndex = -1;
  element.focus({ preventScroll: true });
}

const isNowhere = (): boolean => document.activeElement === null || document.activeElement === document.body;

function inherit(place: Place): void {
  if (!isNowhere()) return;
  const heir = heirOf(place) ?? document.querySelector<HTMLElement>("main");
  if (heir !== null) focusOn(heir);
}

// Null: somebody pointed elsewhere, and goes on from there.
let last: Place | null = null;

export function opens(dialog: HTMLDialogElement, first: HTMLElement): void {
  if (last !== null) openers.set(dialog, last);
  dialog.showModal();
  focusOn(first);
}

// Those above it go with it, so what is left is known a moment later.
export function closes(dialog: HTMLDialogElement): void {
  const opener = openers.get(dialog);
  dialog.close();
  if (opener !== undefined) queueMicrotask(() => inherit(opener));
}

export function keepFocus(): void {
  document.addEventListener("focusin", ({ target }) => {
    last = target instanceof Element ? placeOf(target) : null;
  });
  document.addEventListener("pointerdown", () => {
    last = null;
  });
  new MutationObserver(() => last !== null && inherit(last)).observe(document.body, { childList: true, subtree: true });
}
