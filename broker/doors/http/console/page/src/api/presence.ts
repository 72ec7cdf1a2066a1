// Presence: whether the broker is there, and who asks it. When it is gone, it is looked for once a second until it is
// back; then everything that is shown is asked for anew.

import { type Caller, type Refusal, askNode, signOut, whoAsks } from "./call";
import { shared } from "./shared";
import type { ClusterStatus } from "./types";

export interface State {
  // Waiting: for a cluster that it can be of. Leaderless: this node is there, and its cluster has no leader.
  kind: "looking" | "there" | "signed-out" | "gone" | "waiting" | "leaderless";
  // Who asks, or did until the session was over; null: nobody.
  caller: Caller | null;
  // One signs in before anything is asked.
  isOut: boolean;
  // Rises when another comes, or somebody leaves: what the page kept for one of them is not the next one's.
  turn: number;
  // Why the session is over.
  ended: string;
  // Why the broker is gone, and since when.
  why: string;
  goneSince: number | null;
  // What the node knows that waits, or has no leader; null: that is not told.
  node: ClusterStatus | null;
  // Rises each time that it is back.
  times: number;
}

const PAUSE = 1000;

let state: State = {
  kind: "looking",
  caller: null,
  isOut: false,
  turn: 0,
  ended: "",
  why: "",
  goneSince: null,
  node: null,
  times: 0,
};
let isLooking = false;
let cameAt = Number.NEGATIVE_INFINITY;
// Somebody left, or was sent away for being away: a cookie that the broker has not heard to forget, or a certificate,
// lets nobody in again by itself.
let hasLeft = false;
// Aborted when the turn ends.
let ofTurn = new AbortController();
const listeners = new Set<(state: State) => void>();

function tell(next: Partial<State>): void {
  const goneSince = next.kind === "gone" || next.kind === "leaderless" ? (state.goneSince ?? Date.now()) : null;
  state = { ...state, ...next, goneSince };
  for (const listener of listeners) listener(state);
}

const nameOf = ({ isAccessOn, rule, entityPath, client }: Caller): string =>
  JSON.stringify([isAccessOn, rule, entityPath, client]);

function nextTurn(): number {
  ofTurn.abort();
  ofTurn = new AbortController();
  return state.turn + 1;
}

const isOfNow = (caller: Caller): boolean => state.caller !== null && nameOf(state.caller) === nameOf(caller);

function come(caller: Caller): void {
  const isSame = isOfNow(caller);
  cameAt = Date.now();
  tell({ kind: "there", caller, isOut: false, turn: isSame ? state.turn : nextTurn(), times: state.times + 1 });
}

// What somebody has written stays until he is back. Where access was off he was nobody who could be.
function end(ended: string): void {
  if (state.caller?.isAccessOn) tell({ kind: "signed-out", isOut: true, ended });
  else leave();
}

function leave(): void {
  tell({ kind: "signed-out", caller: null, isOut: true, turn: nextTurn() });
}

const ENDED = "Its key or rule may be another one now, or the broker began anew";

// Who may not ask a node of its cluster is refused once.
let mayAskNode = true;

async function nodeOf(): Promise<ClusterStatus | null> {
  if (!mayAskNode) return null;
  try {
    return await askNode();
  } catch (error) {
    mayAskNode = (error as Refusal).http !== 401;
    return null;
  }
}

// Where nobody answers as the broker.
async function whatIsThere(why: Error): Promise<Partial<State>> {
  const node = await nodeOf();
  if (node?.waitsForInvitation) return { kind: "waiting", node, caller: null, isOut: false };
  const isLed = node !== null ? node.leader !== "" : (why as Refusal).code !== "PartitionNotOwned";
  return { kind: isLed ? "gone" : "leaderless", why: why.message, node: shared(state.node, node) };
}

const pause = () => new Promise((resolve) => setTimeout(resolve, PAUSE));

async function look(): Promise<void> {
  if (isLooking) return;
  isLooking = true;
  mayAskNode = true;
  // One that says who asks and then refuses the rest is not asked in a circle without a breath.
  if (Date.now() - cameAt < PAUSE) await pause();
  for (;;) {
    try {
      const caller = await whoAsks();
      if (caller !== null && hasLeft) {
        await signOut();
        tell({ kind: "signed-out" });
      } else if (caller === null) end(ENDED);
      else come(caller);
      break;
    } catch (error) {
      tell(await whatIsThere(error as Error));
      await pause();
    }
  }
  isLooking = false;
}

export const presence = {
  now: (): State => state,
  // Aborted when another comes, or somebody leaves: then what is under way for him is to be dropped.
  turnEnds: (): AbortSignal => ofTurn.signal,
  listen(listener: (state: State) => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  look,
  // Of a call that fails late: whoever looks for the broker by then knows more of why.
  lose(why: string): void {
    if (!isLooking) tell({ kind: "gone", why });
    void look();
  },
  signedIn(caller: Caller): void {
    hasLeft = false;
    come(caller);
  },
  // The session that the browser has may be another one's now, by another window.
  seen(caller: Caller): void {
    if (state.kind === "there" && !isOfNow(caller)) come(caller);
  },
  // By the broker.
  sessionEnded(): void {
    if (state.kind === "there") end(ENDED);
  },
  // Nobody is at the page.
  sentAway(why: string): void {
    if (state.kind !== "there") return;
    hasLeft = true;
    end(why);
  },
  signedOut(): void {
    hasLeft = true;
    leave();
  },
};

// Empties what a part of the page has kept, when the next one comes.
export function keptForOne(drop: () => void): void {
  let { turn } = state;
  presence.listen((now) => {
    if (now.turn === turn) return;
    turn = now.turn;
    drop();
  });
}

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
