// Pulse: what goes on in every view, also where nothing is asked: the page sees that the broker is gone, and a session
// lasts as long as somebody is there. Who writes keeps it, though a form asks nothing; who is away loses it, though a
// view asks now and again.

import { type Caller, NO_ANSWER, answeredAt, askBroker, knock, signOut } from "./call";
import { keptForOne, presence } from "./presence";

const BEAT = 2500;
// A browser may have six other answers to wait for first.
const PATIENCE = 30_000;
// What a broker says that does not say another.
const IDLE_SECONDS = 900;
const DEEDS = ["keydown", "pointerdown", "pointermove", "wheel", "input"];

let deedAt = Date.now();
// When the session was last kept for who does something.
let keptAt = Date.now();
let isBeating = false;

// Windows of the same browser may be of the same session: each tells when somebody did something, also when asked.
const windows = new BroadcastChannel("wharf.deeds");
const WHO_IS_THERE = "";
// And when another came or left, whose session then is that of all of them, where it is a cookie.
const ANOTHER = "another";
const ANSWER_WITHIN = 300;
let isEnding = false;

function isAway(): boolean {
  const { kind, caller } = presence.now();
  if (kind !== "there" || !caller?.isAccessOn) return false;
  return Date.now() - deedAt >= (caller.idleSeconds ?? IDLE_SECONDS) * 1000;
}

// One that slept has not heard the others.
async function end(): Promise<void> {
  if (isEnding) return;
  isEnding = true;
  windows.postMessage(WHO_IS_THERE);
  await new Promise((resolve) => setTimeout(resolve, ANSWER_WITHIN));
  isEnding = false;
  if (!isAway()) return;
  const minutes = Math.round((presence.now().caller?.idleSeconds ?? IDLE_SECONDS) / 60);
  presence.sentAway(`Nobody has pressed a key or moved the pointer for ${minutes} min`);
  await signOut().catch(() => {});
}

function heard({ data }: MessageEvent<number | typeof WHO_IS_THERE | typeof ANOTHER>): void {
  if (data === ANOTHER) {
    if (presence.now().kind === "there" && presence.now().caller?.isAccessOn) void presence.look();
  } else if (data !== WHO_IS_THERE) deedAt = Math.max(deedAt, data);
  else if (presence.now().kind === "there" && !isAway()) windows.postMessage(deedAt);
}

// The first one after a long time is not of who was here before.
function deed(): void {
  if (isAway()) return void end();
  const before = deedAt;
  deedAt = Date.now();
  if (deedAt - before >= BEAT) windows.postMessage(deedAt);
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
  const late = AbortSignal.timeout(PATIENCE);
  if (mayAsk()) {
    keptAt = Date.now();
    await askBroker("GET", "session", undefined, late)
      .then(async (answer) => presence.seen((await answer.json()) as Caller))
      .catch(() => late.aborted && presence.lose(NO_ANSWER));
  } else {
    await knock(late);
  }
  isBeating = false;
}

export function beginPulse(): void {
  for (const name of DEEDS) window.addEventListener(name, deed, { capture: true, passive: true });
  windows.onmessage = heard;
  keptForOne(() => windows.postMessage(ANOTHER));
  window.setInterval(beat, BEAT);
}
