// Dialog: a modal window; Escape closes it, and the focus returns to where it was.

import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";

interface DialogProps {
  title: string;
  isWide?: boolean;
  // Nothing else is seen.
  isAlone?: boolean;
  // Without it one cannot go back.
  close?: () => void;
  children: ComponentChildren;
}

export function Dialog({ title, isWide = false, isAlone = false, close, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const opened = dialog.current;
    opened?.showModal();
    return () => opened?.close();
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
    </dialog>
  );
}
