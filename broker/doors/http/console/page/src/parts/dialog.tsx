// Dialog: a modal window; Escape closes it, and the focus returns to where it was, or to what is there instead. It begins
// at what is to be written first, or at its heading.

import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";

import { closes, opens } from "./focus";
import { Notices } from "./notice";

interface DialogProps {
  title: string;
  isWide?: boolean;
  // Nothing else is seen.
  isAlone?: boolean;
  // Without it one cannot go back.
  close?: () => void;
  children: ComponentChildren;
}

const WRITTEN = ".dialog-body :is(input:not([type=checkbox], [type=file]), select, textarea)";

export function Dialog({ title, isWide = false, isAlone = false, close, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const opened = dialog.current!;
    const first = isWide ? null : opened.querySelector<HTMLElement>(WRITTEN);
    opens(opened, first ?? opened.querySelector("h2")!);
    return () => closes(opened);
  }, []);
  // A browser closes it all the same when Escape is pressed once more.
  const closed = () => {
    if (dialog.current?.isConnected !== true) return;
    if (close !== undefined) close();
    else dialog.current.showModal();
  };
  return (
    <dialog
      ref={dialog}
      class={isWide ? "dialog wide" : isAlone ? "dialog alone" : "dialog"}
      aria-labelledby={id}
      onCancel={(event) => {
        // A choice of files is cancelled, too.
        if (event.target !== dialog.current) return;
        event.preventDefault();
        close?.();
      }}
      onClose={closed}
    >
      <header class="dialog-head">
        <h2 id={id}>{title}</h2>
        {close !== undefined && (
          <button type="button" class="quiet" onClick={close} aria-label="Close">
            ✕
          </button>
        )}
      </header>
      <div class="dialog-body">{children}</div>
      <Notices />
    </dialog>
  );
}

// Whether what is written in the dialog of a button can be read, and what cannot is shown: to the page, half a time or half
// a number is nothing at all.
export function isReadable(button: HTMLElement): boolean {
  return [...button.closest("dialog")!.querySelectorAll("input")].every((input) => input.reportValidity());
}
