// WithPage: a story's own daemon and page, and that the page made no fault while it was told.

import assert from "node:assert/strict";

import { openPage } from "./browser.mjs";
import { Daemon } from "./daemon.mjs";

// The options may depend on where the daemon is.
export async function withPage(browser, flags, story, options = {}, scheme = "console") {
  const daemon = new Daemon(flags, scheme);
  await daemon.start();
  const page = await openPage(browser, typeof options === "function" ? options(daemon) : options);
  try {
    await story(page, daemon);
    assert.deepEqual(page.faults, []);
  } finally {
    // The page asks until it is closed, also for what the story answers in the broker's place.
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await page.context().close();
    await daemon.remove();
  }
}

export const heading = (page, name) => page.getByRole("heading", { name, exact: true });
export const button = (page, name) => page.getByRole("button", { name, exact: true });
export const press = (page, name) => button(page, name).click();
export const fill = (page, label, text) => page.getByLabel(label, { exact: true }).fill(text);
export const says = (page, text) => page.getByText(text).first().waitFor();
