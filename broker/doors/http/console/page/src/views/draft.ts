// Draft: a message on its way into the form that sends one; a copy of another, or of what was sent last.

import type { Message } from "../api/types";

let draft: Message | null = null;

export function keepDraft(message: Message): void {
  draft = message;
}

// Once.
export function takeDraft(): Message | null {
  const taken = draft;
  draft = null;
  return taken;
}
