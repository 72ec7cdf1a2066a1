// Every view: without barriers, in light and dark, and without an overflow on the smallest phone and on a wall.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { barriersOf, goTo, openPage, overflowOf, signIn } from "./browser.mjs";
import { seed } from "./seed.mjs";
import { fill, heading, press, says, withPage } from "./with_page.mjs";

// Where a view is, and what shows that it is there.
export const VIEWS = [
  [["overview"], (page) => heading(page, "Disk and memory").waitFor()],
  [["entities"], (page) => page.getByRole("link", { name: "sales/Subscriptions/red" }).waitFor()],
  [["jobs"], (page) => says(page, "redrive")],
  [["connections"], (page) => says(page, "AMQP")],
  [["cluster"], (page) => says(page, "This broker runs by itself")],
  [["backups"], (page) => page.getByRole("button", { name: "Verify kept" }).waitFor()],
  [["access"], (page) => page.getByRole("button", { name: "Keys of shop" }).waitFor()],
  [["entity", "orders"], (page) => page.getByRole("img", { name: "Rates" }).waitFor()],
  [["entity", "sales", "subscriptions"], (page) => page.getByRole("link", { name: "red", exact: true }).waitFor()],
  [["entity", "orders", "messages"], (page) => page.getByRole("button", { name: "Open message 9" }).waitFor()],
  [["entity", "orders", "dead-letters"], (page) => says(page, "BadAddress")],
  [["entity", "letters", "sessions"], (page) => says(page, "carla")],
  [["entity", "orders", "scheduled"], (page) => says(page, "scheduled")],
  [["entity", "sales/Subscriptions/red", "rules"], (page) => says(page, "color = 'red'")],
  [["entity", "orders", "locks"], (page) => says(page, "call of")],
  [["entity", "orders", "send"], (page) => press(page, "Add a property")],
  [["entity", "letters", "receive"], (page) => heading(page, "Session").waitFor()],
  [["find"], (page) => heading(page, "Where is my message?").waitFor()],
  [["find", "d0", "orders"], (page) => heading(page, "Its story").waitFor()],
  [["entity", "nothing"], (page) => page.getByRole("alert").waitFor()],
];

// Charts are as wide as their place a frame later.
const framesDrawn = () =>
  new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(drawn))));

const WALL = { width: 3840, height: 2160 };

// Windows above a view.
const WINDOWS = [
  [["entities"], (page) => press(page, "Create…"), (page) => fill(page, "Name", "x")],
  [["entity", "orders"], (page) => press(page, "Purge…"), (page) => says(page, "This drops")],
  [
    ["entity", "orders", "messages"],
    async (page) => {
      await press(page, "Browse");
      await press(page, "Open message 9");
    },
    (page) => says(page, "9007199254740993"),
  ],
  [
    ["entity", "orders", "dead-letters"],
    (page) => press(page, "Redrive TooLate"),
    (page) => says(page, "redrive takes 2 messages"),
  ],
  [
    ["entity", "sales/Subscriptions/red", "rules"],
    (page) => press(page, "Change rule colour"),
    (page) => page.getByLabel("Parameters of the action").waitFor(),
  ],
];

async function eachView(page, look) {
  for (const [parts, isThere] of VIEWS) {
    await goTo(page, ...parts);
    await isThere(page);
    await look(parts.join(" "));
  }
  for (const [parts, open, isThere] of WINDOWS) {
    await goTo(page, ...parts);
    await open(page);
    await isThere(page);
    await look(`a window above ${parts.join(" ")}`);
    await page.keyboard.press("Escape");
    await page.locator("body:not(:has(dialog))").waitFor();
  }
}

// What is to be pressed or written in, and is not come to by as many presses of Tab as there are such things. A view that
// asks again may have made some anew, so they are known by what they are called.
async function missedByTab(page) {
  const frame = page.locator((await page.locator("dialog").count()) > 0 ? "dialog" : "body").last();
  const names = await frame
    .locator("a[href], button:not(:disabled), input, select, textarea, summary")
    .evaluateAll((all) =>
      all
        .filter((one) => one.checkVisibility())
        .map((one) => `${one.tagName} ${one.id} ${one.getAttribute("aria-label") ?? one.textContent.slice(0, 40)}`),
    );
  await page.evaluate(() => {
    window.come = [];
    window.noteCome ??= ({ target: one }) =>
      window.come.push(`${one.tagName} ${one.id} ${one.getAttribute("aria-label") ?? one.textContent.slice(0, 40)}`);
    document.addEventListener("focusin", window.noteCome);
  });
  // One behind the other, also where nobody waits for each.
  await Promise.all(Array.from({ length: names.length + 10 }, () => page.keyboard.press("Tab")));
  const come = new Set(await page.evaluate(() => window.come));
  return names.filter((name) => !come.has(name));
}

async function filled(daemon) {
  await seed(daemon);
  await daemon.call("Management/StartRedrive", { entityPath: "orders/$DeadLetterQueue", dryRun: true });
  await daemon.call("Management/CreateAccessRule", { rule: { name: "shop", rights: ["ACCESS_RIGHT_SEND"] } });
  await daemon.call("Backups/Create", { label: "kept" });
}

async function withFilled(browser, story, options = {}) {
  const folder = mkdtempSync(join(tmpdir(), "wharf-console-views-"));
  const told = async (page, daemon) => {
    await filled(daemon);
    await story(page, daemon);
  };
  try {
    await withPage(browser, ["--backup-folder", folder], told, options);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export default {
  "no view has a barrier, in light and in dark": (browser) =>
    withFilled(browser, async (page, daemon) => {
      await signIn(page, daemon);
      const found = [];
      await eachView(page, async (view) => {
        await page.emulateMedia({ colorScheme: "light" });
        for (const barrier of await barriersOf(page)) found.push(`${view}, light: ${barrier}`);
        // Nothing else is another in the dark.
        await page.emulateMedia({ colorScheme: "dark" });
        for (const barrier of await barriersOf(page, ["color-contrast"])) found.push(`${view}, dark: ${barrier}`);
      });
      assert.deepEqual(found, []);
    }),

  "signing in has no barrier, and fits the smallest phone": (browser) =>
    withPage(
      browser,
      ["--access", "on"],
      async (page, daemon) => {
        page.origin = daemon.origin;
        await page.goto(daemon.origin);
        await heading(page, "Sign in").waitFor();
        for (const colorScheme of ["light", "dark"]) {
          await page.emulateMedia({ colorScheme });
          assert.deepEqual(await barriersOf(page), []);
        }
        assert.deepEqual(await overflowOf(page), []);
      },
      { viewport: { width: 360, height: 740 } },
    ),

  "nothing overflows at 360 px, at 4k, and where tables are narrowest": (browser) =>
    withFilled(
      browser,
      async (page, daemon) => {
        await daemon.call("Management/CreateQueue", { queue: { name: "a".repeat(260) } });
        await signIn(page, daemon);
        const found = [];
        await eachView(page, async (view) => {
          for (const one of await overflowOf(page)) found.push(`${view}: ${one}`);
        });
        await goTo(page, "entity", "a".repeat(260));
        await heading(page, "Now").waitFor();
        found.push(...(await overflowOf(page)));
        assert.deepEqual(found, []);

        const wall = await openPage(browser, { viewport: WALL });
        await signIn(wall, daemon);
        await eachView(wall, async (view) => {
          assert.deepEqual(await overflowOf(wall), [], view);
          // As narrow as a table may be that is none of cards.
          await wall.setViewportSize({ width: 1060, height: 800 });
          await wall.evaluate(framesDrawn);
          assert.deepEqual(await overflowOf(wall), [], `${view}, narrow`);
          await wall.setViewportSize(WALL);
        });
        assert.deepEqual(wall.faults, []);
        await wall.context().close();
      },
      { viewport: { width: 360, height: 740 } },
    ),

  "each thing to press or to write in is come to by Tab, in every view and window": (browser) =>
    withFilled(browser, async (page, daemon) => {
      await signIn(page, daemon);
      const missed = [];
      await eachView(page, async (view) => {
        for (const one of await missedByTab(page)) missed.push(`${view}: ${one}`);
      });
      assert.deepEqual(missed, []);
    }),

  "a message is found, looked at and settled without a mouse": (browser) =>
    withPage(browser, [], async (page, daemon) => {
      await seed(daemon);
      await signIn(page, daemon);
      await goTo(page, "entity", "orders", "messages");
      const open = page.getByRole("button", { name: "Open message 9" });
      await open.waitFor();
      await open.press("Enter");
      await page.getByRole("button", { name: "Text", exact: true }).press("Space");
      await says(page, '"paid":true');
      await page.getByRole("button", { name: "Complete…" }).press("Enter");
      await page.getByRole("button", { name: "Complete 1 message" }).press("Enter");
      await page.locator("body:not(:has(dialog))").waitFor();
      await open.waitFor({ state: "detached" });
    }),

  "all is reached by the keyboard": (browser) =>
    withPage(browser, [], async (page, daemon) => {
      await seed(daemon);
      await signIn(page, daemon);
      await goTo(page, "entities");
      await page.getByRole("link", { name: "orders", exact: true }).waitFor();
      await page.keyboard.press("/");
      await page.keyboard.type("orders");
      await page.getByText("1 to 1 of 1 entities").waitFor();
      // The search, the kind, eight heads that sort, and then the first row.
      for (let presses = 0; presses < 30; presses += 1) {
        await page.keyboard.press("Tab");
        if (await page.evaluate(() => document.activeElement.textContent === "orders")) break;
      }
      await page.keyboard.press("Enter");
      await heading(page, "orders").waitFor();
      assert.equal(await page.evaluate(() => document.activeElement.tagName), "MAIN");

      await page.getByRole("button", { name: "Purge…" }).focus();
      await page.keyboard.press("Enter");
      await says(page, "This drops");
      await page.keyboard.press("Escape");
      await page.locator("body:not(:has(dialog))").waitFor();
      assert.equal(await page.evaluate(() => document.activeElement.textContent), "Purge…");
    }),
};
