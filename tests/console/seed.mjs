// Seed: a broker that has some of everything: what waits, is locked, deferred, scheduled and dead, sessions and rules.

import { randomBytes } from "node:crypto";

const base64 = (text) => Buffer.from(text).toString("base64");
const LATER = () => new Date(Date.now() + 3_600_000).toISOString();

export async function seed(daemon, connectionString = null) {
  const call = (method, request) => daemon.call(method, request, connectionString);
  const send = (entityPath, ...messages) => call("Messaging/Send", { entityPath, messages });
  const receive = async (entityPath, maxMessages, more = {}) =>
    (await call("Messaging/Receive", { entityPath, maxMessages, ...more })).messages.map(
      (message) => message.lockToken,
    );
  const settle = (entityPath, lockTokens, verb) =>
    call("Messaging/Settle", { entityPath, settlement: { lockTokens, ...verb } });

  await call("Management/CreateQueue", {
    queue: {
      name: "orders",
      lockDuration: "3600s",
      userMetadata: "of the shop",
      eventLogSizeInKilobytes: "1024",
    },
  });
  await call("Management/CreateQueue", { queue: { name: "letters", lockDuration: "3600s", requiresSession: true } });
  await call("Topics/CreateTopic", { topic: { name: "sales" } });
  await call("Topics/CreateSubscription", {
    subscription: { topic: "sales", name: "red" },
    defaultRule: { name: "colour", sqlFilter: { text: "color = 'red'" }, action: { text: "SET seen = 1" } },
  });
  await call("Topics/CreateSubscription", { subscription: { topic: "sales", name: "all" } });

  await send("orders", ...Array.from({ length: 6 }, (_, at) => ({ body: base64(`dead ${at}`), messageId: `d${at}` })));
  const dead = await receive("orders", 6);
  await settle("orders", dead.slice(0, 3), {
    deadLetter: { reason: "BadAddress", description: "there is no such street" },
  });
  await settle("orders", dead.slice(3, 5), { deadLetter: { reason: "TooLate" } });
  await settle("orders", dead.slice(5), { deadLetter: {} });
  await send(
    "orders",
    { body: base64("set aside"), subject: "deferred" },
    { body: base64("in work"), subject: "locked" },
  );
  const [aside] = await receive("orders", 2);
  await settle("orders", [aside], { defer: {} });
  await send(
    "orders",
    {
      body: base64(JSON.stringify({ id: 7, lines: [{ article: "rope", count: 2 }], paid: true, note: null })),
      messageId: "m-7",
      subject: "order",
      contentType: "application/json",
      applicationProperties: {
        color: { stringValue: "red" },
        weight: { doubleValue: 1.5 },
        large: { int64Value: "9007199254740993" },
        urgent: { boolValue: true },
        nothing: {},
      },
    },
    {
      body: base64("plain text\nof two lines"),
      messageId: "m-8",
      applicationProperties: { color: { stringValue: "blue" } },
    },
    { body: randomBytes(5000).toString("base64"), messageId: "m-9", timeToLive: "7200s" },
  );
  await send(
    "orders",
    { body: base64("later"), subject: "scheduled", scheduledEnqueueTime: LATER() },
    { body: base64("even later"), scheduledEnqueueTime: LATER() },
  );
  await send("letters", ...["anna", "anna", "bert", "carla"].map((sessionId) => ({ body: base64("dear"), sessionId })));
  await call("Sessions/AcceptSession", { entityPath: "letters", sessionId: "bert" });
  await send(
    "sales",
    { body: base64("sold"), applicationProperties: { color: { stringValue: "red" } } },
    { body: base64("sold"), applicationProperties: { color: { stringValue: "blue" } } },
  );
}
