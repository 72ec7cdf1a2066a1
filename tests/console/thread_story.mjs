// The thin thread: from signing in to a message that is completed; and what the broker's going and coming is to it.

import assert from "node:assert/strict";

import { goTo, openPage, signIn } from "./browser.mjs";
import { seed } from "./seed.mjs";
import { button, fill, heading, press, says, withPage } from "./with_page.mjs";

// Some of those that ask nothing by themselves.
const QUIET = [["entity", "orders", "send"], ["entity", "orders", "messages"], ["access"], ["find"]];

export default {
  "who signs in makes a queue, sends, looks, receives and completes": (browser) =>
    withPage(browser, ["--access", "on"], async (page, daemon) => {
      page.origin = daemon.origin;
      await page.goto(daemon.origin);
      await page.getByLabel("Connection string").fill("Endpoint=sb://x;SharedAccessKeyName=root;SharedAccessKey=no");
      await press(page, "Sign in");
      await page.getByRole("alert").getByText("tracking id").waitFor();
      await signIn(page, daemon, daemon.connectionString);
      await heading(page, "Overview").waitFor();

      await page.getByRole("link", { name: "Entities" }).click();
      await press(page, "Create…");
      await fill(page, "Name", "orders");
      await press(page, "Create");
      await heading(page, "orders").waitFor();

      await page.getByRole("link", { name: "Send", exact: true }).click();
      await fill(page, "Body", '{"total": 7}');
      await fill(page, "Subject", "first");
      await press(page, "Send");
      await page.getByText("Number 1", { exact: true }).waitFor();

      await page.getByRole("link", { name: "Messages", exact: true }).click();
      await press(page, "Browse");
      await press(page, "Open message 1");
      await page.getByText("total:").waitFor();
      await press(page, "Close");

      await page.getByRole("link", { name: "Receive", exact: true }).click();
      await press(page, "Receive");
      await page.getByText("Held by this page: 1").waitFor();
      await press(page, "Complete");
      await page.getByText("Held by this page: 0").waitFor();

      const { totalMessageCount } = await daemon.call(
        "Management/GetQueueRuntimeProperties",
        { entityPath: "orders" },
        daemon.connectionString,
      );
      assert.equal(totalMessageCount, "0");
    }),

  "a broker that is gone is told of, and is back by itself": (browser) =>
    withPage(browser, [], async (page, daemon) => {
      await daemon.call("Management/CreateQueue", { queue: { name: "q" } });
      await signIn(page, daemon);
      await goTo(page, "entity", "q");
      await heading(page, "Now").waitFor();

      await daemon.kill();
      await page.getByText("The broker is gone").waitFor();
      await says(
        page,
        /since \d{4}-\d\d-\d\d \d\d:\d\d:\d\d \d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ: the broker does not answer/,
      );
      await daemon.start();
      await page.getByText("The broker is gone").waitFor({ state: "detached" });
      await page.getByRole("status").getByText("The broker is back. It was gone for").waitFor();

      await goTo(page, "entity", "q", "send");
      await press(page, "Send");
      await page.getByText("Number 1", { exact: true }).waitFor();
    }),

  "every view says that the broker is gone, also who asks nothing, and all is back": (browser) =>
    withPage(browser, [], async (first, daemon) => {
      await seed(daemon);
      const pages = [first];
      for (const _ of QUIET.slice(1)) pages.push(await openPage(browser));
      await Promise.all(
        pages.map(async (page, at) => {
          await signIn(page, daemon);
          await goTo(page, ...QUIET[at]);
        }),
      );
      const messages = pages[1];
      await button(messages, "Open message 9").waitFor();
      await daemon.kill();
      const isGone = (page) => page.getByText("The broker is gone");
      await Promise.all(pages.map((page) => isGone(page).waitFor()));
      const lookedAt = messages.waitForRequest("**/Messaging/Peek");
      await daemon.start();
      await Promise.all(pages.map((page) => isGone(page).waitFor({ state: "detached" })));
      await lookedAt;
      for (const page of pages.slice(1)) {
        assert.deepEqual(page.faults, []);
        await page.context().close();
      }
    }),
};
