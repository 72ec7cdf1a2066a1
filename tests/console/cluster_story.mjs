// Cluster: founded, grown, compared, led by another node and made smaller, all from the page. Only where the raft core is
// built.

import assert from "node:assert/strict";

import { barriersOf, goTo, openPage, overflowOf, signIn } from "./browser.mjs";
import { HAS_CLUSTERS, eventually, startNodes } from "./cluster.mjs";
import { fill, heading, press, says, withPage } from "./with_page.mjs";

const WAIT = 60_000;

const member = (page, name) => page.getByRole("row", { name });
const membersOf = async (node) => (await node.call("Cluster/GetStatus")).members ?? [];

async function add(page, { name, peers }) {
  await press(page, "Add a member…");
  await fill(page, "Name", name);
  await fill(page, "Peer address", peers);
  await press(page, "Invite it");
  await page.locator("body:not(:has(dialog))").waitFor();
  await member(page, new RegExp(`^${name} voter yes`)).waitFor({ timeout: WAIT });
}

const stories = {
  "a cluster is founded, grown, compared, led by another and made smaller": async (browser) => {
    const nodes = await startNodes();
    const page = await openPage(browser);
    try {
      const [first, second, third] = nodes;
      page.origin = first.origin;
      await page.goto(first.origin);
      await says(page, "n1 has no cluster yet");
      assert.equal(await page.getByRole("alert").count(), 0);
      assert.deepEqual(await barriersOf(page), []);
      await press(page, "Found a cluster…");
      await press(page, "Found 1 cluster");
      await heading(page, "Overview").waitFor({ timeout: WAIT });
      await goTo(page, "cluster");
      await heading(page, "n1 leads").waitFor({ timeout: WAIT });
      await add(page, second);
      await add(page, third);
      assert.deepEqual(await barriersOf(page), []);
      await says(page, "Nothing was compared since this node leads");
      assert.equal(await page.locator(".failure").count(), 0);

      // An address that nobody waits at is told of in the broker's words, and changes nothing.
      await press(page, "Add a member…");
      await fill(page, "Name", "n4");
      await fill(page, "Peer address", "127.0.0.1:1");
      await press(page, "Invite it");
      await page.getByRole("dialog").getByRole("alert").getByText("tracking id").waitFor();
      await press(page, "Close");
      assert.equal((await membersOf(first)).length, 3);

      await press(page, "Client address of n2");
      await fill(page, "Client address", "127.0.0.1:5999");
      await press(page, "Tell all members");
      await says(page, "127.0.0.1:5999");
      await says(page, /It has begun, ceased to lead\s*1 time, 0 times/);
      await page.getByRole("columnheader", { name: "Reads level" }).waitFor();

      await press(page, "Compare the members");
      await says(page, /All is equal: [\d,]+ rows/);

      await press(page, "Hand over to n3");
      await says(page, "1 change of leader");
      await press(page, "Let n3 lead");
      await heading(page, "n3 leads").waitFor({ timeout: WAIT });

      await press(page, "Remove n2");
      await says(page, "This removes 1 of 3 members for good");
      await says(page, "Left are 2 voters, and 2 of them must be there");
      assert.deepEqual(await barriersOf(page), []);
      await press(page, "Remove 1 member");
      await member(page, /^n2/).waitFor({ state: "detached", timeout: WAIT });
      await eventually(async () => (await membersOf(third)).length === 2);
      await page.setViewportSize({ width: 360, height: 740 });
      assert.deepEqual(await overflowOf(page), []);
      assert.deepEqual(page.faults, []);
    } finally {
      await page.context().close();
      for (const node of nodes) await node.remove();
    }
  },
};

const alone = {
  "a broker by itself says so, and how it would be a member": (browser) =>
    withPage(browser, [], async (page, daemon) => {
      await signIn(page, daemon);
      await goTo(page, "cluster");
      await says(page, "This broker runs by itself");
      assert.equal(await page.getByRole("alert").count(), 0);
      assert.deepEqual(await barriersOf(page), []);
    }),
};

export default HAS_CLUSTERS ? { ...stories, ...alone } : alone;
