// Deeds: everything that a button does, seen in the broker afterwards.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

import { goTo, signIn } from "./browser.mjs";
import { seed } from "./seed.mjs";
import { button, fill, heading, press, says, withPage } from "./with_page.mjs";

const told = (browser, story) =>
  withPage(browser, [], async (page, daemon) => {
    await seed(daemon);
    await signIn(page, daemon);
    await story(page, daemon);
  });

const numbersOf = (daemon, entityPath) => daemon.call("Management/GetQueueRuntimeProperties", { entityPath });
const local = (ms) =>
  new Date(Date.now() + ms).toLocaleString("sv", { timeZone: "Europe/Berlin" }).replace(" ", "T").slice(0, 16);
const dialog = (page) => page.getByRole("dialog");
const inDialog = (page, name) => dialog(page).last().getByRole("button", { name, exact: true });
const isClosed = (page) => page.locator("body:not(:has(dialog))").waitFor();

export default {
  "an entity is created with what it shall be, changed, purged and deleted": (browser) =>
    told(browser, async (page, daemon) => {
      await goTo(page, "entities");
      await press(page, "Create…");
      await fill(page, "Name", "parcels");
      await fill(page, "Lock duration", "1m 30s");
      await page.getByLabel("Requires session", { exact: true }).check();
      await page.getByLabel("Retry policy backoff").selectOption("BACKOFF_LINEAR");
      await fill(page, "Retry policy base", "2s");
      await inDialog(page, "Create").click();
      await heading(page, "parcels").waitFor();
      const made = await daemon.call("Management/GetQueue", { entityPath: "parcels" });
      assert.deepEqual(
        [made.lockDuration, made.requiresSession, made.retryPolicy.backoff, made.retryPolicy.base],
        ["90s", true, "BACKOFF_LINEAR", "2s"],
      );

      await press(page, "Change…");
      await fill(page, "Max delivery count", "3");
      await fill(page, "User metadata", "of the post");
      await inDialog(page, "Change").click();
      await isClosed(page);
      const changed = await daemon.call("Management/GetQueue", { entityPath: "parcels" });
      assert.deepEqual(
        [changed.maxDeliveryCount, changed.userMetadata, changed.lockDuration, changed.requiresSession],
        [3, "of the post", "90s", true],
      );
      await says(page, "of the post");

      await goTo(page, "entity", "orders");
      await press(page, "Purge…");
      // Four wait or are locked, one is deferred.
      await inDialog(page, "Purge 5 messages").click();
      await isClosed(page);
      assert.equal((await numbersOf(daemon, "orders")).activeMessageCount, "0");
      await press(page, "Delete…");
      await says(page, "8 messages; among them 6 dead letters");
      await inDialog(page, "Delete the queue").click();
      await heading(page, "Entities").waitFor();
      await assert.rejects(numbersOf(daemon, "orders"), /orders/);
    }),

  "an entity is counted again, and what does not agree is mended when that is asked for": (browser) =>
    told(browser, async (page, daemon) => {
      await goTo(page, "entity", "orders");
      await press(page, "Check…");
      await says(page, "13 messages looked at: everything agrees");
      assert.equal(await page.getByRole("button", { name: /^Repair/ }).count(), 0);
      await press(page, "Close");

      const asked = [];
      await page.route("**/api/v1/Management/CheckEntity", (route) => {
        const { repair } = route.request().postDataJSON();
        asked.push(repair);
        const differences = [{ isOfDeadLetterQueue: true, what: "locked_message_count", counted: "2", found: "1" }];
        return route.fulfill({ json: { checkedMessageCount: "13", differences, repaired: repair, fence: "" } });
      });
      await press(page, "Check…");
      await page.getByRole("row", { name: /locked message count, of the dead letters 2 1/ }).waitFor();
      await press(page, "Repair 1 difference");
      await says(page, "13 messages looked at: 1 difference, mended");
      assert.deepEqual(asked, [false, true]);
      assert.equal((await numbersOf(daemon, "orders")).totalMessageCount, "13");
    }),

  "a bad value is refused in the broker's words, and nothing is lost of what was written": (browser) =>
    told(browser, async (page) => {
      await goTo(page, "entities");
      await press(page, "Create…");
      await fill(page, "Name", "orders");
      await inDialog(page, "Create").click();
      await dialog(page).getByText("MessagingEntityAlreadyExists").waitFor();
      await fill(page, "Name", "other");
      await fill(page, "Lock duration", "soon");
      await inDialog(page, "Create").click();
      await says(page, '"soon" is no duration');
      assert.equal(await page.getByLabel("Name", { exact: true }).inputValue(), "other");
    }),

  "topics: a subscription is created, its rules changed and tried": (browser) =>
    told(browser, async (page, daemon) => {
      await goTo(page, "entity", "sales", "subscriptions");
      await press(page, "Create…");
      await fill(page, "Name", "blue");
      await inDialog(page, "Create").click();
      await heading(page, "sales/Subscriptions/blue").waitFor();
      await goTo(page, "entities");
      await press(page, "Create…");
      await dialog(page).getByLabel("Kind", { exact: true }).selectOption("subscription");
      await fill(page, "Topic", "sales");
      await fill(page, "Name", "large");
      await dialog(page).getByLabel("Filter", { exact: true }).selectOption("sql");
      await fill(page, "SQL filter", "quantity > ");
      await inDialog(page, "Create").click();
      await dialog(page).getByText("FilterException, tracking id").waitFor();
      await fill(page, "SQL filter", "quantity > 2");
      await fill(page, "Action", "SET large = TRUE");
      await inDialog(page, "Create").click();
      await heading(page, "sales/Subscriptions/large").waitFor();
      const first = await daemon.call("Topics/ListRules", { entityPath: "sales/Subscriptions/large" });
      assert.deepEqual(
        first.rules.map(({ name, sqlFilter, action }) => [name, sqlFilter.text, action.text]),
        [["$Default", "quantity > 2", "SET large = TRUE"]],
      );

      await goTo(page, "entity", "sales/Subscriptions/blue", "rules");
      await press(page, "Remove rule $Default");
      await inDialog(page, "Remove 1 rule").click();
      await says(page, "this subscription gets nothing");
      await press(page, "Add a rule…");
      await fill(page, "Name", "colour");
      await fill(page, "SQL filter", "color = ");
      await inDialog(page, "Add").click();
      await dialog(page).getByText("FilterException").waitFor();
      await fill(page, "SQL filter", "color = 'blue' AND quantity > 2");
      await inDialog(page, "Add").click();
      await isClosed(page);
      await press(page, "Add a rule…");
      await fill(page, "Name", "subject");
      await page.getByLabel("Filter", { exact: true }).selectOption("correlation");
      await dialog(page).getByLabel("Subject", { exact: true }).fill("urgent");
      await inDialog(page, "Add").click();
      await isClosed(page);
      const { rules } = await daemon.call("Topics/ListRules", { entityPath: "sales/Subscriptions/blue" });
      assert.deepEqual(
        rules.map((rule) => rule.name),
        ["colour", "subject"],
      );

      await fill(page, "Properties of the application", "color = blue\nquantity = 3");
      await press(page, "Try it");
      const verdicts = page.getByRole("table", { name: "What the rules say" });
      await verdicts.getByRole("row", { name: /colour match/ }).waitFor();
      await verdicts.getByRole("row", { name: /subject no match/ }).waitFor();

      await fill(page, "To", "workshop");
      await press(page, "Add a rule…");
      await fill(page, "SQL filter", "sys.To = 'workshop' AND sys.Priority = 7");
      await dialog(page).getByLabel("Action", { exact: true }).fill("SET sys.Label = 'seen'");
      await dialog(page).getByText("Would a message match?").click();
      const tried = dialog(page).getByRole("row", { name: /^this one/ });
      await press(page, "Try the rule");
      await tried.getByText("no match").waitFor();
      // It is tried by Enter, too, and not added.
      await dialog(page).getByLabel("Name", { exact: true }).fill("tried");
      await dialog(page).getByLabel("Priority", { exact: true }).fill("7");
      await tried.waitFor({ state: "detached" });
      await dialog(page).getByLabel("Priority", { exact: true }).press("Enter");
      await dialog(page).getByRole("row", { name: "Subject string seen" }).waitFor();
      await press(page, "Close");
      assert.equal((await daemon.call("Topics/ListRules", { entityPath: "sales/Subscriptions/blue" })).rules.length, 2);

      await goTo(page, "entity", "sales");
      await heading(page, "Now").waitFor();
      await page.getByRole("img", { name: "Depth, last: scheduled 0" }).waitFor();
      const sold = Array.from({ length: 100 }, () => ({}));
      await daemon.call("Messaging/Send", { entityPath: "sales", messages: sold });
      await says(page, /came in a second: [1-9]/);
      await press(page, "Delete…");
      await says(page, "with its 4 subscriptions");
      await inDialog(page, "Delete the topic").click();
      await heading(page, "Entities").waitFor();
    }),

  "a rule is changed in place, and what another has made of it is not written over": (browser) =>
    told(browser, async (page, daemon) => {
      const entityPath = "sales/Subscriptions/red";
      const ruleNow = () => daemon.call("Topics/GetRule", { entityPath, name: "colour" });
      const applicationProperties = {
        code: { stringValue: "007" },
        size: { int32Value: 3 },
        when: { timestampValue: "2026-01-31T12:00:00Z" },
      };
      await daemon.call("Topics/AddRule", {
        entityPath,
        rule: { name: "exact", correlationFilter: { to: "shop", applicationProperties } },
      });
      const before = await ruleNow();
      await goTo(page, "entity", entityPath, "rules");
      await press(page, "Change rule exact");
      assert.equal(await dialog(page).getByLabel("To", { exact: true }).inputValue(), "shop");
      const lines = dialog(page).getByLabel("Properties", { exact: true });
      assert.match(await lines.inputValue(), /code \(string\) = 007/);
      await dialog(page).getByLabel("Subject", { exact: true }).fill("urgent");
      await lines.fill(`${await lines.inputValue()}\nnew = 5`);
      await inDialog(page, "Change").click();
      await isClosed(page);
      const { correlationFilter } = await daemon.call("Topics/GetRule", { entityPath, name: "exact" });
      assert.deepEqual(correlationFilter, {
        to: "shop",
        subject: "urgent",
        applicationProperties: { ...applicationProperties, new: { int64Value: "5" } },
      });

      await press(page, "Change rule colour");
      await fill(page, "SQL filter", "color = @color");
      await fill(page, "Parameters of the filter", "color = blue");
      await fill(page, "Action", "");
      await inDialog(page, "Change").click();
      await isClosed(page);
      const changed = await ruleNow();
      assert.deepEqual(
        [changed.sqlFilter, changed.action, changed.createdAt, changed.etag === before.etag],
        [
          { text: "color = @color", parameters: { color: { stringValue: "blue" } } },
          undefined,
          before.createdAt,
          false,
        ],
      );

      await press(page, "Change rule colour");
      await daemon.call("Topics/UpdateRule", { entityPath, rule: { name: "colour", sqlFilter: { text: "size > 1" } } });
      await fill(page, "SQL filter", "size > 2");
      await inDialog(page, "Change").click();
      await says(page, "Somebody else has changed it meanwhile");
      await dialog(page).getByText("size > 1").waitFor();
      assert.equal((await ruleNow()).sqlFilter.text, "size > 1");
      await press(page, "Begin with that");
      assert.equal(await page.getByLabel("SQL filter", { exact: true }).inputValue(), "size > 1");
      await daemon.call("Topics/UpdateRule", { entityPath, rule: { name: "colour", sqlFilter: { text: "size > 4" } } });
      await fill(page, "SQL filter", "size > 5");
      await inDialog(page, "Change").click();
      await inDialog(page, "Change it all the same").click();
      await isClosed(page);
      assert.equal((await ruleNow()).sqlFilter.text, "size > 5");

      await press(page, "Remove rule colour");
      await daemon.call("Topics/UpdateRule", { entityPath, rule: { name: "colour", sqlFilter: { text: "size > 6" } } });
      await inDialog(page, "Remove 1 rule").click();
      await dialog(page).getByText("InvalidOperation").waitFor();
      assert.equal((await ruleNow()).sqlFilter.text, "size > 6");
    }),

  "messages: found by state and filter, opened, settled by number, taken home": (browser) =>
    told(browser, async (page, daemon) => {
      await goTo(page, "entity", "orders", "messages");
      await page.getByLabel("State", { exact: true }).selectOption("PEEK_FILTER_DEFERRED");
      await press(page, "Browse");
      await says(page, "1 message here");
      await page.getByLabel("State", { exact: true }).selectOption("PEEK_FILTER_ALL");
      await fill(page, "SQL filter", "color = 'red'");
      await press(page, "Browse");
      await press(page, "Open message 9");
      await says(page, "9007199254740993");
      await says(page, "article:");
      await press(page, "Text");
      await says(page, '"paid":true');
      await press(page, "Hex");
      await says(page, "00000000  7b 22");
      await press(page, "Close");

      const download = page.waitForEvent("download");
      await press(page, "Download as JSON Lines");
      const lines = readFileSync(await (await download).path(), "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
      assert.deepEqual(
        lines.map((line) => line.sequenceNumber),
        ["9"],
      );

      await press(page, "Open message 9");
      await press(page, "Complete…");
      await inDialog(page, "Complete 1 message").click();
      await says(page, "There are no such messages");
      await fill(page, "SQL filter", "");
      await press(page, "Browse");
      await press(page, "Open message 10");
      await press(page, "Dead-letter…");
      await inDialog(page, "Dead-letter 1 message").click();
      await isClosed(page);
      assert.equal((await numbersOf(daemon, "orders")).deadLetterMessageCount, "7");

      await press(page, "Open message 7");
      await press(page, "Lock it and settle by hand");
      await says(page, "Held by this page: 1");
      await press(page, "Complete");
      await says(page, "Held by this page: 0");
      assert.equal((await numbersOf(daemon, "orders")).deferredMessageCount, "0");

      await goTo(page, "entity", "orders", "messages");
      await fill(page, "SQL filter", "sys.MessageId = 'm-9'");
      await press(page, "Delete what waits…");
      assert.equal(await inDialog(page, "Delete 1 message").getAttribute("class"), "danger");
      await inDialog(page, "Delete 1 message").click();
      await says(page, "1 message deleted");
      await inDialog(page, "Done").click();
      assert.equal((await numbersOf(daemon, "orders")).activeMessageCount, "1");
    }),

  "one message is made available, enqueued at once, cancelled, redriven and forgotten": (browser) =>
    told(browser, async (page, daemon) => {
      await goTo(page, "entity", "orders", "messages");
      await press(page, "Browse");
      await press(page, "Open message 7");
      await press(page, "Make it available");
      await isClosed(page);
      await press(page, "Open message 12");
      await press(page, "Enqueue it now");
      await isClosed(page);
      await press(page, "Open message 13");
      await press(page, "Cancel it…");
      await inDialog(page, "Cancel 1 scheduled message").click();
      await isClosed(page);
      const numbers = await numbersOf(daemon, "orders");
      assert.deepEqual(
        [numbers.deferredMessageCount, numbers.scheduledMessageCount, numbers.activeMessageCount],
        ["0", "0", "6"],
      );

      await goTo(page, "entity", "orders", "dead-letters");
      await press(page, "Browse");
      await press(page, "Open message 4");
      await press(page, "Redrive…");
      await inDialog(page, "Redrive 1 message").click();
      await says(page, "1 message redriven");
      await inDialog(page, "Done").click();
      await isClosed(page);
      assert.equal((await numbersOf(daemon, "orders")).deadLetterMessageCount, "5");

      await goTo(page, "entity", "orders", "receive");
      await page.getByLabel("From", { exact: true }).selectOption({ label: "its dead-letter queue" });
      await press(page, "Receive");
      await says(page, "Held by this page: 1");
      assert.equal(await button(page, "Dead-letter…").count(), 0);
      await press(page, "Forget it here");
      await says(page, "Held by this page: 0");
      await goTo(page, "entity", "orders", "locks");
      await page.getByLabel("Of", { exact: true }).selectOption({ label: "its dead-letter queue" });
      await page.getByRole("table", { name: "Locks" }).getByRole("row").nth(1).waitFor();
    }),

  "a message is sent as it was written, and a copy as it was": (browser) =>
    told(browser, async (page, daemon) => {
      await goTo(page, "entity", "orders", "send");
      await page.getByLabel("Body as").selectOption("hex");
      await fill(page, "Body", "00 ff");
      await fill(page, "Message id", "mine");
      await fill(page, "Time to live", "1h");
      await fill(page, "Priority", "7");
      const kinds = [
        ["text", "string", "<b>"],
        ["large", "uint64", "18446744073709551615"],
        ["part", "double", "0.5"],
        ["flag", "bool", "true"],
        ["id", "uuid", "00112233-4455-6677-8899-aabbccddeeff"],
        ["pause", "timespan", "1m 30s"],
        ["sign", "char", "ß"],
        ["price", "decimal", "12.50"],
        ["nothing", "null", ""],
      ];
      for (const [at, [name, kind, text]] of kinds.entries()) {
        await press(page, "Add a property");
        const row = page.getByRole("group", { name: `Property ${at + 1}`, exact: true });
        await row.getByLabel("Name").fill(name);
        await row.getByLabel("Type").selectOption(kind);
        await row.getByLabel("Value").fill(text);
      }
      await press(page, "Send");
      await says(page, "Number 14");
      const look = async (number) =>
        (await daemon.call("Messaging/Peek", { entityPath: "orders", fromSequenceNumber: number })).messages[0].message;
      const { body, messageId, timeToLive, priority, applicationProperties } = await look(14);
      assert.deepEqual([body, messageId, timeToLive, priority], ["AP8=", "mine", "3600s", 7]);
      assert.deepEqual(applicationProperties, {
        text: { stringValue: "<b>" },
        large: { uint64Value: "18446744073709551615" },
        part: { doubleValue: 0.5 },
        flag: { boolValue: true },
        id: { uuidValue: "ABEiM0RVZneImaq7zN3u/w==" },
        pause: { timespanValue: "90s" },
        sign: { charValue: 223 },
        price: { decimalValue: "12.50" },
        nothing: {},
      });

      await goTo(page, "entity", "orders", "messages");
      await fill(page, "From number", "14");
      await press(page, "Browse");
      await press(page, "Open message 14");
      await press(page, "Send a copy…");
      await page.getByLabel("How many").fill("2");
      await page.getByLabel("All of them or none").check();
      const sent = page.waitForRequest("**/api/v1/Messaging/Send");
      await press(page, "Send");
      assert.equal((await sent).postDataJSON().atomic, true);
      await says(page, "Number 16");
      const copy = await look(15);
      assert.deepEqual([copy.body, copy.priority, copy.applicationProperties], [body, priority, applicationProperties]);
      assert.equal(copy.messageId, undefined);
    }),

  "received messages are abandoned, deferred, dead-lettered, given back and deleted at once": (browser) =>
    told(browser, async (page, daemon) => {
      await goTo(page, "entity", "orders", "receive");
      await fill(page, "How many at most", "3");
      await press(page, "Receive");
      await says(page, "Held by this page: 3");
      const held = (number) => page.getByRole("group", { name: `Settle message ${number}`, exact: true });
      await held(9).getByRole("button", { name: "Renew the lock" }).click();
      await held(9).getByRole("button", { name: "Abandon" }).click();
      await says(page, "Held by this page: 2");
      await held(10).getByRole("button", { name: "Defer" }).click();
      await says(page, "Held by this page: 1");
      await held(11).getByRole("button", { name: "Dead-letter…" }).click();
      await fill(page, "Reason", "ByHand");
      await inDialog(page, "Dead-letter 1 message").click();
      await says(page, "Held by this page: 0");
      const numbers = await numbersOf(daemon, "orders");
      assert.deepEqual([numbers.deferredMessageCount, numbers.deadLetterMessageCount], ["2", "7"]);

      await press(page, "Receive");
      await held(9).getByRole("button", { name: "Give back" }).click();
      await says(page, "Held by this page: 0");
      await page.getByLabel("Delete them at once").check();
      await press(page, "Receive and delete…");
      await inDialog(page, "Receive and delete up to 3 messages").click();
      await press(page, "Message 9");
      await says(page, "m-7");
      await press(page, "Close");
      assert.equal((await numbersOf(daemon, "orders")).lockedMessageCount, "1");
    }),

  "a message rests for a while after it was abandoned, and is changed by who puts it back": (browser) =>
    told(browser, async (page, daemon) => {
      await goTo(page, "entity", "orders", "receive");
      await fill(page, "How many at most", "3");
      await press(page, "Receive");
      await says(page, "Held by this page: 3");
      const settle = (number) =>
        page
          .getByRole("group", { name: `Settle message ${number}`, exact: true })
          .getByRole("button", { name: "Later, or changed…" })
          .click();
      await settle(9);
      await fill(page, "It rests for", "1h");
      await fill(page, "Or until", local(7_200_000));
      await inDialog(page, "Abandon 1 message").click();
      await says(page, "say how long it rests, or until when, not both");
      await fill(page, "Or until", "");
      await fill(page, "Properties to set", "tried = 1\ncolor = green");
      await inDialog(page, "Abandon 1 message").click();
      await says(page, "Held by this page: 2");
      await settle(10);
      await page.getByLabel("How", { exact: true }).selectOption("defer");
      await fill(page, "Properties to set", "why = later");
      await inDialog(page, "Defer 1 message").click();
      await says(page, "Held by this page: 1");
      await settle(11);
      await page.getByLabel("How", { exact: true }).selectOption("deadLetter");
      await fill(page, "Reason", "Torn");
      await fill(page, "Properties to set", "page (int32) = 7");
      await inDialog(page, "Dead-letter 1 message").click();
      await says(page, "Held by this page: 0");
      const look = async (entityPath, fromSequenceNumber) =>
        (await daemon.call("Messaging/Peek", { entityPath, fromSequenceNumber })).messages[0];
      const [abandoned, deferred, dead] = [
        await look("orders", 9),
        await look("orders", 10),
        await look("orders/$DeadLetterQueue", 11),
      ];
      const rests = new Date(abandoned.availableAt) - Date.now();
      assert.ok(rests > 3_400_000 && rests <= 3_600_000, `${rests}`);
      const { tried, color, urgent } = abandoned.message.applicationProperties;
      assert.deepEqual([tried, color, urgent], [{ int64Value: "1" }, { stringValue: "green" }, { boolValue: true }]);
      assert.equal(deferred.state, "MESSAGE_STATE_DEFERRED");
      assert.deepEqual(deferred.message.applicationProperties.why, { stringValue: "later" });
      const { page: number, DeadLetterReason } = dead.message.applicationProperties;
      assert.deepEqual([number, DeadLetterReason], [{ int32Value: 7 }, { stringValue: "Torn" }]);
    }),

  "the holder of a session is named, also after others took it, and when it comes back after a restart": (browser) =>
    told(browser, async (page, daemon) => {
      const accept = (sessionId) => daemon.call("Sessions/AcceptSession", { entityPath: "letters", sessionId });
      const { sessionLockToken } = await accept("anna");
      await goTo(page, "entity", "letters", "sessions");
      const row = (name) => page.getByRole("table", { name: "Sessions", exact: true }).getByRole("row", { name });
      await row(/^anna 2 .* 127\.0\.0\.1:\d+ /).waitFor();
      await row(/^bert 1 .* 127\.0\.0\.1:\d+ /).waitFor();
      await row(/^carla 1 .* nobody/).waitFor();

      await press(page, "Take away session bert");
      await inDialog(page, "Take 1 session away").click();
      await row(/^bert 1 .* nobody/).waitFor();
      await accept("bert");
      await row(/^bert 1 .* 127\.0\.0\.1:\d+ /).waitFor();

      await daemon.kill();
      await daemon.start();
      await row(/^anna 2 .* somebody who has not come since the last start/).waitFor();
      await daemon.call("Sessions/RenewSessionLock", { entityPath: "letters", sessionLockToken });
      await row(/^anna 2 .* 127\.0\.0\.1:\d+ /).waitFor();
      await row(/^bert 1 .* somebody who has not come since the last start/).waitFor();
    }),

  "a session is accepted, received from, released, and taken from its holder": (browser) =>
    told(browser, async (page, daemon) => {
      await goTo(page, "entity", "letters", "receive");
      await fill(page, "Session", "anna");
      const receive = page.getByRole("button", { name: "Receive", description: "Accept a session first." });
      assert.ok(await receive.isDisabled());
      await press(page, "Accept the session");
      await receive.waitFor({ state: "detached" });
      await fill(page, "How many at most", "5");
      await press(page, "Receive");
      await says(page, "Held by this page: 2");
      await press(page, "Renew its lock");
      await press(page, "Its state…");
      await says(page, "It has none yet");
      await fill(page, "State", "half done ☃");
      await press(page, "Set the state");
      await isClosed(page);
      await press(page, "Its state…");
      await says(page, "It has 13 B now");
      assert.equal(await page.getByLabel("State", { exact: true }).inputValue(), "half done ☃");
      await press(page, "Clear it…");
      await press(page, "Clear 1 state");
      await isClosed(page);
      await press(page, "Its state…");
      await says(page, "It has none yet");
      await page.getByLabel("State as").selectOption("hex");
      await fill(page, "State", "00 ff");
      await press(page, "Set the state");
      await isClosed(page);
      await page
        .getByRole("group", { name: "Settle message 1", exact: true })
        .getByRole("button", { name: "Complete" })
        .click();
      await says(page, "Held by this page: 1");
      await press(page, "Release it");
      await button(page, "Accept the session").waitFor();
      assert.equal((await numbersOf(daemon, "letters")).activeMessageCount, "3");

      await daemon.call("Sessions/AcceptSession", { entityPath: "letters", sessionId: "anna" });
      const { sessions: kept } = await daemon.call("Sessions/ListSessions", { entityPath: "letters" });
      assert.equal(kept.find((session) => session.sessionId === "anna").stateSize, "2");
      await goTo(page, "entity", "letters", "sessions");
      const sessions = page.getByRole("table", { name: "Sessions", exact: true });
      await sessions.getByRole("row", { name: /^anna 1 .* 127\.0\.0\.1:\d+ .* since .* 2 B of 20\d\d-/ }).waitFor();
      await sessions.getByRole("row", { name: /^carla 1 .* nobody/ }).waitFor();
      await press(page, "Count all sessions");
      await page.getByRole("table", { name: "The deepest sessions" }).waitFor();
      await press(page, "Take away session bert");
      await inDialog(page, "Take 1 session away").click();
      await isClosed(page);
      await button(page, "Take away session bert").waitFor({ state: "detached" });

      await goTo(page, "entity", "letters", "messages");
      await fill(page, "Session", "carla");
      await fill(page, "From number", "2");
      await press(page, "Delete what waits…");
      await says(page, "satisfies (sys.SessionId = 'carla') AND (sys.SequenceNumber >= 2)");
      assert.equal(await inDialog(page, "Delete 1 message").getAttribute("class"), "danger");
      await inDialog(page, "Delete 1 message").click();
      await says(page, "1 message deleted");
    }),

  "what is scheduled is moved, enqueued and cancelled": (browser) =>
    told(browser, async (page, daemon) => {
      await goTo(page, "entity", "orders", "send");
      await fill(page, "Body", "in two hours");
      await fill(page, "Schedule for", local(7_200_000));
      await press(page, "Schedule");
      await says(page, "Number 14");
      const asked = page.waitForResponse("**/Messaging/ListScheduledMessages");
      await goTo(page, "entity", "orders", "scheduled");
      const list = (await (await asked).json()).messages;
      assert.deepEqual([...new Set(list.map(({ message }) => message.body ?? ""))], [""], "a list brings no bodies");
      await press(page, "Open message 14");
      await dialog(page).getByText("in two hours").waitFor();
      await page.keyboard.press("Escape");
      await press(page, "Another time for 14");
      const later = local(86_400_000);
      await fill(page, "Enqueue at", later);
      await says(page, `That is ${new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)}`);
      await press(page, "Move it");
      await isClosed(page);
      const listed = await daemon.call("Messaging/ListScheduledMessages", { entityPath: "orders" });
      const moved = listed.messages.find((message) => message.sequenceNumber === "14").message.scheduledEnqueueTime;
      assert.equal(
        new Date(moved).toLocaleString("sv", { timeZone: "Europe/Berlin" }).replace(" ", "T").slice(0, 16),
        later,
      );
      await press(page, "Enqueue 12 now");
      await button(page, "Enqueue 12 now").waitFor({ state: "detached" });
      await press(page, "Cancel 13");
      await inDialog(page, "Cancel 1 scheduled message").click();
      await button(page, "Cancel 13").waitFor({ state: "detached" });
      assert.equal((await numbersOf(daemon, "orders")).scheduledMessageCount, "1");
    }),

  "the schedule is drawn on a line of time, and a bar shows what is due then": (browser) =>
    told(browser, async (page, daemon) => {
      // Two are due in an hour; these are spread over the two days behind.
      const begin = Date.now();
      const messages = Array.from({ length: 300 }, (_, at) => ({
        scheduledEnqueueTime: new Date(begin + 7_200_000 + (at * 172_800_000) / 300).toISOString(),
      }));
      await daemon.call("Messaging/Send", { entityPath: "orders", messages: messages.slice(0, 150) });
      await daemon.call("Messaging/Send", { entityPath: "orders", messages: messages.slice(150) });
      await goTo(page, "entity", "orders", "scheduled");
      const line = page.getByRole("figure", { name: "When they come" });
      const bars = line.getByRole("button");
      await bars.first().waitFor();
      const labels = await bars.evaluateAll((all) => all.map((one) => one.getAttribute("aria-label")));
      const sizes = labels.map((label) => Number(/^(\d+) message/.exec(label)[1]));
      assert.equal(
        sizes.reduce((sum, size) => sum + size),
        302,
      );
      assert.ok(labels.length > 10, labels.join("\n"));

      // By the keyboard, too.
      await bars.nth(1).focus();
      await page.keyboard.press("Enter");
      await says(page, "Due from");
      const rows = page.getByRole("table", { name: "Scheduled messages" }).getByRole("row");
      await page.getByText(new RegExp(`1 to ${sizes[1]} of ${sizes[1]} messages`)).waitFor();
      assert.equal(await rows.count(), sizes[1] + 1);
      const last = bars.last();
      await last.press("Enter");
      await page.getByRole("button", { name: "Cancel 3" }).first().waitFor();
      await press(page, "Show all");
      assert.equal(await rows.count(), 51);
    }),

  "dead letters are redriven by reason, moved to another queue, and deleted, with their numbers first": (browser) =>
    told(browser, async (page, daemon) => {
      await daemon.call("Management/CreateQueue", { queue: { name: "workshop" } });
      await goTo(page, "entity", "orders", "dead-letters");
      await press(page, "Redrive BadAddress");
      await says(page, "looked at 6 messages: redrive takes 3 messages");
      // Nothing is destroyed by it.
      assert.equal(await inDialog(page, "Redrive 3 messages").getAttribute("class"), "main");
      await inDialog(page, "Redrive 3 messages").click();
      await says(page, "3 messages redriven, 0 left");
      await inDialog(page, "Done").click();
      assert.equal((await numbersOf(daemon, "orders")).deadLetterMessageCount, "3");

      await press(page, "Redrive TooLate");
      await fill(page, "To another entity", "workshop");
      await press(page, "Count");
      await inDialog(page, "Redrive 2 messages").click();
      await says(page, "2 messages redriven");
      await inDialog(page, "Done").click();
      assert.equal((await numbersOf(daemon, "workshop")).activeMessageCount, "2");

      await press(page, "Delete without a reason");
      assert.equal(await inDialog(page, "Delete 1 message").getAttribute("class"), "danger");
      await inDialog(page, "Delete 1 message").click();
      await says(page, "1 message deleted");
      await inDialog(page, "Done").click();
      await says(page, "There are no dead letters");
      await goTo(page, "jobs");
      await page
        .getByRole("row", { name: /delete messages/ })
        .first()
        .waitFor();
    }),

  "dead letters are redriven by filter, by numbers and by time, and as slowly as that is wanted": (browser) =>
    told(browser, async (page, daemon) => {
      const asked = page.waitForResponse((answer) => answer.request().postDataJSON()?.withoutBodies === true);
      await goTo(page, "entity", "orders", "dead-letters");
      const list = (await (await asked).json()).messages;
      assert.deepEqual([...new Set(list.map(({ message }) => message.body ?? ""))], [""], "groups need no bodies");
      await fill(page, "SQL filter", "DeadLetterReason LIKE 'Bad%'");
      await press(page, "Redrive what waits…");
      await says(page, "redrive takes 3 messages, namely what waits in orders/$DeadLetterQueue and satisfies Dead");
      await page.getByText("Not all of them").click();
      await fill(page, "Numbers", "2-1");
      await press(page, "Count");
      await says(page, '"2-1" is no number and no range');
      await fill(page, "Numbers", "1, 3-5000");
      await press(page, "Count");
      await says(page, "at most 4,500 numbers");
      await fill(page, "Numbers", "1, 3-9");
      await fill(page, "Enqueued before", local(-86_400_000));
      await press(page, "Count");
      await says(page, "redrive takes 0 messages");
      await fill(page, "Enqueued before", "");
      await fill(page, "Enqueued from", local(-86_400_000));
      await press(page, "Count");
      await says(page, /redrive takes 2 messages.*of the numbers 1, 3-9, enqueued from/);
      await fill(page, "Messages a second", "1000");
      await inDialog(page, "Redrive 2 messages").click();
      await says(page, "2 messages redriven");
      await inDialog(page, "Done").click();
      await says(page, "1 message here");
      await button(page, "Open message 2").waitFor();
      const { jobs } = await daemon.call("Management/ListJobs", {});
      const { selection, maxRate } = jobs.at(-1);
      assert.deepEqual([selection.sequenceNumbers.length, maxRate], [8, 1000]);
      assert.ok(selection.enqueuedFrom && !selection.enqueuedBefore);
    }),

  "a job that is slow shows its progress, survives the broker, and is cancelled": (browser) =>
    told(browser, async (page, daemon) => {
      const messages = Array.from({ length: 200 }, () => ({ body: "" }));
      await daemon.call("Messaging/Send", { entityPath: "orders", messages });
      const { id } = await daemon.call("Management/StartDeleteMessages", { entityPath: "orders", maxRate: 1 });
      await goTo(page, "jobs");
      await button(page, `Cancel job ${id}`).waitFor();
      await daemon.kill();
      await says(page, "The broker is gone");
      await daemon.start();
      await press(page, `Cancel job ${id}`);
      await says(page, "What it has done stays done");
      await inDialog(page, "Cancel 1 job").click();
      await page.getByRole("row", { name: /cancelled/ }).waitFor();
    }),
};
