// Fail-over: the page of a node that does not lead shows the broker, and goes on when the one that leads is killed. Only
// where the raft core is built.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";

import { goTo, openPage, signIn } from "./browser.mjs";
import { Daemon } from "./daemon.mjs";
import { fill, press, says } from "./with_page.mjs";

const WAIT = 60_000;

async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

// Until it is so; what is refused meanwhile is asked again.
async function eventually(look) {
  const deadline = Date.now() + WAIT;
  for (;;) {
    const told = await look().catch((error) => error);
    if (told && !(told instanceof Error)) return told;
    if (Date.now() > deadline) throw new Error(`it is never so: ${told}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function startCluster() {
  const nodes = [];
  for (const name of ["n1", "n2", "n3"]) {
    const peers = `127.0.0.1:${await freePort()}`;
    const node = new Daemon(["--node", name, "--peer-listen", peers, "--insecure"]);
    nodes.push(Object.assign(node, { name, peers }));
    await node.start();
  }
  const [first, ...others] = nodes;
  await first.call("Cluster/Found");
  for (const { name, peers } of others) {
    await eventually(() => first.call("Cluster/AddMember", { name, peerAddress: peers }));
  }
  for (const node of nodes) {
    await eventually(async () => {
      const { members = [] } = await node.call("Cluster/GetStatus");
      return members.length === 3 && members.every((member) => member.voter && member.clientAddress);
    });
  }
  return nodes;
}

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

export default existsSync(join(dirname(process.env.WHARFD), "libwharfraft.so")) ? stories : {};
