// Layout: long values, odd places and narrow screens, as they are laid out.

import assert from "node:assert/strict";

import { goTo, overflowOf, signIn } from "./browser.mjs";
import { button, press, says, withPage } from "./with_page.mjs";

const heightOf = async (locator) => (await locator.boundingBox()).height;

export default {
  "long values leave room for their neighbours, and stand in one order": (browser) =>
    withPage(browser, [], async (page, daemon) => {
      await daemon.call("Management/CreateQueue", { queue: { name: "orders", requiresSession: true } });
      const applicationProperties = Object.fromEntries(
        ["urgent", "color", "large", "nothing", "a"].map((name) => [name, { stringValue: name.repeat(200) }]),
      );
      const message = {
        subject: "a long word ".repeat(80),
        messageId: "m".repeat(128),
        sessionId: "s",
        applicationProperties,
      };
      await daemon.call("Messaging/Send", { entityPath: "orders", messages: [message] });
      await signIn(page, daemon);
      await goTo(page, "entity", "orders", "messages");
      await button(page, "Open message 1").waitFor();
      const high120 = await heightOf(page.getByRole("row").nth(1));
      assert.ok(high120 < 120, `${high120}`);
      await press(page, "Open message 1");
      const names = page.getByRole("table", { name: "Properties of the application" }).locator("code");
      await names.first().waitFor();
      assert.deepEqual(await names.allInnerTexts(), ["a", "color", "large", "nothing", "urgent"]);
      const system = page.getByRole("table", { name: "Properties of the system" });
      // On one line.
      const high30 = await heightOf(system.getByText("MessageId", { exact: true }));
      assert.ok(high30 < 30, `${high30}`);
      await press(page, "Close");

      await goTo(page, "entity", "orders", "receive");
      await says(page, "Accept a session first");
      await goTo(page, "entity", "nowhere");
      await says(page, "there is no queue and no topic named 'nowhere'");
    }),

  "on a phone a second line stands below the first": (browser) =>
    withPage(
      browser,
      [],
      async (page, daemon) => {
        await daemon.call("Management/CreateQueue", { queue: { name: "letters", requiresSession: true } });
        await daemon.call("Messaging/Send", { entityPath: "letters", messages: [{ sessionId: "anna" }] });
        await daemon.call("Sessions/AcceptSession", { entityPath: "letters", sessionId: "anna" });
        await signIn(page, daemon);
        await goTo(page, "entity", "letters", "sessions");
        const cell = page.locator("td[data-label='Held until']");
        const since = cell.getByText("since");
        await since.waitFor();
        const [below, above] = [await since.boundingBox(), await cell.locator("time").first().boundingBox()];
        assert.ok(below.x === above.x && below.y > above.y, JSON.stringify([below, above]));
        assert.deepEqual(await overflowOf(page), []);
      },
      { viewport: { width: 360, height: 740 } },
    ),
};
