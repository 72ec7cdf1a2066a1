// Fail-over: the page of a node that does not lead shows the broker, and goes on when the one that leads is killed. Only
// where the raft core is built.

import assert from "node:assert/strict";

import { HAS_CLUSTERS, eventually, startCluster } from "./cluster.mjs";
import { barriersOf, goTo, openPage, overflowOf, signIn } from "./browser.mjs";
import { button, fill, heading, press, says } from "./with_page.mjs";

const WAIT = 60_000;

async function isLeaderless(page) {
  await heading(page, "Nobody leads").waitFor({ timeout: WAIT });
  await page.getByRole("row", { name: /^n1 voter n1 at \S+ Connection refused/ }).waitFor();
  await page.getByRole("row", { name: /^n2 voter yes/ }).waitFor();
}

// Of what each member is: a text that stands on more than one line.
const brokenWords = (page) =>
  page.locator('td[data-label="Is"]').evaluateAll((cells) =>
    cells
      .filter((cell) => {
        const range = document.createRange();
        range.selectNodeContents(cell);
        return range.getClientRects().length > 1;
      })
      .map((cell) => cell.textContent),
  );

const stories = {
  "a page goes on when the node that leads is killed": async (browser) => {
    const nodes = await startCluster();
    const page = await openPage(browser);
    try {
      const [first, second, third] = nodes;
      await eventually(() => first.call("Management/CreateQueue", { queue: { name: "q" } }));
      await signIn(page, second);
      await says(page, "n1 leads");
      await goTo(page, "entity", "q", "send");
      await fill(page, "Body", "before");
      await press(page, "Send");
      await says(page, "Number 1");
      await goTo(page, "overview");
      await says(page, "n1 leads");

      // Nobody touches the page until it shows who leads then.
      await first.kill();
      await page.getByText(/n[23] leads/).waitFor({ timeout: WAIT });
      await goTo(page, "entity", "q", "send");
      await fill(page, "Body", "after");
      await press(page, "Send");
      await says(page, "Number 2");

      // Of the two that are left one more is killed: nobody leads, and the last one says so.
      await goTo(page, "cluster");
      await page.getByRole("heading", { name: /n[23] leads/ }).waitFor();
      await page.getByRole("row", { name: /^n1 voter n1 at \S+ Connection refused/ }).waitFor();
      assert.deepEqual(await brokenWords(page), []);
      await says(page, /n[23], which leads/);
      await page.getByRole("definition").getByText(new URL(second.origin).host, { exact: true }).waitFor();
      await third.kill();
      await page.getByRole("alert").getByText("Nobody leads the cluster").waitFor({ timeout: WAIT });
      await isLeaderless(page);
      assert.equal(await page.getByText(/n[23] leads/).count(), 0);
      assert.equal(await page.getByText("What is shown is as it was").count(), 0);
      assert.deepEqual(page.faults, []);
      await page.reload();
      await isLeaderless(page);
      assert.equal(await page.getByText("What is shown is as it was").count(), 0);
      assert.equal(await button(page, "Remove n1").count(), 0);
      assert.deepEqual(await barriersOf(page), []);
      await page.setViewportSize({ width: 360, height: 740 });
      assert.deepEqual(await overflowOf(page), []);
      await third.start();
      await page.getByRole("heading", { name: /n[23] leads/ }).waitFor({ timeout: WAIT });
      assert.deepEqual(page.faults, []);
    } finally {
      await page.context().close();
      for (const node of nodes) await node.remove();
    }
  },
};

export default HAS_CLUSTERS ? stories : {};
