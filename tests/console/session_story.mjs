// Sessions: one that ends keeps what was written, for who wrote it; it lasts as long as somebody is at the page.

import assert from "node:assert/strict";
import { setTimeout as after } from "node:timers/promises";

import { barriersOf, goTo, overflowOf, signIn } from "./browser.mjs";
import { connectionOf } from "./rights_story.mjs";
import { fill, heading, press, says, withPage } from "./with_page.mjs";

const ANSWER_WITHIN = 60_000;

const isOver = (page) => heading(page, "Your session is over").waitFor();
const isIn = (page) => page.locator("body:not(:has(dialog))").waitFor();
const body = (page) => page.getByLabel("Body", { exact: true }).inputValue();

async function again(page, connection) {
  await fill(page, "Connection string", connection);
  await press(page, "Sign in");
  await isIn(page);
}

// The same rule's, with a new key; the one of before is over.
async function replaced(daemon, connection) {
  const rule = (method, more) =>
    daemon.call(`Management/${method}`, { name: "rManage", ...more }, daemon.connectionString);
  await rule("RotateAccessKey", { slot: "ACCESS_KEY_SLOT_PRIMARY" });
  const { primaryKey } = await rule("GetAccessRule", { showKeys: true });
  return connection.replace(/SharedAccessKey=[^;]+/, `SharedAccessKey=${primaryKey}`);
}

export default {
  "what was written and held stays when the session ends, and is nobody else's": (browser) =>
    withPage(browser, ["--access", "on"], async (page, daemon) => {
      const root = daemon.connectionString;
      await daemon.call("Management/CreateQueue", { queue: { name: "q", lockDuration: "3600s" } }, root);
      await daemon.call("Messaging/Send", { entityPath: "q", messages: [{ body: "aGk=" }] }, root);
      const connection = await connectionOf(daemon, ["Manage"]);
      await signIn(page, daemon, connection);
      await goTo(page, "entity", "q", "receive");
      await press(page, "Receive");
      await says(page, "Held by this page: 1");
      await goTo(page, "entity", "q", "send");
      await fill(page, "Body", "an hour of work");

      const other = await replaced(daemon, connection);
      await press(page, "Send");
      await isOver(page);
      await says(page, "What you have written is still here");
      await page.keyboard.press("Escape");
      await page.keyboard.press("Escape");
      assert.deepEqual(await barriersOf(page), []);
      await page.setViewportSize({ width: 360, height: 740 });
      assert.deepEqual(await overflowOf(page), []);
      await again(page, other);
      assert.equal(await body(page), "an hour of work");
      await press(page, "Send");
      await says(page, "Number 2");
      await goTo(page, "entity", "q", "receive");
      await says(page, "Held by this page: 1");

      await goTo(page, "entity", "q", "send");
      await fill(page, "Body", "a secret");
      await replaced(daemon, other);
      await press(page, "Send");
      await isOver(page);
      await again(page, root);
      assert.equal(await body(page), "");
      await goTo(page, "entity", "q", "receive");
      await says(page, "Held by this page: 0");
    }),

  "what is under way when somebody leaves is not told to the next one": (browser) =>
    withPage(browser, ["--access", "on"], async (page, daemon) => {
      const root = daemon.connectionString;
      await daemon.call("Management/CreateQueue", { queue: { name: "q", lockDuration: "3600s" } }, root);
      await daemon.call("Messaging/Send", { entityPath: "q", messages: [{}] }, root);
      let hold;
      let answer;
      const held = new Promise((resolve) => (hold = resolve));
      const answered = new Promise((resolve) => (answer = resolve));
      await page.route("**/api/v1/Messaging/Receive", async (route) => {
        const response = await route.fetch();
        hold();
        await answered;
        await route.fulfill({ response }).catch(() => {});
      });
      await signIn(page, daemon, await connectionOf(daemon, ["Manage"]));
      await goTo(page, "entity", "q", "receive");
      await press(page, "Receive");
      await held;
      const dropped = page.waitForEvent("requestfailed", (request) => request.url().endsWith("/Receive"));
      await press(page, "Sign out");
      await dropped;
      await fill(page, "Connection string", root);
      await press(page, "Sign in");
      await says(page, "Held by this page: 0");
      answer();
    }),

  "who is away is signed out though the view asks, and who writes is not though it does not": (browser) =>
    withPage(browser, ["--access", "on"], async (page, daemon) => {
      const root = daemon.connectionString;
      await daemon.call("Management/CreateQueue", { queue: { name: "q" } }, root);
      await page.clock.install();
      await signIn(page, daemon, root);
      await heading(page, "Disk and memory").waitFor();
      await page.clock.fastForward("14:00");
      await page.clock.fastForward("01:10");
      await isOver(page);
      await says(page, "Nobody has pressed a key or moved the pointer for 15 min");
      await again(page, root);

      await goTo(page, "entity", "q", "send");
      const kept = [];
      page.on("request", (request) => {
        if (request.method() === "GET" && request.url().endsWith("/session"))
          kept.push(request.headers().authorization);
      });
      for (const letter of "abc") {
        const asked = page.waitForRequest("**/api/v1/session");
        await page.getByLabel("Body", { exact: true }).press(letter);
        await page.clock.fastForward("14:00");
        await asked;
      }
      assert.ok(kept.length >= 3 && kept.every((given) => given.startsWith("Session ")), `${kept}`);
      assert.equal(await page.getByRole("dialog").count(), 0);
      assert.equal(await body(page), "abc");

      // Nobody does anything: whether the broker is there is asked as nobody.
      const knocked = page.waitForRequest((request) => request.method() === "HEAD");
      await page.clock.fastForward("00:10");
      assert.equal((await knocked).headers().authorization, undefined);
      assert.equal(new URL((await knocked).url()).pathname, "/");
      await press(page, "Send");
      await says(page, "Number 1");

      // Somebody is at another window of the session, and answers when this one has slept.
      await page.evaluate(() => {
        const [other, witness] = [new BroadcastChannel("wharf.deeds"), new BroadcastChannel("wharf.deeds")];
        other.onmessage = ({ data }) => {
          if (data === "") other.postMessage(Date.now());
        };
        window.answered = new Promise((answered) => {
          witness.onmessage = ({ data }) => {
            if (data === "") return;
            other.close();
            answered();
          };
        });
      });
      await page.clock.fastForward("15:10");
      await Promise.race([
        page.evaluate(() => window.answered),
        after(ANSWER_WITHIN, null, { ref: false }).then(() => assert.fail("the other window was not asked")),
      ]);
      await page.clock.fastForward("10:00");
      // Until all that came of it is drawn.
      await page.clock.runFor(1000);
      assert.equal(await page.getByRole("dialog").count(), 0);
      await page.clock.fastForward("05:10");
      await isOver(page);
    }),
};
