// Rights: what one may not do has no button; and what one may do works without the rest.

import assert from "node:assert/strict";

import { barriersOf, goTo, overflowOf, signIn } from "./browser.mjs";
import { seed } from "./seed.mjs";
import { button, fill, heading, press, says, withPage } from "./with_page.mjs";

export async function connectionOf(daemon, rights, entityPath = "") {
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

function refusalsOf(page) {
  const refusals = [];
  page.on("response", (response) => response.status() >= 400 && refusals.push(response.url()));
  return refusals;
}

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
      const refusals = refusalsOf(page);
      assert.deepEqual(await viewsOf(page), ["Entities"]);
      await open(page, "orders");
      assert.deepEqual(await tabsOf(page, "orders"), ["Send"]);
      await fill(page, "Body", "hello");
      await press(page, "Send");
      await says(page, /Number \d+/);
      assert.deepEqual(refusals, []);
    }),

  "who may only listen receives, and deletes no entity": (browser) =>
    withPage(browser, ["--access", "on"], async (page, daemon) => {
      await seed(daemon, daemon.connectionString);
      await signIn(page, daemon, await connectionOf(daemon, ["Listen"], "orders"));
      await open(page, "orders");
      assert.deepEqual(await tabsOf(page, "orders"), ["Messages", "Dead letters", "Scheduled", "Receive"]);
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

  "who may only listen has no view that always fails": (browser) =>
    withPage(browser, ["--access", "on"], async (page, daemon) => {
      await seed(daemon, daemon.connectionString);
      await signIn(page, daemon, await connectionOf(daemon, ["Listen"]));
      const refusals = refusalsOf(page);
      for (const [path, kind, tabs, refused] of [
        ["letters", "queue", ["Messages", "Dead letters", "Sessions", "Scheduled", "Receive"], 0],
        ["sales", "topic", ["Scheduled"], 2],
        ["sales/Subscriptions/red", "subscription", ["Messages", "Dead letters", "Rules", "Receive"], 1],
      ]) {
        await goTo(page, "entity", path);
        await page.locator(".badge").getByText(kind, { exact: true }).waitFor();
        assert.deepEqual(await tabsOf(page, path), tabs);
        for (const tab of [...tabs.slice(1), tabs[0]]) {
          // This one asks nothing by itself.
          const answered = tab === "Receive" || page.waitForResponse("**/api/v1/*/*");
          await page.getByRole("link", { name: tab, exact: true }).click();
          await answered;
          assert.equal(await page.locator(".failure").count(), 0, `${tab} of ${path}`);
        }
        // What kind it is, was asked once.
        assert.equal(refusals.splice(0).length, refused, path);
      }
      await goTo(page, "entity", "sales");
      await says(page, "What is sent to a topic waits in its subscriptions");
      assert.deepEqual(await barriersOf(page), []);
      await goTo(page, "entity", "nothing");
      await page.getByRole("alert").waitFor();
    }),

  "who manages one entity sees the jobs that it has begun, and what they take, and cancels them": (browser) =>
    withPage(browser, ["--access", "on"], async (page, daemon) => {
      await seed(daemon, daemon.connectionString);
      const own = await connectionOf(daemon, ["Manage"], "orders");
      const start = (request, who) =>
        daemon.call("Management/StartDeleteMessages", { entityPath: "orders", ...request }, who);
      const { id: other } = await start({ dryRun: true }, daemon.connectionString);
      const messages = Array.from({ length: 200 }, () => ({}));
      await daemon.call("Messaging/Send", { entityPath: "orders", messages }, own);
      const selection = { sqlFilter: "sys.Size < 1000000", enqueuedFrom: "2026-01-31T12:00:00Z" };
      const { id } = await start({ selection, maxRate: 1 }, own);
      await signIn(page, daemon, own);
      assert.deepEqual(await viewsOf(page), ["Entities", "Find a message", "Jobs"]);
      await goTo(page, "jobs");
      await says(page, "These are the jobs that your rule has begun");
      await page
        .getByRole("row", {
          name: /delete messages, at most 1 a second .*sys.Size < 1000000; enqueued from 2026-01-31/,
        })
        .waitFor();
      assert.equal(await page.getByRole("cell", { name: other, exact: true }).count(), 0);
      await press(page, `Cancel job ${id}`);
      await says(page, "It is to delete messages, of orders: sys.Size");
      await press(page, "Cancel 1 job");
      await page.getByRole("row", { name: /cancelled .* until 20/ }).waitFor();
      assert.deepEqual(await barriersOf(page), []);
      await page.setViewportSize({ width: 360, height: 740 });
      assert.deepEqual(await overflowOf(page), []);
    }),

  "a rule is created, its keys shown and replaced, and it is removed": (browser) =>
    withPage(browser, ["--access", "on"], async (page, daemon) => {
      await seed(daemon, daemon.connectionString);
      await signIn(page, daemon, daemon.connectionString);
      await goTo(page, "entity", "orders", "access");
      await press(page, "Create a rule…");
      await fill(page, "Name", "shop");
      await page.getByLabel("listen", { exact: true }).check();
      await page.getByLabel("send", { exact: true }).check();
      await fill(page, "Secondary key", "a-key-of-our-own-of-32-characters");
      await press(page, "Create");
      await heading(page, "Keys of shop").waitFor();
      const rule = () =>
        daemon.call(
          "Management/GetAccessRule",
          { entityPath: "orders", name: "shop", showKeys: true },
          daemon.connectionString,
        );
      const before = await rule();
      assert.deepEqual(before.rights, ["ACCESS_RIGHT_SEND", "ACCESS_RIGHT_LISTEN"]);
      assert.equal(before.secondaryKey, "a-key-of-our-own-of-32-characters");
      await says(page, before.primaryKey);
      await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
      await press(page, "Copy the connection string");
      await says(page, "It is copied");
      const copied = await page.evaluate(() => navigator.clipboard.readText());
      assert.match(copied, /^Endpoint=sb:\/\/127\.0\.0\.1\/;SharedAccessKeyName=shop;/);
      const { messages } = await daemon.call("Messaging/Peek", { entityPath: "orders" }, copied);
      assert.equal(messages.length, 1);
      await press(page, "Replace the primary key…");
      assert.deepEqual(await barriersOf(page), []);
      await fill(page, "New key", "another-key-of-our-own-32-letters");
      await press(page, "Replace 1 key");
      await page.getByText(before.primaryKey, { exact: true }).waitFor({ state: "detached" });
      const after = await rule();
      assert.equal(after.primaryKey, "another-key-of-our-own-32-letters");
      await says(page, after.primaryKey);
      assert.equal(after.secondaryKey, before.secondaryKey);
      await press(page, "Close");
      await page.getByRole("row", { name: /shop send, listen/ }).waitFor();
      // Another of that name is not the one that was looked at.
      const root = daemon.connectionString;
      await press(page, "Remove rule shop");
      await daemon.call("Management/RemoveAccessRule", { entityPath: "orders", name: "shop" }, root);
      await daemon.call(
        "Management/CreateAccessRule",
        { rule: { entityPath: "orders", name: "shop", rights: ["ACCESS_RIGHT_SEND"] } },
        root,
      );
      await press(page, "Remove 1 rule");
      await says(page, "InvalidOperation");
      await rule();
      await press(page, "Keep everything");
      await page.getByRole("row", { name: /shop send 2/ }).waitFor();
      await press(page, "Remove rule shop");
      await press(page, "Remove 1 rule");
      await page.getByRole("row", { name: /shop/ }).waitFor({ state: "detached" });
      await assert.rejects(rule(), /shop/);

      await goTo(page, "access");
      await page.getByRole("row", { name: /manage/ }).waitFor();
      assert.deepEqual(await barriersOf(page), []);
      await page.setViewportSize({ width: 360, height: 740 });
      assert.deepEqual(await overflowOf(page), []);
    }),

  "a session that ends with its rule leads to signing in, and back to the same view": (browser) =>
    withPage(browser, ["--access", "on"], async (page, daemon) => {
      await seed(daemon, daemon.connectionString);
      const connection = await connectionOf(daemon, ["Manage"]);
      await signIn(page, daemon, connection);
      await goTo(page, "entity", "orders");
      await heading(page, "Now").waitFor();
      await daemon.call("Management/RemoveAccessRule", { name: "rManage" }, daemon.connectionString);
      await heading(page, "Your session is over").waitFor();
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
      await heading(page, "Your session is over").waitFor();
      await fill(page, "Connection string", daemon.connectionString);
      await press(page, "Sign in");
      await heading(page, "Now").waitFor();
    }),
};
