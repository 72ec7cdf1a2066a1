// Hostile: what others have written is shown as they wrote it, and is never more than text.

import assert from "node:assert/strict";

import { goTo, signIn } from "./browser.mjs";
import { HOSTILE } from "./hostile_strings.mjs";
import { button, heading, press, says, withPage } from "./with_page.mjs";

// Elements that the page never makes itself, and what names a place outside.
const STRANGE = [
  "script, img, iframe, object, embed, svg, math, video, audio, marquee, style, link, base, meta, template, xmp, noscript",
  "form[action], [onerror], [onload], [onclick], [href^='javascript'], [href*='evil.example']",
];

const textOfPage = (page) => page.evaluate(() => document.body.textContent);

async function isClean(page) {
  assert.equal(await page.locator(`#page :is(${STRANGE.join(", ")})`).count(), 0);
}

const trimmed = (text, size) => text.slice(0, size);
const base64 = (text) => Buffer.from(text).toString("base64");

async function fillQueue(daemon) {
  await daemon.call("Management/CreateQueue", { queue: { name: "h", userMetadata: HOSTILE.join(" ").slice(0, 1000) } });
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

export default {
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
        assert.ok((await textOfPage(page)).includes(HOSTILE[number - 1]), HOSTILE[number - 1]);
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
      for (const text of HOSTILE) assert.ok(shown.includes(text), text);

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
