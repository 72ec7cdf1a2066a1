// Pulse: what goes on in every view, also where nothing is asked: the page sees that the broker is gone, and a session
// lasts as long as somebody is there. Who writes keeps it, though a form asks nothing; who is away loses it, though a
// view asks now and again.

import { answeredAt, askBroker, knock, signOut } from "./call";
import { presence } from "./presence";

const BEAT = 2500;
// What a broker says that does not say another.
const IDLE_SECONDS = 900;
const DEEDS = ["keydown", "pointerdown", "pointermove", "wheel", "input"];

let deedAt = Date.now();
// When the session was last kept for who does something.
let keptAt = Date.now();
let isBeating = false;

// Other windows may be of the same session.
const windows = new BroadcastChannel("wharf.deeds");

function isAway(): boolean {
  const { kind, caller } = presence.now();
  if (kind !== "there" || !caller?.isAccessOn) return false;
  return Date.now() - deedAt >= (caller.idleSeconds ?? IDLE_SECONDS) * 1000;
}

async function end(): Promise<void> {
  const { caller } = presence.now();
  const minutes = Math.round((caller?.idleSeconds ?? IDLE_SECONDS) / 60);
  presence.sessionEnded(`Nobody has pressed a key or moved the pointer for ${minutes} min`);
  await signOut().catch(() => {});
}

// The first one after a long time is not of who was here before.
function deed(): void {
  if (isAway()) return void end();
  if (Date.now() - deedAt >= BEAT) windows.postMessage("");
  deedAt = Date.now();
}

// Who asks may be asked as a use of the session: it has been used, and where access is off there is none.
function mayAsk(): boolean {
  const { kind, caller } = presence.now();
  return kind === "there" && (!caller?.isAccessOn || deedAt > keptAt);
}

async function beat(): Promise<void> {
  if (isAway()) return void end();
  const { kind } = presence.now();
  const isQuiet = Date.now() - answeredAt() >= BEAT;
  if (isBeating || document.hidden || !isQuiet || (kind !== "there" && kind !== "signed-out")) return;
  isBeating = true;
  if (mayAsk()) {
    keptAt = Date.now();
    await askBroker("GET", "session").catch(() => {});
  } else {
    await knock();
  }
  isBeating = false;
}

export function beginPulse(): void {
  for (const name of DEEDS) window.addEventListener(name, deed, { capture: true, passive: true });
  windows.onmessage = () => {
    if (!isAway()) deedAt = Date.now();
  };
  presence.listen(({ kind }) => {
    if (kind === "signed-out") deedAt = Date.now();
  });
  window.setInterval(beat, BEAT);
}
