// Confirm: asks before something that cannot be taken back, and says in numbers what it is.

import type { ComponentChildren } from "preact";

import { useDeed } from "../api/hooks";
import { Dialog, isReadable } from "./dialog";
import { Failure } from "./failure";

interface ConfirmProps {
  title: string;
  // On the button.
  verb: string;
  deed: () => Promise<void>;
  // On the button that leaves all as it is.
  keep?: string;
  close: () => void;
  isReady?: boolean;
  children: ComponentChildren;
}

export function Confirm({
  title,
  verb,
  deed,
  close,
  keep = "Keep everything",
  isReady = true,
  children,
}: ConfirmProps) {
  const { run, isRunning, failure } = useDeed(deed);
  return (
    <Dialog title={title} close={close}>
      {children}
      <Failure of={failure} />
      <div class="buttons">
        <button type="button" onClick={close}>
          {keep}
        </button>
        <button
          type="button"
          class="danger"
          disabled={isRunning || !isReady}
          onClick={async (event) => isReadable(event.currentTarget) && (await run()) && close()}
        >
          {verb}
        </button>
      </div>
    </Dialog>
  );
}
