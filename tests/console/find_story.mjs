// Find: where a message is, who holds it, why it waits, and what happened to it, also when it is gone.

import assert from "node:assert/strict";

import { goTo, signIn } from "./browser.mjs";
import { HOSTILE } from "./hostile_strings.mjs";
import { seed } from "./seed.mjs";
import { button, fill, heading, press, says, withPage } from "./with_page.mjs";

const base64 = (text) => Buffer.from(text).toString("base64");
const table = (page, name) => page.getByRole("table", { name, exact: true });
const told = async (page, name) =>
  (await table(page, name).getByRole("row").allInnerTexts()).slice(1).map((row) => row.replace(/\s+/g, " "));

async function look(page, wanted, entity) {
  await fill(page, "Message", wanted);
  await fill(page, "In", entity);
  await press(page, "Look for it");
  await page.getByText("looked at").waitFor();
}

async function dropOne(daemon, entityPath) {
  const { messages } = await daemon.call("Messaging/Receive", { entityPath, maxMessages: 1 });
  await daemon.call("Messaging/Settle", {
    entityPath,
    settlement: { lockTokens: [messages[0].lockToken], complete: {} },
  });
}

export default {
  "one field tells the place of a message, its holder, why it waits, and its story": (browser) =>
    withPage(browser, [], async (page, daemon) => {
      await seed(daemon);
      await signIn(page, daemon);
      await page.getByRole("link", { name: "Find a message" }).click();

      await look(page, "d0", "");
      const [place] = await told(page, "Its place");
      assert.match(place, /orders\/\$DeadLetterQueue 1 .*a receiver/);
      const story = await told(page, "Its story");
      assert.equal(story.length, 3);
      assert.match(story[0], /orders 1 sent the console /);
      assert.match(story[1], /orders 1 delivered, locked until .* the console /);
      assert.match(story[2], /orders\/\$DeadLetterQueue 1 dead lettered: BadAddress: there is no such street/);

      await page.getByRole("link", { name: "orders/$DeadLetterQueue", exact: true }).click();
      await heading(page, "Message 1").waitFor();
      await says(page, "there is no such street");
      await press(page, "Close");
      await says(page, "Why they are here");

      await goTo(page, "find");
      // Eight is locked, by its number in one entity.
      await look(page, "8", "orders");
      assert.match((await told(page, "Its place"))[0], /orders 8 .*the end of its lock .*, since/);

      await page.getByRole("link", { name: "orders", exact: true }).click();
      await heading(page, "Message 8").waitFor();
      await press(page, "Close");

      await goTo(page, "find");
      // The session that it waits in is held.
      await look(page, "3", "letters");
      assert.match(
        (await told(page, "Its place"))[0],
        /letters 3 .*who holds the session bert .* 127\.0\.0\.1:\d+, since/,
      );

      await dropOne(daemon, "orders/$DeadLetterQueue");
      await look(page, "d0", "");
      await says(page, "It is nowhere");
      assert.match((await told(page, "Its story")).at(-1), /completed/);

      await look(page, "no such", "");
      await says(page, "No event log tells of it.");
    }),

  "a story goes on where a message went, and a message that is open leads to its own": (browser) =>
    withPage(browser, [], async (page, daemon) => {
      await daemon.call("Management/CreateQueue", { queue: { name: "end", eventLogSizeInKilobytes: "64" } });
      await daemon.call("Management/CreateQueue", {
        queue: { name: "begin", forwardTo: "end", eventLogSizeInKilobytes: "64" },
      });
      await daemon.call("Messaging/Send", { entityPath: "end", messages: [{ body: base64("x") }] });
      await daemon.call("Messaging/Send", { entityPath: "begin", messages: [{ body: base64("x"), messageId: "a" }] });
      await daemon.call("Messaging/Peek", { entityPath: "end", fromSequenceNumber: "2", maxMessages: 1 });
      await signIn(page, daemon);

      await goTo(page, "find", "a");
      await heading(page, "Its story").waitFor();
      assert.deepEqual(
        (await told(page, "Its story")).map((row) => /(begin|end) \d (sent|forwarded from|forwarded)/.exec(row)?.[0]),
        ["begin 1 sent", "begin 1 forwarded", "end 2 forwarded from"],
      );
      await press(page, "to end, where it is 2");
      await page.waitForURL("**/#/find/2/end");
      await says(page, "begin, where it was 1");

      await goTo(page, "entity", "end", "messages");
      await press(page, "Browse");
      await press(page, "Open message 2");
      await press(page, "Its story");
      await page.waitForURL("**/#/find/2/end");
      await heading(page, "Its story").waitFor();
    }),

  "hostile ids and reasons are text in a story": (browser) =>
    withPage(browser, [], async (page, daemon) => {
      await daemon.call("Management/CreateQueue", {
        queue: { name: "h", lockDuration: "3600s", eventLogSizeInKilobytes: "1024" },
      });
      const ids = HOSTILE.map((text) => text.slice(0, 128)).filter((text) => text.trim() !== "");
      await daemon.call("Messaging/Send", { entityPath: "h", messages: ids.map((messageId) => ({ messageId })) });
      const { messages } = await daemon.call("Messaging/Receive", { entityPath: "h", maxMessages: ids.length });
      for (const [at, { lockToken }] of messages.entries()) {
        await daemon.call("Messaging/Settle", {
          entityPath: "h",
          settlement: { lockTokens: [lockToken], deadLetter: { reason: HOSTILE[at] } },
        });
      }
      await signIn(page, daemon);
      for (const at of [1, 7, 20, 33, 60, 90]) {
        await goTo(page, "find", ids[at], "h");
        await heading(page, "Its story").waitFor();
        assert.ok((await table(page, "Its story").textContent()).includes("dead lettered"), ids[at]);
        assert.equal(await page.locator("#page :is(script, img, iframe, object, svg, form[action])").count(), 0);
        await goTo(page, "find");
        await button(page, "Look for it").waitFor();
      }
    }),
};
