// Copied: a text that is needed elsewhere, with a button that takes it there.

import { notice } from "./notice";

// A page without TLS that is not of this machine has no clipboard; there the text is marked, and copied the old way.
function copy(code: HTMLElement | null): void {
  const text = code?.textContent ?? "";
  const done = () => notice("It is copied.");
  const marked = () => {
    if (code === null) return;
    window.getSelection()?.selectAllChildren(code);
    if (document.execCommand("copy")) done();
    else notice("It is marked: copy it.");
  };
  if (navigator.clipboard === undefined) marked();
  else navigator.clipboard.writeText(text).then(done, marked);
}

// `name`: "the primary key".
export function Copied({ name, text }: { name: string; text: string | undefined }) {
  return (
    <span class="copied">
      <code>{text}</code>
      <button
        type="button"
        onClick={(event) => copy(event.currentTarget.parentElement?.querySelector("code") ?? null)}
        aria-label={`Copy ${name}`}
      >
        Copy
      </button>
    </span>
  );
}
