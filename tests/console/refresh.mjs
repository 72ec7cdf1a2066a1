// Refresh: how long the page takes to show anew what changed: one entity of 10,000, and 1,000 sessions of a million.
//
//   node refresh.mjs [rounds]     default: 30; run by tests/console/run --refresh
//
// From when the page asks until the frame is drawn that shows the answer; the median of the rounds. Exits with 1 when
// one takes longer than it may.

import { goTo, openBrowser, openPage, signIn } from "./browser.mjs";
import { Daemon } from "./daemon.mjs";

const MS_MAX = 50;
const ENTITIES = 10_000;
const SESSIONS = 1_000_000;
const SHOWN = 1000;
const AT_ONCE = 2000;
const rounds = Number(process.argv[2] ?? 30);

async function make(daemon) {
  await daemon.call("Management/CreateQueue", { queue: { name: "s", requiresSession: true } });
  for (let at = 1; at < ENTITIES; at += 1)
    await daemon.call("Management/CreateQueue", { queue: { name: `queue-${String(at).padStart(4, "0")}` } });
  for (let at = 0; at < SESSIONS; at += AT_ONCE) {
    const messages = Array.from({ length: AT_ONCE }, (_, more) => ({ sessionId: nameOf(at + more) }));
    await daemon.call("Messaging/Send", { entityPath: "s", messages });
  }
}

const nameOf = (number) => `session-${String(number).padStart(7, "0")}`;

// Notes when the page asks `method`, and when what it was told is drawn.
function watch(method) {
  const APART = 1000;
  const ask = window.fetch;
  window.took = [];
  let began = 0;
  let last = 0;
  window.fetch = (path, ...more) => {
    // One look may take several calls.
    const now = performance.now();
    if (String(path).endsWith(method)) {
      if (now - last > APART) began = now;
      last = now;
    }
    return ask(path, ...more);
  };
  new MutationObserver(() => {
    if (began === 0) return;
    const since = began;
    began = 0;
    requestAnimationFrame(() => setTimeout(() => window.took.push(performance.now() - since)));
  }).observe(document.querySelector("main"), { subtree: true, childList: true, characterData: true });
}

const medianOf = (numbers) => [...numbers].sort((one, other) => one - other)[Math.floor(numbers.length / 2)];

// Each round changes something that is shown.
async function measure(page, what, method, change) {
  await page.evaluate(watch, method);
  for (let round = 1; round <= rounds; round += 1) {
    await change(round);
    await page.waitForFunction((count) => window.took.length >= count, round, { polling: 100 });
  }
  const took = await page.evaluate(() => window.took);
  const median = medianOf(took);
  console.log(`${what}: ${median.toFixed(1)} ms (${Math.min(...took).toFixed(1)} to ${Math.max(...took).toFixed(1)})`);
  return median;
}

const daemon = new Daemon();
await daemon.start();
const browser = await openBrowser();
try {
  await make(daemon);
  const page = await openPage(browser);
  await signIn(page, daemon);
  const send = (entityPath, message) => daemon.call("Messaging/Send", { entityPath, messages: [message] });

  await goTo(page, "entity", "queue-5000");
  await page.getByRole("heading", { name: "queue-5000" }).waitFor();
  const entity = await measure(page, "one entity of 10,000", "RuntimeProperties", () => send("queue-5000", {}));

  await goTo(page, "entity", "s", "sessions");
  await page.getByLabel("Show", { exact: true }).selectOption(String(SHOWN));
  await page.getByRole("row").nth(SHOWN).waitFor();
  const sessions = await measure(page, "1,000 sessions of a million", "ListSessions", (round) =>
    send("s", { sessionId: nameOf(round * 7) }),
  );
  process.exitCode = Math.max(entity, sessions) > MS_MAX ? 1 : 0;
} finally {
  await browser.close();
  await daemon.remove();
}
