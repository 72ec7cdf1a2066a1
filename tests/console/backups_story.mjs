// Backups: made, read through and removed from the page, and what it says where there is no folder for them.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { barriersOf, goTo, overflowOf, signIn } from "./browser.mjs";
import { eventually } from "./cluster.mjs";
import { seed } from "./seed.mjs";
import { button, fill, press, says, withPage } from "./with_page.mjs";

async function withFolder(browser, story) {
  const folder = mkdtempSync(join(tmpdir(), "wharf-console-backups-"));
  try {
    await withPage(browser, ["--backup-folder", folder], (page, daemon) => story(page, daemon, folder));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function make(page, label) {
  await press(page, "Make a backup…");
  await fill(page, "Label", label);
  await press(page, "Make it");
  await says(page, `The backup ${label} is made`);
  await page.getByRole("row", { name: new RegExp(`^${label} `) }).waitFor();
}

// The largest file of it has another byte in its midst.
function damage(folder) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".sst"))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort((one, other) => statSync(other).size - statSync(one).size);
  writeFileSync(files[0], "not what it was");
}

function certificateOf(name) {
  const flags = [
    "-x509",
    "-newkey",
    "rsa:2048",
    "-nodes",
    "-days",
    "2",
    "-subj",
    `/CN=${name}`,
    "-keyout",
    "/dev/null",
  ];
  return execFileSync("openssl", ["req", ...flags], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
}

export default {
  "a backup is made, read through, and old ones are removed": (browser) =>
    withFolder(browser, async (page, daemon, folder) => {
      await seed(daemon);
      await signIn(page, daemon);
      await goTo(page, "backups");
      await says(page, "There is no backup yet");
      assert.deepEqual(await barriersOf(page), []);
      await make(page, "first");
      await press(page, "Verify first");
      await says(page, "The backup first is whole");

      await press(page, "Make a backup…");
      await fill(page, "Label", "first");
      await press(page, "Make it");
      await page.getByRole("dialog").getByText("MessagingEntityAlreadyExists").waitFor();
      await press(page, "Close");

      await make(page, "second");
      await make(page, "third");
      assert.deepEqual(await barriersOf(page), []);
      await press(page, "Remove old ones…");
      await fill(page, "Keep the newest", "2");
      await says(page, "Of 3 backups the newest 2 of this broker stay, and up to 1 goes");
      await press(page, "Remove up to 1 backup");
      await says(page, "1 backup removed: first");
      await page.getByRole("row", { name: /^first / }).waitFor({ state: "detached" });
      const { backups } = await daemon.call("Backups/List");
      assert.deepEqual(
        backups.map(({ label }) => label),
        ["second", "third"],
      );

      damage(join(folder, "third"));
      await press(page, "Verify third");
      await page.getByRole("alert").getByText("third failed").waitFor();
      await page.setViewportSize({ width: 360, height: 740 });
      assert.deepEqual(await overflowOf(page), []);
    }),

  "a backup is encrypted to a certificate that one gives": (browser) =>
    withFolder(browser, async (page, daemon) => {
      await signIn(page, daemon);
      await goTo(page, "backups");
      await press(page, "Make a backup…");
      await fill(page, "Label", "sealed");
      await fill(page, "Encrypt to", "no certificate");
      await press(page, "Make it");
      await page.getByRole("dialog").getByText("ArgumentError").waitFor();
      await fill(page, "Encrypt to", certificateOf("keeper"));
      await press(page, "Make it");
      await says(page, /The backup sealed is made.* encrypted to .*keeper/);
      await page.getByRole("row", { name: /^sealed .*keeper/ }).waitFor();
      await press(page, "Verify sealed");
      await says(page, "The backup sealed is whole");
      await make(page, "open");
      await page.getByRole("row", { name: /^open .*nobody: in the clear/ }).waitFor();
    }),

  "what the archive keeps is told, also where it has a hole": (browser) =>
    withFolder(browser, async (page, daemon, folder) => {
      const flags = [...daemon.flags];
      const send = () => daemon.call("Messaging/Send", { entityPath: "q", messages: [{}] });
      await daemon.call("Management/CreateQueue", { queue: { name: "q" } });
      await signIn(page, daemon);
      await goTo(page, "backups");
      await make(page, "before");
      await says(page, "Nothing is archived");
      await page.getByRole("row", { name: /^before .* when it was made / }).waitFor();

      const again = async (...more) => {
        await daemon.kill();
        daemon.flags = [...flags, ...more];
        await daemon.start();
        await send();
      };
      await again("--archive-bytes", "256MiB");
      await make(page, "first");
      await send();
      const archive = page.getByRole("table", { name: "Archive" });
      // The page asks again when one comes to it.
      const look = async (isKept) => {
        await eventually(async () => isKept(await daemon.call("Backups/List")));
        await goTo(page, "jobs");
        await goTo(page, "backups");
      };
      await look(({ backups }) => backups.some(({ archivedUntil }) => archivedUntil !== undefined));
      await archive.getByRole("row", { name: /^archived .*Z .*Z [\d,]+ to [\d,]+ / }).waitFor();
      await page.getByRole("row", { name: /^first .*Z .*Z / }).waitFor();
      await again();
      await again("--archive-bytes", "256MiB");
      await look(({ archived }) => archived.length === 2);
      await archive.getByRole("row", { name: /^a hole – – [\d,]+ to [\d,]+ –/ }).waitFor();
      assert.equal(await archive.getByRole("row", { name: /^archived / }).count(), 2);
      await says(page, "but not beyond a hole");
      assert.deepEqual(await barriersOf(page), []);

      await daemon.kill();
      rmSync(join(folder, ".archive"), { recursive: true });
      writeFileSync(join(folder, ".archive"), "not a folder");
      await daemon.start();
      await page.getByRole("alert").getByText("Nothing is archived just now").waitFor();
      await page.setViewportSize({ width: 360, height: 740 });
      assert.deepEqual(await overflowOf(page), []);
    }),

  "without a folder the page says how backups get one": (browser) =>
    withPage(browser, [], async (page, daemon) => {
      await signIn(page, daemon);
      await goTo(page, "backups");
      await says(page, "Backups have no folder yet");
      assert.equal(await button(page, "Make a backup…").count(), 0);
      assert.deepEqual(await barriersOf(page), []);
    }),
};
