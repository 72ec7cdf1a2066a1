// Played: what a broker by itself, without clients of AMQP, does not have, told by the test in its place.

import assert from "node:assert/strict";

import { barriersOf, goTo, overflowOf, signIn } from "./browser.mjs";
import { heading, press, says, withPage } from "./with_page.mjs";

export const CLUSTER = {
  clusterId: "00",
  nodeName: "n1",
  leader: "n1",
  term: "7",
  oneMoreLoss: "Nothing would be lost if one more node died.",
  members: [
    { id: "1", name: "n1", peerAddress: "10.0.0.1:5690", voter: true, leader: true, reachable: true },
    {
      id: "2",
      name: "n2",
      peerAddress: "10.0.0.2:5690",
      voter: true,
      reachable: true,
      lagEntries: "12",
      lagBytes: "4096",
      lag: "0.25s",
      roundTrip: "0.002s",
    },
    {
      id: "3",
      name: "n3",
      peerAddress: "10.0.0.3:5690",
      voter: false,
      reachable: false,
      trouble: "<b>nobody answers</b>",
      lastHeard: "65s",
      formatLevelMax: "9",
    },
  ],
};

export const CONNECTION = {
  id: "4",
  clientAddress: "10.0.0.9:41234",
  rule: "orders#sender",
  since: "2026-01-31T12:00:00Z",
  linkCount: "2",
  unsettledCount: "3",
  receivedBytes: "2048",
  sentBytes: "0",
};

export default {
  "the members of a cluster are shown with what they lack": (browser) =>
    withPage(browser, [], async (page, daemon) => {
      await page.route("**/api/v1/Management/GetBrokerStatistics", async (route) => {
        const told = await (await route.fetch()).json();
        const amqp = {
          openConnectionCount: "3",
          openLinkCount: "1",
          refusedConnectionCount: "2",
          refusedLinkCount: "4",
        };
        const http = { openConnectionCount: "5", refusedConnectionCount: "6" };
        const space = { namespaceBytes: "1048576", maxNamespaceBytes: "2097152" };
        return route.fulfill({ json: { ...told, amqp, http, ...space, cluster: CLUSTER } });
      });
      await signIn(page, daemon);
      await says(page, "n1 leads, in term 7. Nothing would be lost");
      const members = page.getByRole("table", { name: "Members of the cluster" });
      await members.getByRole("row", { name: /n2 voter yes 12 entries, 4 KiB, 250ms 2ms/ }).waitFor();
      await members.getByRole("row", { name: /n3 learner <b>nobody answers<\/b>; last heard of 1m 5s ago/ }).waitFor();
      for (const text of ["1 MiB of 2 MiB at most", "3, with 1 link", "2 connections, 4 links", "6 connections"])
        await says(page, text);
      assert.deepEqual(await barriersOf(page), []);
      await page.setViewportSize({ width: 360, height: 740 });
      assert.deepEqual(await overflowOf(page), []);
    }),

  "a node without a leader says so also to who may not ask it for more, and asks that once": (browser) =>
    withPage(browser, [], async (page, daemon) => {
      const refuse = (status, code, message) => (route) =>
        route.fulfill({ status, json: { error: { code, message, outcome: "not-done", trackingId: "abc" } } });
      let looks = 0;
      await page.route("**/api/v1/session", (route) => {
        looks += 1;
        return looks > 2 ? route.continue() : refuse(503, "PartitionNotOwned", "the cluster has no leader")(route);
      });
      let asked = 0;
      await page.route("**/api/v1/Cluster/GetStatus", (route) => {
        asked += 1;
        return refuse(401, "Unauthorized", "nothing is proven")(route);
      });
      await page.goto(daemon.origin);
      await says(page, "Nobody leads the cluster");
      await says(page, `The node at ${new URL(daemon.origin).host} is there, and nobody leads`);
      assert.deepEqual(await barriersOf(page), []);
      await heading(page, "Overview").waitFor();
      assert.equal(asked, 1);
    }),

  "a connection over AMQP is closed when that is confirmed": (browser) =>
    withPage(browser, [], async (page, daemon) => {
      const closed = [];
      await page.route("**/api/v1/Management/ListConnections", (route) =>
        route.fulfill({ json: { connections: closed.length > 0 ? [] : [CONNECTION], nextPageToken: "" } }),
      );
      await page.route("**/api/v1/Management/CloseConnection", (route) => {
        closed.push(route.request().postDataJSON());
        return route.fulfill({ json: {} });
      });
      await signIn(page, daemon);
      await goTo(page, "connections");
      await press(page, "Close the connection of 10.0.0.9:41234");
      await says(page, "1 connection with 2 links and 3 unsettled messages");
      assert.deepEqual(await barriersOf(page), []);
      await press(page, "Close 1 connection");
      await says(page, "Nobody is connected over AMQP");
      assert.deepEqual(closed, [{ id: "4" }]);
    }),

  "an answer that no view can show leaves the rest of the page": (browser) =>
    withPage(browser, [], async (page, daemon) => {
      await daemon.call("Management/CreateQueue", { queue: { name: "q" } });
      await page.route("**/api/v1/Management/ListLocks", (route) =>
        route.fulfill({ json: { locks: [{ sequenceNumber: "1", lockTokenEnd: "!" }], nextPageToken: "" } }),
      );
      await signIn(page, daemon);
      await goTo(page, "entity", "q", "locks");
      await heading(page, "This view cannot be shown").waitFor();
      await goTo(page, "entity", "q", "messages");
      await says(page, "There are no such messages");
    }),

  "what was not done for want of a leader is asked again, and what perhaps was is not": (browser) =>
    withPage(browser, [], async (page, daemon) => {
      await daemon.call("Management/CreateQueue", { queue: { name: "q" } });
      const asked = [];
      const outcomes = ["not-done", "not-done", null, "unknown"];
      await page.route("**/api/v1/Messaging/Send", (route) => {
        const outcome = outcomes[asked.length] ?? null;
        asked.push(outcome);
        const error = { code: "PartitionNotOwned", message: "another node leads", outcome, trackingId: "abc" };
        return outcome === null ? route.continue() : route.fulfill({ status: 503, json: { error } });
      });
      await signIn(page, daemon);
      await goTo(page, "entity", "q", "send");
      await press(page, "Send");
      await says(page, "Number 1");
      assert.deepEqual(asked, ["not-done", "not-done", null]);
      await press(page, "Send");
      await says(page, "PartitionNotOwned, and whether it was done is not known");
      assert.deepEqual(asked, outcomes);
      const { totalMessageCount } = await daemon.call("Management/GetQueueRuntimeProperties", { entityPath: "q" });
      assert.equal(totalMessageCount, "1");
    }),

  "an answer that nobody knows the end of is told as that": (browser) =>
    withPage(browser, [], async (page, daemon) => {
      await daemon.call("Management/CreateQueue", { queue: { name: "q" } });
      await page.route("**/api/v1/Messaging/Send", (route) =>
        route.fulfill({
          status: 500,
          json: {
            error: { code: "GeneralError", message: "the disk did not answer", outcome: "unknown", trackingId: "abc" },
          },
        }),
      );
      await signIn(page, daemon);
      await goTo(page, "entity", "q", "send");
      await press(page, "Send");
      await says(page, "the disk did not answer");
      await says(page, "GeneralError, and whether it was done is not known, tracking id abc");
      await heading(page, "Send to q").waitFor();
    }),
};
