// Fail-over: the page of a node that does not lead shows the broker, and goes on when the one that leads is killed. Only
// where the raft core is built.

import assert from "node:assert/strict";

import { HAS_CLUSTERS, eventually, startCluster } from "./cluster.mjs";
import { goTo, openPage, signIn } from "./browser.mjs";
import { fill, press, says } from "./with_page.mjs";

const WAIT = 60_000;

const stories = {
  "a page goes on when the node that leads is killed": async (browser) => {
    const nodes = await startCluster();
    const page = await openPage(browser);
    try {
      const [first, second] = nodes;
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
      assert.deepEqual(page.faults, []);
    } finally {
      await page.context().close();
      for (const node of nodes) await node.remove();
    }
  },
};

export default HAS_CLUSTERS ? stories : {};
