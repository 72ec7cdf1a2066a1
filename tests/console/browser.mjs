// Browser: Chromium without a window, and what every story does with a page: goes somewhere, reads, presses.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

import { chromium } from "playwright-core";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const WAIT = 60_000;

export async function openBrowser() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    // Machines that test are often root in a container, where it has no sandbox, and little of /dev/shm.
    args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"],
  });
}

// A page that ends its story at the first error of its own, or word of its policy that was broken.
export async function openPage(browser, options = {}) {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    timezoneId: "Europe/Berlin",
    locale: "en",
    ...options,
  });
  context.setDefaultTimeout(WAIT);
  const page = await context.newPage();
  page.faults = [];
  page.on("pageerror", (error) => page.faults.push(`error: ${error.message}`));
  page.on("dialog", (dialog) => {
    page.faults.push(`a dialog of a script: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("console", (message) => {
    const isOfNetwork = message.text().startsWith("Failed to load resource");
    if (message.type() === "error" && !isOfNetwork) page.faults.push(`console: ${message.text()}`);
  });
  page.on("request", (request) => {
    const { origin, protocol } = new URL(request.url());
    if (page.origin && origin !== page.origin && protocol !== "blob:") page.faults.push(`it asks ${request.url()}`);
  });
  return page;
}

export async function signIn(page, daemon, connectionString) {
  page.origin = daemon.origin;
  await page.goto(daemon.origin);
  if (connectionString !== undefined) {
    await page.getByLabel("Connection string").fill(connectionString);
    await page.getByRole("button", { name: "Sign in" }).click();
  }
  await page.getByRole("navigation", { name: "Views" }).waitFor();
}

export async function goTo(page, ...parts) {
  await page.evaluate(
    (hash) => {
      location.hash = hash;
    },
    `#/${parts.map(encodeURIComponent).join("/")}`,
  );
}

// In an isolated world, which the policy of the page does not bind. With `rules`: by these alone.
export async function barriersOf(page, rules = null) {
  const options = { resultTypes: ["violations"], ...(rules && { runOnly: rules }) };
  const session = await page.context().newCDPSession(page);
  const { frameTree } = await session.send("Page.getFrameTree");
  const { executionContextId } = await session.send("Page.createIsolatedWorld", { frameId: frameTree.frame.id });
  await session.send("Runtime.evaluate", { contextId: executionContextId, expression: AXE });
  const { result, exceptionDetails } = await session.send("Runtime.evaluate", {
    contextId: executionContextId,
    awaitPromise: true,
    returnByValue: true,
    expression: `axe.run(document, ${JSON.stringify(options)}).then((told) =>
      told.violations.map((one) => one.id + ": " + one.nodes.map((node) => node.target + " " + node.failureSummary).join("; ")))`,
  });
  await session.detach();
  if (exceptionDetails) throw new Error(`axe: ${exceptionDetails.exception?.description ?? exceptionDetails.text}`);
  return result.value;
}

// What reaches beyond the right edge, or is cut off there; when charts have heard how much room they have now, which
// their observers, that are older, do before this one.
export async function overflowOf(page) {
  return page.evaluate(async () => {
    await new Promise((heard) => new ResizeObserver(heard).observe(document.body));
    const width = document.documentElement.clientWidth;
    const wide = [...document.querySelectorAll("body *")].filter((one) => {
      const { right, width: own } = one.getBoundingClientRect();
      return own > 1 && right > width + 1 && !one.closest(".skip");
    });
    return wide.map((one) => `${one.tagName}.${one.className} ${one.textContent.slice(0, 40)}`);
  });
}
