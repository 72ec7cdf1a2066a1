// Pulse: a session lasts as long as somebody is at the page. Who writes keeps it, though a form asks nothing; who is away
// loses it, though a view asks now and again.

import { answeredAt, askBroker, signOut } from "./call";
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

async function beat(): Promise<void> {
  if (isAway()) return void end();
  const isQuiet = Date.now() - answeredAt() >= BEAT;
  if (isBeating || document.hidden || !isQuiet || presence.now().kind !== "there" || deedAt <= keptAt) return;
  isBeating = true;
  keptAt = Date.now();
  await askBroker("GET", "session").catch(() => {});
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
