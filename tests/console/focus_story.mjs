// Focus: whatever a key does, the keyboard is somewhere afterwards, and near to where it was.

import assert from "node:assert/strict";

import { goTo, signIn } from "./browser.mjs";
import { seed } from "./seed.mjs";
import { fill, heading, says, withPage } from "./with_page.mjs";

const isClosed = (page) => page.locator("body:not(:has(dialog))").waitFor();
// One that can be pressed: what cannot just now keeps the keyboard, and does nothing.
const last = (page, name) => page.getByRole("button", { name, exact: true, disabled: false }).last();

// Notes at each frame that the keyboard is nowhere; what it was at before is told.
async function watch(page) {
  await page.evaluate(() => {
    window.lost = [];
    let before = "the beginning";
    const look = () => {
      const { activeElement: at } = document;
      if (at !== null && at !== document.body) before = at.getAttribute("aria-label") ?? at.textContent.slice(0, 40);
      else if (window.lost.at(-1) !== before) window.lost.push(before);
      requestAnimationFrame(look);
    };
    document.querySelector("main").focus();
    look();
  });
}

const nameOf = (page) =>
  page.evaluate(() => {
    const { activeElement: at } = document;
    return at.getAttribute("aria-label") ?? (at.labels?.[0] ?? at).textContent;
  });

// It is there when the view has drawn what was done.
async function isAt(page, name) {
  await page
    .waitForFunction((name) => {
      const { activeElement: at } = document;
      return (at.getAttribute("aria-label") ?? (at.labels?.[0] ?? at).textContent) === name;
    }, name)
    .catch(async () => assert.fail(`at ${await nameOf(page)}, and not at ${name}`));
}

const press = (page, name) => last(page, name).press("Enter");

export default {
  "the keyboard is never nowhere, whatever it has done away with": (browser) =>
    withPage(browser, [], async (page, daemon) => {
      await seed(daemon);
      const messages = Array.from({ length: 60 }, (_, at) => ({ body: "aGk=", messageId: `x${at}` }));
      await daemon.call("Messaging/Send", { entityPath: "orders", messages });
      await signIn(page, daemon);
      await watch(page);

      await goTo(page, "entity", "orders", "messages");
      await press(page, "Next");
      await says(page, "and nothing behind");
      await isAt(page, "Next");
      await press(page, "Previous");
      await last(page, "Open message 9").waitFor();
      await isAt(page, "Previous");
      await press(page, "Open message 9");
      await isAt(page, "Message 9");
      await press(page, "Complete…");
      await isAt(page, "Complete message 9?");
      await press(page, "Complete 1 message");
      await isClosed(page);
      await isAt(page, "Open message 10");

      await goTo(page, "entity", "orders", "scheduled");
      await press(page, "Cancel 12");
      await press(page, "Cancel 1 scheduled message");
      await isClosed(page);
      await isAt(page, "Open message 13");
      await press(page, "Enqueue 13 now");
      await says(page, "Nothing is scheduled");

      await goTo(page, "entity", "orders", "dead-letters");
      await press(page, "Redrive TooLate");
      await isAt(page, "To another entity");
      await press(page, "Redrive 2 messages");
      await press(page, "Done");
      await isClosed(page);
      await last(page, "Redrive TooLate").waitFor({ state: "detached" });

      await goTo(page, "entity", "orders", "send");
      await press(page, "Add a property");
      await press(page, "Remove property 1");
      await isAt(page, "Add a property");
      await press(page, "Send");
      await says(page, /^Number \d+/);
      await isAt(page, "Send");

      await goTo(page, "entity", "orders", "receive");
      await fill(page, "How many at most", "2");
      await press(page, "Receive");
      await says(page, "Held by this page: 2");
      await isAt(page, "Receive");
      const first = page.getByRole("button", { name: "Complete", exact: true }).first();
      await first.press("Enter");
      await says(page, "Held by this page: 1");
      await first.press("Enter");
      await says(page, "Held by this page: 0");
      await isAt(page, "Held by this page: 0");

      await goTo(page, "entity", "letters", "receive");
      await press(page, "Accept the session");
      await isAt(page, "Renew its lock");
      await goTo(page, "entity", "letters", "sessions");
      await press(page, "Take away session bert");
      await press(page, "Take 1 session away");
      await isClosed(page);
      await last(page, "Take away session bert").waitFor({ state: "detached" });

      await goTo(page, "entity", "sales/Subscriptions/red", "rules");
      await press(page, "Remove rule colour");
      await press(page, "Remove 1 rule");
      await isClosed(page);
      await last(page, "Remove rule colour").waitFor({ state: "detached" });

      await goTo(page, "entities");
      await press(page, "Create…");
      await isAt(page, "Kind");
      await page.keyboard.press("Escape");
      await isClosed(page);
      await isAt(page, "Create…");
      await goTo(page, "entity", "letters");
      await press(page, "Delete…");
      await isAt(page, "Delete letters?");
      await press(page, "Delete the queue");
      await heading(page, "Entities").waitFor();
      assert.deepEqual(await page.evaluate(() => window.lost), []);
    }),
};
