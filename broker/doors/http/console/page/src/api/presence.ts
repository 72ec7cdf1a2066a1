// Presence: whether the broker is there, and who asks it. When it is gone, it is looked for once a second until it is
// back; then everything that is shown is asked for anew.

import { type Caller, whoAsks, whoWaits } from "./call";

export interface State {
  // Waiting: for a cluster that it can be of.
  kind: "looking" | "there" | "signed-out" | "gone" | "waiting";
  caller: Caller | null;
  // Why it is gone, and since when.
  why: string;
  goneSince: number | null;
  // Of what waits.
  node: string;
  // Rises each time that it is back.
  times: number;
}

const PAUSE = 1000;

let state: State = { kind: "looking", caller: null, why: "", goneSince: null, node: "", times: 0 };
let isLooking = false;
const listeners = new Set<(state: State) => void>();

function tell(next: Partial<State>): void {
  const goneSince = next.kind === "gone" ? (state.goneSince ?? Date.now()) : null;
  state = { ...state, ...next, goneSince };
  for (const listener of listeners) listener(state);
}

async function look(): Promise<void> {
  if (isLooking) return;
  isLooking = true;
  for (;;) {
    try {
      const caller = await whoAsks();
      tell(caller === null ? { kind: "signed-out", caller } : { kind: "there", caller, times: state.times + 1 });
      break;
    } catch (error) {
      const node = await whoWaits().catch(() => null);
      tell(node === null ? { kind: "gone", why: (error as Error).message } : { kind: "waiting", node, caller: null });
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
    }
  }
  isLooking = false;
}

export const presence = {
  now: (): State => state,
  listen(listener: (state: State) => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  look,
  lose(why: string): void {
    tell({ kind: "gone", why });
    void look();
  },
  signedIn(caller: Caller): void {
    tell({ kind: "there", caller, times: state.times + 1 });
  },
  signedOut(): void {
    if (state.kind !== "gone") tell({ kind: "signed-out", caller: null });
  },
};

export type Right = "Send" | "Listen" | "Manage";

// Whether the page shows what takes this right; the broker decides. Without a path: on the namespace.
export function may(right: Right, path?: string): boolean {
  const { caller } = state;
  if (caller === null) return false;
  if (!caller.isAccessOn) return true;
  if (!caller.rights.includes(right) && !caller.rights.includes("Manage")) return false;
  const own = caller.entityPath.toLowerCase();
  if (own === "") return true;
  const asked = path?.toLowerCase();
  return asked !== undefined && (asked === own || asked.startsWith(`${own}/`));
}
