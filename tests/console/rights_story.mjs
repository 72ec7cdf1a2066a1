// Rights: what one may not do has no button; and what one may do works without the rest.

import assert from "node:assert/strict";

import { goTo, signIn } from "./browser.mjs";
import { seed } from "./seed.mjs";
import { button, fill, heading, press, says, withPage } from "./with_page.mjs";

async function connectionOf(daemon, rights, entityPath = "") {
  const root = daemon.connectionString;
  const name = `r${rights.join("")}${entityPath}`;
  const rule = await daemon.call(
    "Management/CreateAccessRule",
    {
      rule: { entityPath, name, rights: rights.map((right) => `ACCESS_RIGHT_${right.toUpperCase()}`) },
      showKeys: true,
    },
    root,
  );
  const of = entityPath && `;EntityPath=${entityPath}`;
  return `Endpoint=sb://localhost;SharedAccessKeyName=${name};SharedAccessKey=${rule.primaryKey}${of}`;
}

const tabsOf = (page, path) =>
  page
    .getByRole("navigation", { name: `Views of ${path}` })
    .getByRole("link")
    .allTextContents();
const viewsOf = (page) =>
  page.getByRole("navigation", { name: "Views", exact: true }).getByRole("link").allTextContents();

async function open(page, path) {
  await says(page, "Your key may not list them");
  await fill(page, "Path", path);
  await press(page, "Show it");
  await heading(page, path).waitFor();
}

export default {
  "who may only send sees nothing but that": (browser) =>
    withPage(browser, ["--access", "on"], async (page, daemon) => {
      await seed(daemon, daemon.connectionString);
      await signIn(page, daemon, await connectionOf(daemon, ["Send"]));
      assert.deepEqual(await viewsOf(page), ["Entities"]);
      await open(page, "orders");
      assert.deepEqual(await tabsOf(page, "orders"), ["Send"]);
      await fill(page, "Body", "hello");
      await press(page, "Send");
      await says(page, /Number \d+/);
    }),

  "who may only listen receives, and deletes no entity": (browser) =>
    withPage(browser, ["--access", "on"], async (page, daemon) => {
      await seed(daemon, daemon.connectionString);
      await signIn(page, daemon, await connectionOf(daemon, ["Listen"], "orders"));
      await open(page, "orders");
      assert.deepEqual(await tabsOf(page, "orders"), ["Messages", "Dead letters", "Sessions", "Scheduled", "Receive"]);
      assert.equal(await button(page, "Delete…").count(), 0);
      await goTo(page, "entity", "orders", "dead-letters");
      await says(page, "BadAddress");
      assert.equal(await button(page, "Redrive all").count(), 0);
      await goTo(page, "entity", "orders", "receive");
      await press(page, "Receive");
      await says(page, "Held by this page: 1");
      // The broker decides: what has no button here is refused to a script, too.
      await assert.rejects(
        daemon.call("Management/DeleteQueue", { entityPath: "orders" }, await connectionOf(daemon, ["Send", "Listen"])),
      );
    }),

  "a session that ends with its rule leads to signing in, and back to the same view": (browser) =>
    withPage(browser, ["--access", "on"], async (page, daemon) => {
      await seed(daemon, daemon.connectionString);
      const connection = await connectionOf(daemon, ["Manage"]);
      await signIn(page, daemon, connection);
      await goTo(page, "entity", "orders");
      await heading(page, "Now").waitFor();
      await daemon.call("Management/RemoveAccessRule", { name: "rManage" }, daemon.connectionString);
      await heading(page, "Sign in").waitFor();
      await fill(page, "Connection string", daemon.connectionString);
      await press(page, "Sign in");
      await heading(page, "Now").waitFor();
      await press(page, "Sign out");
      await heading(page, "Sign in").waitFor();
    }),

  "a broker that was started anew asks to sign in again": (browser) =>
    withPage(browser, ["--access", "on"], async (page, daemon) => {
      await seed(daemon, daemon.connectionString);
      await signIn(page, daemon, daemon.connectionString);
      await goTo(page, "entity", "orders");
      await heading(page, "Now").waitFor();
      await daemon.kill();
      await says(page, "The broker is gone");
      await daemon.start();
      await heading(page, "Sign in").waitFor();
      await fill(page, "Connection string", daemon.connectionString);
      await press(page, "Sign in");
      await heading(page, "Now").waitFor();
    }),
};
