// Bodies: of any size, as files, and as messages of protobuf by a descriptor set that somebody gives to the page.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { barriersOf, goTo, overflowOf, signIn } from "./browser.mjs";
import { button, fill, press, says, withPage } from "./with_page.mjs";

const MEBI = 1024 * 1024;

const PROTO = `syntax = "proto3";
package shop;
import "google/protobuf/timestamp.proto";
enum Colour { COLOUR_UNSPECIFIED = 0; COLOUR_RED = 1; }
message Line { string article = 1; int64 count = 2; }
message Order {
  string id = 1;
  repeated Line lines = 2;
  map<string, bytes> notes = 3;
  google.protobuf.Timestamp at = 4;
  Colour colour = 5;
  oneof paid { double cash = 6; string card = 7; }
}
message Other { fixed32 number = 100; }
`;
const ORDER = `id: "<img src=x onerror=alert(1)>" lines { article: "rope" count: 9007199254740993 }
notes { key: "__proto__" value: "x" } at { seconds: 1700000000 } colour: COLOUR_RED cash: 0.5`;

// Who has a file and what protoc makes of it.
async function withProtos(story) {
  const folder = mkdtempSync(join(tmpdir(), "wharf-console-proto-"));
  try {
    writeFileSync(join(folder, "order.proto"), PROTO);
    // What is given to who does not read it may come when that is gone.
    const protoc = (flags, options) => execFileSync("protoc", ["-I", folder, ...flags, "order.proto"], options);
    const set = join(folder, "order.pb");
    protoc(["-o", set]);
    await story({ folder, set, order: protoc(["--encode", "shop.Order"], { input: ORDER }) });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const upload = (page, file) => page.getByLabel("Descriptor set", { exact: true }).setInputFiles(file);

async function sendLarge(daemon, entityPath, body, message = {}) {
  const answer = await fetch(`${daemon.origin}/api/v1/bodies?${new URLSearchParams({ entityPath })}`, {
    method: "POST",
    headers: { "X-Wharf-Request": "1", "X-Wharf-Message": JSON.stringify(message) },
    body,
  });
  assert.equal(answer.status, 200, await answer.text());
}

async function downloaded(page, press) {
  const [download] = await Promise.all([page.waitForEvent("download"), press()]);
  return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
}

async function open(page, path, number) {
  await goTo(page, "entity", path, "messages");
  await press(page, `Open message ${number}`);
}

const withLarge = (browser, story) =>
  withPage(browser, [], async (page, daemon) => {
    await daemon.call("Management/CreateQueue", { queue: { name: "large", maxMessageSizeInKilobytes: 102400 } });
    await signIn(page, daemon);
    await story(page, daemon);
  });

async function withFiles(story) {
  const folder = mkdtempSync(join(tmpdir(), "wharf-console-files-"));
  const made = (name, bytes) => {
    writeFileSync(join(folder, name), bytes);
    return join(folder, name);
  };
  try {
    await story(made);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export default {
  "a body by a descriptor set: decoded, its type chosen, and never code": (browser) =>
    withProtos(({ set, order, folder }) =>
      withPage(browser, [], async (page, daemon) => {
        await daemon.call("Management/CreateQueue", { queue: { name: "q" } });
        const contentType = 'application/x-protobuf; messageType="shop.Order"';
        const body = order.toString("base64");
        await daemon.call("Messaging/Send", {
          entityPath: "q",
          messages: [{ body, contentType }, { body }, { body: "//8=" }],
        });
        await signIn(page, daemon);
        await open(page, "q", 1);
        // What its content type says is meant is shown first.
        await page.getByLabel("Descriptor set", { exact: true }).waitFor();
        assert.deepEqual(await barriersOf(page), []);

        const nonsense = join(folder, "nonsense.pb");
        writeFileSync(nonsense, "no descriptors at all");
        await upload(page, nonsense);
        await says(page, "nonsense.pb is no descriptor set that can be used");
        const large = join(folder, "large.pb");
        writeFileSync(large, Buffer.alloc(MEBI + 1));
        await upload(page, large);
        await says(page, "large.pb has 1 MiB: 1 MiB at most");

        await upload(page, set);
        await says(page, "article:");
        await says(page, '"9007199254740993"');
        await says(page, '"2023-11-14T22:13:20Z"');
        await says(page, "COLOUR_RED");
        await says(page, "<img src=x onerror=alert(1)>");
        await says(page, "__proto__:");
        assert.equal(await page.locator("#page img").count(), 0);
        assert.deepEqual(await barriersOf(page), []);

        await page.getByLabel("Type, of order.pb").selectOption("shop.Other");
        await says(page, "The body has 6 fields that shop.Other does not have");
        await press(page, "Close");

        // The set and the type of an entity stay while the page does.
        await press(page, "Open message 3");
        await press(page, "Protobuf");
        await says(page, "these bytes are no shop.Other");
        await page.setViewportSize({ width: 360, height: 740 });
        assert.deepEqual(await overflowOf(page), []);
        await press(page, "Another descriptor set");
        await page.getByLabel("Descriptor set", { exact: true }).waitFor();
      }),
    ),

  "a set that lacks what it imports says what, and those that everybody has it need not have": (browser) =>
    withProtos(({ folder }) =>
      withPage(browser, [], async (page, daemon) => {
        writeFileSync(
          join(folder, "other.proto"),
          'syntax = "proto3"; package other; message Thing { string name = 1; }',
        );
        writeFileSync(
          join(folder, "uses.proto"),
          'syntax = "proto3"; import "other.proto"; message Uses { other.Thing thing = 1; }',
        );
        const partial = join(folder, "partial.pb");
        const whole = join(folder, "whole.pb");
        execFileSync("protoc", ["-I", folder, "-o", partial, "uses.proto"]);
        execFileSync("protoc", ["-I", folder, "--include_imports", "-o", whole, "uses.proto"]);
        await daemon.call("Management/CreateQueue", { queue: { name: "q" } });
        await daemon.call("Messaging/Send", { entityPath: "q", messages: [{ body: "CgUKA2FiYw==" }] });
        await signIn(page, daemon);
        await open(page, "q", 1);
        await press(page, "Protobuf");
        await upload(page, partial);
        await says(page, "it lacks other.proto, which uses.proto imports: make it with protoc --include_imports");
        await upload(page, whole);
        await page.getByLabel("Type, of whole.pb").selectOption("Uses");
        await says(page, '"abc"');
      }),
    ),

  "a large body is shown, downloaded, copied, and is in the file of JSON Lines": (browser) =>
    withLarge(browser, async (page, daemon) => {
      const body = Buffer.from(JSON.stringify({ many: "x".repeat(1.5 * MEBI) }));
      const larger = Buffer.alloc(17 * MEBI, 7);
      await sendLarge(daemon, "large", body, { subject: "large" });
      await sendLarge(daemon, "large", larger);
      await sendLarge(daemon, "large", Buffer.from("small"));

      await open(page, "large", 1);
      await says(page, "It has about 1.5 MiB");
      assert.deepEqual(await barriersOf(page), []);
      const file = await downloaded(page, () => press(page, "Download the body"));
      assert.equal(file.name, "large-1.body");
      assert.ok(file.bytes.equals(body));
      await press(page, "Show the body");
      await says(page, "many:");
      await press(page, "Text");
      await press(page, `Show all ${body.length.toLocaleString("en")} characters`);

      await press(page, "Send a copy…");
      await says(page, "The body is the body of message 1, 1.5 MiB");
      await press(page, "Send");
      await says(page, "Number 4");

      await open(page, "large", 2);
      await says(page, "Up to 16 MiB are shown here");
      assert.equal(await button(page, "Show the body").count(), 0);
      const whole = await downloaded(page, () => press(page, "Download the body"));
      assert.ok(whole.bytes.equals(larger));
      await press(page, "Complete…");
      await press(page, "Complete 1 message");
      await page.locator("body:not(:has(dialog))").waitFor();

      const lines = await downloaded(page, () => press(page, "Download as JSON Lines"));
      const messages = lines.bytes
        .toString()
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
      assert.deepEqual(
        messages.map(({ message }) => Buffer.from(message.body, "base64").length),
        [body.length, 5, body.length],
      );
      assert.ok(Buffer.from(messages[2].message.body, "base64").equals(body));
      assert.equal(messages[2].message.subject, "large");
    }),

  "a body that goes while it is looked at is told as that": (browser) =>
    withLarge(browser, async (page, daemon) => {
      await sendLarge(daemon, "large", Buffer.alloc(2 * MEBI));
      await open(page, "large", 1);
      await says(page, "It has about 2 MiB");
      await daemon.call("Management/Purge", { entityPath: "large" });
      await press(page, "Show the body");
      await page.getByRole("dialog").getByText("MessageNotFound").waitFor();
    }),

  "a file is sent as it is, small or large, with its properties": (browser) =>
    withFiles((made) =>
      withLarge(browser, async (page, daemon) => {
        const body = Buffer.from(Array.from({ length: 2 * MEBI }, (_, at) => at % 251));
        await goTo(page, "entity", "large", "send");
        await page.getByLabel("Body as").selectOption("file");
        await press(page, "Send");
        await says(page, "choose a file for the body");
        await fill(page, "Subject", "größer ☃");
        const file = page.getByLabel("File", { exact: true });
        await file.setInputFiles(made("a.bin", body));
        await press(page, "Send");
        await says(page, "Number 1");
        await file.setInputFiles(made("b.bin", "few"));
        await fill(page, "How many", "2");
        await press(page, "Send");
        await says(page, "Number 3");
        const got = await fetch(`${daemon.origin}/api/v1/bodies?entityPath=large&sequenceNumber=1`);
        assert.ok(Buffer.from(await got.arrayBuffer()).equals(body));
        const { messages } = await daemon.call("Messaging/Peek", { entityPath: "large", maxMessages: 3 });
        assert.deepEqual(
          messages.map(({ message }) => [message.subject, message.body]),
          [
            ["größer ☃", ""],
            ["größer ☃", "ZmV3"],
            ["größer ☃", "ZmV3"],
          ],
        );
        await file.setInputFiles(made("c.bin", Buffer.alloc(25 * MEBI)));
        await fill(page, "How many", "1");
        await press(page, "Send");
        await says(page, "c.bin is larger than 24 MiB");
      }),
    ),
};
