// Exact: what a person chose or wrote is what is done, or it is refused; and what others wrote is told from what looks
// like it.

import assert from "node:assert/strict";

import { goTo, signIn } from "./browser.mjs";
import { button, fill, press, says, withPage } from "./with_page.mjs";

const made = (browser, story) =>
  withPage(browser, [], async (page, daemon) => {
    await daemon.call("Management/CreateQueue", { queue: { name: "orders" } });
    await signIn(page, daemon);
    await story(page, daemon);
  });

const send = (daemon, ...messages) => daemon.call("Messaging/Send", { entityPath: "orders", messages });
const look = async (daemon, fromSequenceNumber) =>
  (await daemon.call("Messaging/Peek", { entityPath: "orders", fromSequenceNumber, maxMessages: 1 })).messages[0]
    .message;
const inDialog = (page, name) => page.getByRole("dialog").last().getByRole("button", { name, exact: true });

export default {
  "what is deleted is what was chosen": (browser) =>
    made(browser, async (page, daemon) => {
      await send(daemon, { body: "YQ==" }, { body: "Yg==" }, { body: "Yw==" });
      await goTo(page, "entity", "orders", "messages");
      await fill(page, "From number", "12x");
      await press(page, "Delete what waits…");
      await says(page, '"12x" is no number of a message');
      assert.equal(await page.getByRole("dialog").count(), 0);
      for (const same of ["0003", "+3"]) {
        await fill(page, "From number", same);
        await press(page, "Delete what waits…");
        await says(page, "satisfies sys.SequenceNumber >= 3");
        await inDialog(page, "Delete 1 message").waitFor();
        await inDialog(page, "Keep everything").click();
      }

      await fill(page, "From number", "3");
      await page.getByLabel("State").selectOption("PEEK_FILTER_DEFERRED");
      await says(page, "What waits can be taken together where the state is all or active");
      assert.ok(await button(page, "Delete what waits…").isDisabled());
      await page.getByLabel("State").selectOption("PEEK_FILTER_ACTIVE");
      await press(page, "Delete what waits…");
      await says(page, "satisfies sys.SequenceNumber >= 3");
      await inDialog(page, "Delete 1 message").click();
      await says(page, "1 message deleted");
    }),

  "what is deleted is what was chosen, though the first look at all of it is answered last": (browser) =>
    made(browser, async (page, daemon) => {
      await send(daemon, { messageId: "a" }, { messageId: "b" }, { messageId: "c" });
      let looks = 0;
      let answer;
      const answered = new Promise((resolve) => (answer = resolve));
      await page.route("**/api/v1/Messaging/Peek", async (route) => {
        looks += 1;
        if (looks === 1) await answered;
        return route.continue();
      });
      await goTo(page, "entity", "orders", "messages");
      await fill(page, "SQL filter", "sys.MessageId = 'b'");
      await press(page, "Delete what waits…");
      await inDialog(page, "Delete 1 message").waitFor();
      const late = page.waitForResponse("**/Messaging/Peek");
      answer();
      await (await late).finished();
      await says(page, "satisfies sys.MessageId = 'b'");
      await inDialog(page, "Delete 1 message").click();
      await says(page, "1 message deleted");
      const { messages } = await daemon.call("Messaging/Peek", { entityPath: "orders", maxMessages: 3 });
      assert.deepEqual(
        messages.map(({ message }) => message.messageId),
        ["a", "c"],
      );
    }),

  "what is written by half is no bound, and nothing is done with it": (browser) =>
    made(browser, async (page, daemon) => {
      await send(daemon, {}, {});
      const asked = [];
      page.on("request", (request) => {
        if (request.url().endsWith("/StartDeleteMessages")) asked.push(request.postDataJSON());
      });
      await goTo(page, "entity", "orders", "messages");
      await press(page, "Delete what waits…");
      await inDialog(page, "Delete 2 messages").waitFor();
      await page.getByText("Not all of them").click();
      await fill(page, "Numbers", ",");
      await press(page, "Count");
      await says(page, '"," names no number');
      await fill(page, "Numbers", "1-2");
      await press(page, "Count");
      await inDialog(page, "Delete 2 messages").waitFor();
      assert.equal(asked.length, 2);

      // A day without an hour.
      const before = page.getByLabel("Enqueued before", { exact: true });
      await before.pressSequentially("01312020");
      assert.equal(await before.inputValue(), "");
      await inDialog(page, "Delete 2 messages").click();
      await page.locator("input:invalid:focus").waitFor();
      await fill(page, "Numbers", "1");
      await press(page, "Count");
      await page.locator("input:invalid:focus").waitFor();
      assert.equal(asked.length, 2);

      await fill(page, "Enqueued before", "2020-01-31T12:00");
      await press(page, "Count");
      await says(page, "delete takes 0 messages");
      await fill(page, "Enqueued before", "");
      await press(page, "Count");
      await inDialog(page, "Delete 1 message").click();
      await says(page, "1 message deleted");
      // What comes after the count is not taken.
      assert.ok(asked.slice(0, -1).every(({ dryRun }) => dryRun));
      assert.ok(asked.at(-1).selection.enqueuedBefore);
    }),

  "an entity that is another one by now is not deleted": (browser) =>
    made(browser, async (page, daemon) => {
      await goTo(page, "entity", "orders");
      await press(page, "Delete…");
      await says(page, "This deletes the queue with 0 messages");
      await daemon.call("Management/DeleteQueue", { entityPath: "orders" });
      await daemon.call("Management/CreateQueue", { queue: { name: "orders", maxDeliveryCount: 3 } });
      await inDialog(page, "Delete the queue").click();
      await says(page, "InvalidOperation");
      await inDialog(page, "Keep everything").click();
      await page.getByRole("row", { name: /Max delivery count 3/ }).waitFor();
      await press(page, "Delete…");
      await inDialog(page, "Delete the queue").click();
      await says(page, "The queue orders is deleted");
      await goTo(page, "access");
      await says(page, "from then on nobody gets in without a key");
    }),

  "a number that is none is refused, where it was written": (browser) =>
    made(browser, async (page, daemon) => {
      await goTo(page, "entities");
      await press(page, "Create…");
      await fill(page, "Name", "parcels");
      await fill(page, "Max delivery count", "1O0");
      await inDialog(page, "Create").click();
      await says(page, '"1O0" is no number');
      await assert.rejects(daemon.call("Management/GetQueue", { entityPath: "parcels" }), /parcels/);
    }),

  "what has no effect is kept as it was chosen": (browser) =>
    made(browser, async (page, daemon) => {
      const isOrdered = async () =>
        (await daemon.call("Management/GetQueue", { entityPath: "parcels" })).supportOrdering;
      const ordering = () => page.getByLabel("Support ordering", { exact: true });
      await goTo(page, "entities");
      await press(page, "Create…");
      await fill(page, "Name", "parcels");
      assert.equal(await ordering().inputValue(), "");
      await ordering().selectOption("no");
      await inDialog(page, "Create").click();
      await page.getByRole("heading", { name: "parcels" }).waitFor();
      assert.equal(await isOrdered(), false);
      for (const [chosen, before, after] of [
        ["yes", "false", true],
        ["no", "true", false],
        ["default", "false", true],
      ]) {
        await press(page, "Change…");
        assert.equal(await ordering().inputValue(), before);
        await ordering().selectOption(chosen);
        await inDialog(page, "Change").click();
        await page.locator("body:not(:has(dialog))").waitFor();
        assert.equal(await isOrdered(), after);
        // What is changed next is what the page has read since.
        await page.getByRole("row", { name: `Support ordering ${after ? "yes" : "no"}` }).waitFor();
      }
    }),

  "a copy of a message has all that it had, and says so": (browser) =>
    made(browser, async (page, daemon) => {
      const applicationProperties = {
        whole: { doubleValue: "Infinity" },
        none: { doubleValue: "NaN" },
        fine: { timestampValue: "2026-01-31T12:00:00.123456Z" },
        back: { timespanValue: "-5s" },
        list: { encodedValue: "RQ==" },
      };
      const message = {
        body: "QKEBeA==",
        bodyKind: "BODY_KIND_VALUE",
        applicationProperties,
        contentEncoding: "gzip",
        groupSequence: 7,
        userId: "AP8=",
        creationTime: "2026-01-31T12:00:00.123456Z",
        durable: false,
        firstAcquirer: true,
        viaPartitionKey: "v",
        annotations: { "x-opt-a": { stringValue: "b" }, "x-opt-b": { encodedValue: "RQ==" } },
        footer: { sum: { int32Value: 5 } },
      };
      await send(daemon, message);
      const before = await look(daemon, 1);
      const copy = async () => {
        await goTo(page, "entity", "orders", "messages");
        await press(page, "Open message 1");
        await says(page, "-5s");
        await press(page, "Send a copy…");
        await says(page, "Of the message that is copied it also has: the kind of its body");
        await says(page, "the property list");
      };
      await copy();
      await press(page, "Send");
      await says(page, "Number 2");
      assert.deepEqual(await look(daemon, 2), before);

      await copy();
      await press(page, "Leave that out");
      await fill(page, "Body", "01");
      await fill(page, "Content encoding", "");
      await fill(page, "User id", "01 02");
      await page.getByLabel("Durable", { exact: true }).selectOption("yes");
      await press(page, "Add a property");
      await page.getByLabel("Name").last().fill("fine");
      await press(page, "Send");
      await says(page, 'two properties are called "fine"');
      await page.getByLabel("Name").last().fill("");
      await page.getByLabel("Value").last().fill("lost");
      await press(page, "Send");
      await says(page, 'the property with the value "lost" has no name');
      await page.getByLabel("Value").last().fill("");
      await press(page, "Send");
      await says(page, "Number 3");
      const other = await look(daemon, 3);
      assert.equal(other.bodyKind, "BODY_KIND_DATA");
      assert.deepEqual([other.userId, other.durable, other.firstAcquirer], ["AQI=", true, true]);
      assert.deepEqual([other.annotations, other.footer], [message.annotations, message.footer]);
      assert.deepEqual([other.contentEncoding, other.applicationProperties.list], [undefined, undefined]);
      assert.deepEqual(other.applicationProperties.fine, applicationProperties.fine);
    }),

  "a property may have any name, and no name twice": (browser) =>
    made(browser, async (page, daemon) => {
      const names = ["toString", "constructor", "__proto__", "valueOf"];
      await goTo(page, "entity", "orders", "send");
      for (const [at, name] of names.entries()) {
        await press(page, "Add a property");
        await page.getByLabel("Name").nth(at).fill(name);
        await page.getByLabel("Value").nth(at).fill("7");
      }
      await press(page, "Send");
      await says(page, "Number 1");
      const before = await look(daemon, 1);
      assert.deepEqual(Object.keys(before.applicationProperties).sort(), [...names].sort());
      await goTo(page, "entity", "orders", "messages");
      await press(page, "Open message 1");
      await page.getByRole("row", { name: "__proto__ string 7" }).waitFor();
      await press(page, "Send a copy…");
      await press(page, "Send");
      await says(page, "Number 2");
      assert.deepEqual(await look(daemon, 2), before);

      await daemon.call("Topics/CreateTopic", { topic: { name: "sales" } });
      await daemon.call("Topics/CreateSubscription", { subscription: { topic: "sales", name: "all" } });
      await goTo(page, "entity", "sales/Subscriptions/all", "rules");
      const lines = "Properties of the application";
      await fill(page, lines, "__proto__ = red\n__proto__ = blue");
      await press(page, "Try it");
      await says(page, 'two properties are called "__proto__"');
      await fill(page, lines, "__proto__ = red\n = 5");
      await press(page, "Try it");
      await says(page, "has no name");
      await fill(page, lines, "__proto__ = red");
      await press(page, "Try it");
      await page.getByRole("table", { name: "What the rules say" }).waitFor();
    }),

  "a reason of any type has a name, and its group is redriven or is left to be settled one by one": (browser) =>
    made(browser, async (page, daemon) => {
      const reasons = [
        { int64Value: "5" },
        { stringValue: "5" },
        { stringValue: "" },
        { uuidValue: `${"A".repeat(22)}==` },
      ];
      const requests = reasons.map((reason) => ({ applicationProperties: { DeadLetterReason: reason } }));
      await send(daemon, ...requests);
      const { messages } = await daemon.call("Messaging/Receive", { entityPath: "orders", maxMessages: 4 });
      const lockTokens = messages.map((message) => message.lockToken);
      await daemon.call("Messaging/Settle", { entityPath: "orders", settlement: { lockTokens, deadLetter: {} } });
      await goTo(page, "entity", "orders", "dead-letters");
      await button(page, 'Redrive "" (empty)').waitFor();
      await page.getByRole("row", { name: /00000000-0000-.*one by one/ }).waitFor();
      const fives = await button(page, "Redrive 5").all();
      assert.equal(fives.length, 2);
      for (const five of fives) {
        await five.click();
        await inDialog(page, "Redrive 1 message").waitFor();
        await inDialog(page, "Keep everything").click();
      }
    }),

  "a body of JSON is shown as it was written": (browser) =>
    made(browser, async (page, daemon) => {
      const text =
        '{"order": 12345678901234567890, "price": 1.10, "far": -1E+400, "b": {"2": [true, null], "1": "\\u00e9\\"}"}, ' +
        '"__proto__": 5, "twice": 1, "twice": 2}';
      const deep = `${"[".repeat(20_000)}7${"]".repeat(20_000)}`;
      await send(daemon, ...[text, deep].map((body) => ({ body: Buffer.from(body).toString("base64") })));
      await goTo(page, "entity", "orders", "messages");
      await press(page, "Open message 1");
      const tree = page.locator(".body.tree");
      await tree.getByText("order:").waitFor();
      assert.deepEqual((await tree.innerText()).split("\n"), [
        "{7}",
        "order: 12345678901234567890",
        "price: 1.10",
        "far: -1E+400",
        "b: {2}",
        "2: [2]",
        "0: true",
        "1: null",
        '1: "é\\"}"',
        "__proto__: 5",
        "twice: 1",
        "twice: 2",
      ]);
      await press(page, "Close");
      await press(page, "Open message 2");
      await page.locator(".body.tree details details details").getByText("0: [1]").first().waitFor();
    }),

  "what was counted for one target is not told of another": (browser) =>
    made(browser, async (page, daemon) => {
      await send(daemon, {});
      await daemon.call("Messaging/SettleBySequenceNumber", {
        entityPath: "orders",
        sequenceNumber: "1",
        deadLetter: { reason: "Torn" },
      });
      let hold;
      let answer;
      const held = new Promise((resolve) => (hold = resolve));
      const answered = new Promise((resolve) => (answer = resolve));
      await page.route("**/api/v1/Management/StartRedrive", async (route) => {
        const { target, dryRun } = route.request().postDataJSON();
        if (target === "slow" && dryRun) {
          hold();
          await answered;
        }
        return route.continue();
      });
      await goTo(page, "entity", "orders", "dead-letters");
      await press(page, "Redrive Torn");
      await says(page, "redrive takes 1 message, namely");
      await fill(page, "To another entity", "nowhere");
      await press(page, "Count");
      await says(page, "there is no entity named 'nowhere'");
      await says(page, "It is not counted what that takes");
      assert.ok(await inDialog(page, "Redrive …").isDisabled());

      await daemon.call("Management/CreateQueue", { queue: { name: "slow" } });
      await fill(page, "To another entity", "slow");
      await press(page, "Count");
      await says(page, "Counting…");
      assert.ok(await inDialog(page, "Redrive …").isDisabled());
      await held;
      answer();
      await says(page, "redrive takes 1 message, namely dead letters of orders: Torn, to slow");
      await inDialog(page, "Redrive 1 message").click();
      await says(page, "1 message redriven");
    }),

  "names that look alike are told apart": (browser) =>
    made(browser, async (page, daemon) => {
      await daemon.call("Management/CreateQueue", { queue: { name: "letters", requiresSession: true } });
      const alike = {
        a: "a",
        "a ": "a\\x20",
        " a": "\\x20a",
        "a\u0007": "a\\x07",
        "a\\x07": "a\\\\x07",
        "\u202ea": "\\u{202e}a",
        "a b": "a b",
        "a  b": "a  b",
        "a\u00a0b": "a\\u{a0}b",
      };
      for (const sessionId of Object.keys(alike))
        await daemon.call("Messaging/Send", { entityPath: "letters", messages: [{ sessionId }] });
      await goTo(page, "entity", "letters", "sessions");
      const names = page.getByRole("table", { name: "Sessions", exact: true }).locator("bdi");
      await names.nth(8).waitFor();
      // As it is laid out.
      assert.deepEqual(new Set(await names.allInnerTexts()), new Set(Object.values(alike)));
    }),
};
