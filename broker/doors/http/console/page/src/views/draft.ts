// Draft: a message on its way into the form that sends one; a copy of another, or of what was sent last.

import { keptForOne } from "../api/presence";
import type { Message } from "../api/types";

export interface Draft {
  message: Message;
  // Its body, where that is too large to be in it.
  body: File | null;
}

let draft: Draft | null = null;

keptForOne(() => {
  draft = null;
});

export function keepDraft(message: Message, body: File | null = null): void {
  draft = { message, body };
}

// Once.
export function takeDraft(): Draft | null {
  const taken = draft;
  draft = null;
  return taken;
}
