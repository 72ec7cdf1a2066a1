// Unusable: what nobody can use until somebody sees to it, is told where one looks first, and led to what mends it.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

import { barriersOf, goTo, signIn } from "./browser.mjs";
import { button, heading, press, says, withPage } from "./with_page.mjs";

// Makes the counters of `orders` tell of two locks more than there are; only where tests of the daemon are built.
const DAMAGE = join(dirname(process.env.WHARFD), "damage_counters");

const fenced = {
  "an entity that is fenced is to be seen to, and mended from there": (browser) =>
    withPage(browser, [], async (page, daemon) => {
      await daemon.call("Management/CreateQueue", { queue: { name: "orders" } });
      await daemon.call("Messaging/Send", { entityPath: "orders", messages: [{}] });
      const gone = once(daemon.child, "exit");
      daemon.child.kill("SIGTERM");
      await gone;
      spawnSync(DAMAGE, [join(daemon.folder, "data")]);
      await daemon.start();
      await signIn(page, daemon);
      await says(page, "1 entity is fenced, because what is stored does not agree: nobody can use it");
      await page
        .getByRole("region", { name: /to see to/ })
        .getByRole("link", { name: "orders" })
        .click();
      await says(page, "It is fenced, and nothing of it is used: 2 locks are counted, and there are 0");
      await press(page, "Check…");
      await press(page, "Repair 1 difference");
      await says(page, "1 difference, mended");
      await press(page, "Close");
      await goTo(page, "overview");
      await says(page, "Nothing needs you");
    }),
};

async function subscribeWithDeadLetter(daemon) {
  await daemon.call("Topics/CreateTopic", { topic: { name: "sales" } });
  await daemon.call("Topics/CreateSubscription", { subscription: { topic: "sales", name: "red" } });
  await daemon.call("Messaging/Send", { entityPath: "sales", messages: [{}] });
  await daemon.call("Messaging/SettleBySequenceNumber", {
    entityPath: "sales/Subscriptions/red",
    sequenceNumber: "1",
    deadLetter: {},
  });
}

export default {
  ...(existsSync(DAMAGE) ? fenced : {}),

  "dead letters that cannot be read are to be seen to, of subscriptions too": (browser) =>
    withPage(browser, [], async (page, daemon) => {
      await subscribeWithDeadLetter(daemon);
      const numbers = { deadLetterQuarantinedMessageCount: "3", transferDeadLetterMessageCount: "4" };
      await page.route("**/api/v1/Topics/ListSubscriptions", async (route) => {
        const told = await (await route.fetch()).json();
        return route.fulfill({ json: { ...told, runtime: [{ ...told.runtime[0], ...numbers }] } });
      });
      await page.route("**/api/v1/Topics/GetSubscriptionRuntimeProperties", async (route) =>
        route.fulfill({ json: { ...(await (await route.fetch()).json()), ...numbers } }),
      );
      await signIn(page, daemon);
      await says(page, "3 dead letters cannot be read, in sales/Subscriptions/red");
      assert.deepEqual(await barriersOf(page), []);
      await page.getByRole("link", { name: "sales/Subscriptions/red" }).first().click();
      await heading(page, "Why they are here").waitFor();
      await goTo(page, "entity", "sales/Subscriptions/red");
      await says(page, /Dead letters in quarantine\s*3/);
      await says(page, /Dead letters to be forwarded\s*4/);
      await button(page, "Check…").waitFor();
    }),

  "that nothing is to be seen to is not said of what was not looked at": (browser) =>
    withPage(browser, [], async (page, daemon) => {
      await subscribeWithDeadLetter(daemon);
      // There is no end of them.
      await page.route("**/api/v1/Topics/ListSubscriptions", (route) =>
        route.fulfill({ json: { subscriptions: [], runtime: [], nextPageToken: "more" } }),
      );
      await signIn(page, daemon);
      await says(page, "Nothing needs you in the first lists of entities; the rest was not looked at");
    }),
};
