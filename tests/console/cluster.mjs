// Cluster: nodes of the test's own, each with a console, alone or kept together. Only where the raft core is built.

import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";

import { Daemon } from "./daemon.mjs";

export const HAS_CLUSTERS = existsSync(join(dirname(process.env.WHARFD), "libwharfraft.so"));

const WAIT = 60_000;

export async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

// Until it is so; what is refused meanwhile is asked again.
export async function eventually(look) {
  const deadline = Date.now() + WAIT;
  for (;;) {
    const told = await look().catch((error) => error);
    if (told && !(told instanceof Error)) return told;
    if (Date.now() > deadline) throw new Error(`it is never so: ${told}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

// They wait to be founded, or invited.
export async function startNodes(names = ["n1", "n2", "n3"]) {
  const nodes = [];
  for (const name of names) {
    const peers = `127.0.0.1:${await freePort()}`;
    const node = new Daemon(["--node", name, "--peer-listen", peers, "--insecure"]);
    nodes.push(Object.assign(node, { name, peers }));
    await node.start();
  }
  return nodes;
}

export async function startCluster() {
  const nodes = await startNodes();
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
