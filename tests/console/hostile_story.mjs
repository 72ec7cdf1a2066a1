// Hostile: what others have written is shown as they wrote it, and is never more than text.

import assert from "node:assert/strict";

import { goTo, signIn } from "./browser.mjs";
import { HOSTILE } from "./hostile_strings.mjs";
import { CLUSTER, CONNECTION } from "./played_story.mjs";
import { seed } from "./seed.mjs";
import { VIEWS } from "./views_story.mjs";
import { button, heading, press, says, withPage } from "./with_page.mjs";

// Elements that the page never makes itself, and what names a place outside.
const STRANGE = [
  "script, img, iframe, object, embed, svg, math, video, audio, marquee, style, link, base, meta, template, xmp, noscript",
  "form[action], [onerror], [onload], [onclick], [href^='javascript'], [href*='evil.example']:not([href^='#/'])",
];

const textOfPage = (page) => page.evaluate(() => document.body.textContent);

async function isClean(page) {
  const strange = page.locator(`#page :is(${STRANGE.join(", ")})`);
  assert.deepEqual(await strange.evaluateAll((all) => all.map((one) => one.outerHTML)), []);
}

const trimmed = (text, size) => text.slice(0, size);
const base64 = (text) => Buffer.from(text).toString("base64");

async function fillQueue(daemon) {
  const userMetadata = HOSTILE.join(" ").slice(0, 1000);
  await daemon.call("Management/CreateQueue", { queue: { name: "h", lockDuration: "3600s", userMetadata } });
  await daemon.call("Management/CreateQueue", { queue: { name: "s", requiresSession: true } });
  const messages = HOSTILE.map((text) => ({
    body: base64(text),
    messageId: trimmed(text, 128),
    subject: text,
    contentType: text,
    correlationId: text,
    to: text,
    replyTo: text,
    applicationProperties: { [text]: { stringValue: text }, uri: { uriValue: text } },
  }));
  await daemon.call("Messaging/Send", { entityPath: "h", messages });
  await daemon.call("Messaging/Send", {
    entityPath: "s",
    messages: HOSTILE.map((text) => ({ sessionId: trimmed(text, 128) })),
  });
}

async function killAll(daemon) {
  const { messages } = await daemon.call("Messaging/Receive", { entityPath: "h", maxMessages: HOSTILE.length });
  for (const [at, { lockToken }] of messages.entries()) {
    await daemon.call("Messaging/Settle", {
      entityPath: "h",
      settlement: { lockTokens: [lockToken], deadLetter: { reason: HOSTILE[at], description: HOSTILE[at] } },
    });
  }
}

const BACKUP = { label: "kept", createdAt: "2026-01-31T12:00:00Z", byteCount: "7", nodeName: "n1", version: "0.1.0" };
const WORK = { id: "1", verb: "VERB_CREATE", label: "kept", underWay: false, byteCount: "7", trouble: "it failed" };
const PLAYED = {
  "Cluster/GetStatus": { ...CLUSTER, trouble: "it has lost its state", snapshot: "one is sent" },
  "Cluster/VerifyState": {
    underWay: false,
    rowCount: "1",
    byteCount: "1",
    index: "1",
    members: [{ name: "n1", trouble: "it was away" }],
    difference: { table: "messages", key: "AP8=", index: "1", members: ["n1"], hasMajority: true },
    trouble: "they differ",
  },
  "Backups/List": { backups: [BACKUP, { ...BACKUP, label: "other", trouble: "its manifest is not there" }] },
  "Backups/GetWork": WORK,
  "Management/ListConnections": { connections: [CONNECTION], nextPageToken: "" },
};
// By which they are found again.
const LOUDLY = /alert\(|evil\.example/;
const LOUD = HOSTILE.filter((text) => LOUDLY.test(text));
// What the page reckons with, or asks with again.
const KEPT = new Set([
  "nextPageToken",
  "id",
  "key",
  "code",
  "outcome",
  "verb",
  "state",
  "kind",
  "body",
  "lockToken",
  "lockTokenEnd",
  "userId",
  "uuidValue",
]);
const REASONED = /^([A-Z][A-Z0-9_]*|-?\d+(\.\d+)?s?|\d{4}-\d\d-.*|)$/;

// The same answer, where each text that somebody could have written is a hostile one.
function hostileOf(value, key, next) {
  if (Array.isArray(value)) return value.map((one) => hostileOf(one, key, next));
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, hostileOf(one, name, next)]));
  return typeof value !== "string" || KEPT.has(key) || REASONED.test(value) ? value : next();
}

// What shows nothing, or turns the direction of writing, is seen; so is what looks like that.
const seen = (text) => text.replaceAll("\\", "\\\\").replaceAll("\t", "\\t").replaceAll("\u202e", "\\u{202e}");

export default {
  "whatever text of an answer is hostile, in no view is it more than text": (browser) =>
    withPage(browser, [], async (page, daemon) => {
      await seed(daemon);
      await daemon.call("Management/StartRedrive", { entityPath: "orders/$DeadLetterQueue", dryRun: true });
      await daemon.call("Management/CreateAccessRule", { rule: { name: "shop", rights: ["ACCESS_RIGHT_SEND"] } });
      let at = 0;
      const next = () => LOUD[(at += 1) % LOUD.length];
      await page.route("**/api/v1/*/*", async (route) => {
        const method = new URL(route.request().url()).pathname.split("/").slice(-2).join("/");
        const answer = method in PLAYED ? null : await route.fetch();
        const told = PLAYED[method] ?? (await answer.json());
        const more =
          method === "Management/GetBrokerStatistics" ? { cluster: CLUSTER, damagedFiles: "all of them" } : {};
        const alarms = "entityCount" in told ? { alarms: [{ name: "disk_full", text: "the disk is full" }] } : {};
        const json = hostileOf({ ...told, ...more, ...alarms }, "", next);
        await route.fulfill({ status: answer?.status() ?? 200, json });
      });
      await signIn(page, daemon);
      for (const [parts] of VIEWS) {
        await goTo(page, ...parts);
        // A form shows nothing of others.
        if (parts[2] === "send" || parts[2] === "receive")
          await page.getByRole("navigation", { name: /^Views of/ }).waitFor();
        else if (parts.length === 1 && parts[0] === "find") await heading(page, "Where is my message?").waitFor();
        else
          await page
            .getByRole("main")
            .filter({ hasText: LOUDLY })
            .waitFor()
            .catch(() => assert.fail(`nothing hostile in ${parts.join(" ")}`));
        await isClean(page);
        assert.equal(await heading(page, "This view cannot be shown").count(), 0, parts.join(" "));
      }
      await goTo(page, "entity", "orders", "messages");
      await page
        .getByRole("button", { name: /Open message/ })
        .first()
        .click();
      await heading(page, "Body").waitFor();
      await isClean(page);
      await press(page, "Close");
      await goTo(page, "entity", "orders", "receive");
      await press(page, "Receive");
      await says(page, "Held by this page: 1");
      await isClean(page);
      await goTo(page, "cluster");
      await page
        .getByRole("button", { name: /^Remove/ })
        .first()
        .click();
      await says(page, "This removes 1 of 3 members");
      await isClean(page);
      assert.ok(at > LOUD.length, `${at}`);
    }),

  "a hundred hostile strings are text, as properties, bodies, reasons, sessions and places": (browser) =>
    withPage(browser, [], async (page, daemon) => {
      assert.ok(HOSTILE.length >= 100);
      await fillQueue(daemon);
      await signIn(page, daemon);

      await goTo(page, "entity", "h");
      await says(page, "evil.example");
      await isClean(page);

      await goTo(page, "entity", "h", "messages");
      await press(page, "Browse");
      for (const number of [1, 5, 9, 13, 14, 21, 26, 39, 49, 50]) {
        await press(page, `Open message ${number}`);
        await heading(page, "Body").waitFor();
        await isClean(page);
        assert.ok((await textOfPage(page)).includes(seen(HOSTILE[number - 1])), HOSTILE[number - 1]);
        await press(page, "Close");
      }
      await press(page, "Next");
      await button(page, "Open message 51").waitFor();
      await isClean(page);

      await killAll(daemon);
      await goTo(page, "entity", "h", "dead-letters");
      await says(page, "<iframe srcdoc");
      await isClean(page);
      const shown = await textOfPage(page);
      for (const text of HOSTILE) assert.ok(shown.includes(seen(text)), text);

      await goTo(page, "entity", "s", "sessions");
      await page.getByRole("table", { name: "Sessions", exact: true }).waitFor();
      await isClean(page);

      for (const text of HOSTILE.filter((_, at) => at % 10 === 0)) {
        await goTo(page, "entity", text);
        await page.getByRole("alert").waitFor();
        await isClean(page);
      }
    }),
};
