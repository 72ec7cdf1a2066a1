// The first view: how much of it comes over the line, what a browser is told of it, and how quick it is with much.

import assert from "node:assert/strict";

import { goTo, openPage, signIn } from "./browser.mjs";
import { heading, withPage } from "./with_page.mjs";

const COMPRESSED_MAX = 300 * 1024;
const ENTITIES = 10_000;
// Ten thousand rows are searched and sorted in much less, also on a machine that does other things.
const QUICK_MS = 2000;

function manyNumbers(pageToken, pageSize) {
  const from = Number(pageToken || 0);
  const entities = Array.from({ length: Math.min(pageSize, ENTITIES - from) }, (_, at) => ({
    entityPath: `queue-${String(from + at).padStart(5, "0")}`,
    availableMessageCount: String((from + at) % 997),
    lockedMessageCount: "0",
    delayedMessageCount: "0",
    deferredMessageCount: "0",
    scheduledMessageCount: "0",
    quarantinedMessageCount: "0",
    deadLetterMessageCount: String((from + at) % 13),
    sizeInBytes: "1",
    numberedMessageCount: "1",
  }));
  return { entities, nextPageToken: from + pageSize < ENTITIES ? String(from + pageSize) : "" };
}

export default {
  "the first view is small, and its files are never asked for again": (browser) =>
    withPage(browser, [], async (page, daemon) => {
      const session = await page.context().newCDPSession(page);
      await session.send("Network.enable");
      let transferred = 0;
      session.on("Network.loadingFinished", ({ encodedDataLength }) => {
        transferred += encodedDataLength;
      });
      const files = [];
      page.on("response", (response) => {
        if (!response.url().includes("/api/")) files.push(response);
      });
      await signIn(page, daemon);
      await heading(page, "Disk and memory").waitFor();
      assert.ok(transferred > 0 && transferred <= COMPRESSED_MAX, `${transferred} bytes`);

      const [html, ...rest] = files;
      assert.equal(html.headers()["cache-control"], "no-cache");
      assert.ok(rest.length >= 2);
      for (const file of rest) {
        assert.match(file.headers()["cache-control"], /immutable/, file.url());
        assert.equal(file.headers()["content-encoding"], "gzip");
        const again = await fetch(file.url(), { headers: { "If-None-Match": file.headers().etag } });
        assert.equal(again.status, 304);
      }
      // Only whether the page is still the same; the rest comes out of what the browser has, on its disk or in memory.
      const fetched = [];
      const kept = new Set();
      session.on("Network.responseReceived", ({ requestId, response }) => {
        if (response.url.includes("/page/") && !response.fromDiskCache) fetched.push(requestId);
      });
      session.on("Network.requestServedFromCache", ({ requestId }) => kept.add(requestId));
      await page.goto("about:blank");
      await page.goto(daemon.origin);
      await heading(page, "Disk and memory").waitFor();
      assert.deepEqual(
        fetched.filter((requestId) => !kept.has(requestId)),
        [],
      );
    }),

  "no page of another origin frames it, and no host but ours is answered": (browser) =>
    withPage(browser, [], async (page, daemon) => {
      const foreign = await fetch(daemon.origin, { headers: { Origin: "http://evil.example" } });
      assert.equal(foreign.status, 403);
      const html = await fetch(daemon.origin);
      assert.match(html.headers.get("content-security-policy"), /frame-ancestors 'none'/);
      assert.equal(html.headers.get("x-frame-options"), "DENY");
      assert.equal(html.headers.get("x-content-type-options"), "nosniff");
      const outside = await openPage(browser);
      await outside.setContent(`<iframe src="${daemon.origin}"></iframe>`);
      await outside.waitForTimeout(0);
      const [frame] = outside.frames().slice(1);
      assert.ok(frame === undefined || !(await frame.content().catch(() => "")).includes('id="page"'));
      await outside.context().close();
    }),

  "a thousand sessions are shown, and only what changed of them is drawn again": (browser) =>
    withPage(browser, [], async (page, daemon) => {
      await daemon.call("Management/CreateQueue", { queue: { name: "s", requiresSession: true } });
      for (const from of [0, 600]) {
        const messages = Array.from({ length: 600 }, (_, at) => ({
          sessionId: `s${String(from + at).padStart(4, "0")}`,
        }));
        await daemon.call("Messaging/Send", { entityPath: "s", messages });
      }
      await signIn(page, daemon);
      await goTo(page, "entity", "s", "sessions");
      const asked = [];
      page.on("request", (request) => asked.push(request));
      await page.getByLabel("Show", { exact: true }).selectOption("1000");
      // By its text: what each of a thousand rows is called takes seconds.
      const row = (text) => page.locator("tbody tr", { hasText: new RegExp(`^${text}`) });
      await row("s0999").waitFor();
      assert.equal(await row("s1000").count(), 0);
      await page.evaluate(() => {
        window.drawn = new Set();
        const observer = new MutationObserver((changes) =>
          changes.forEach(({ target }) => window.drawn.add(target.parentElement.closest("tr")?.textContent)),
        );
        observer.observe(document.querySelector("table"), { subtree: true, childList: true, characterData: true });
      });
      await daemon.call("Messaging/Send", { entityPath: "s", messages: [{ sessionId: "s0500" }] });
      await row("s05002").waitFor();
      const drawn = await page.evaluate(() => [...window.drawn]);
      assert.equal(drawn.length, 1, drawn.join());
      assert.match(drawn[0], /^s05002/);
      // All of them by one call, and who holds them by no other.
      const calls = asked.map((request) => [new URL(request.url()).pathname, request.postDataJSON()?.pageSize]);
      const sizes = new Set(calls.filter(([path]) => path.endsWith("/Sessions/ListSessions")).map(([, size]) => size));
      sizes.delete(50); // As it was before.
      assert.deepEqual([...sizes], [1000]);
      assert.ok(calls.every(([path]) => !path.endsWith("/Management/ListLocks")));
    }),

  "how long something waits goes on while nothing else changes": (browser) =>
    withPage(browser, [], async (page, daemon) => {
      await daemon.call("Management/CreateQueue", { queue: { name: "q" } });
      await daemon.call("Messaging/Send", { entityPath: "q", messages: [{}] });
      await signIn(page, daemon);
      await goTo(page, "entities");
      const waits = page
        .getByRole("row", { name: /^q queue/ })
        .getByRole("cell")
        .nth(6);
      await waits.filter({ hasText: /^\d+s$/ }).waitFor();
      await waits.filter({ hasNotText: await waits.textContent() }).waitFor();
    }),

  "ten thousand entities are searched and sorted at once": (browser) =>
    withPage(browser, [], async (page, daemon) => {
      await page.route("**/api/v1/Management/ListEntityNumbers", (route) => {
        const { pageToken, pageSize } = route.request().postDataJSON();
        return route.fulfill({ json: manyNumbers(pageToken, pageSize) });
      });
      await signIn(page, daemon);
      await goTo(page, "entities");
      await page.getByText("1 to 50 of 10,000 entities").waitFor();
      const took = await page.evaluate(async () => {
        const drawn = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
        const began = performance.now();
        const search = document.querySelector("input[type=search]");
        search.value = "queue-09";
        search.dispatchEvent(new Event("input", { bubbles: true }));
        await drawn();
        [...document.querySelectorAll("button.sort")].find((one) => one.textContent.startsWith("Available")).click();
        await drawn();
        return performance.now() - began;
      });
      await page.getByText("1 to 50 of 1,000 entities").waitFor();
      assert.ok(took < QUICK_MS, `${took} ms`);
      await page.getByRole("button", { name: "Next" }).click();
      await page.getByText("51 to 100 of 1,000 entities").waitFor();
    }),
};
