// Over TLS a session is a cookie that no script reads, so it outlives the page; without TLS it is in the page alone.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { signIn } from "./browser.mjs";
import { heading, press, withPage } from "./with_page.mjs";

function certified(folder) {
  const [key, certificate] = [join(folder, "key.pem"), join(folder, "certificate.pem")];
  execFileSync(
    "openssl",
    [
      "req",
      "-x509",
      "-newkey",
      "ec",
      "-pkeyopt",
      "ec_paramgen_curve:P-256",
      "-nodes",
      "-days",
      "2",
      "-subj",
      "/CN=localhost",
      "-addext",
      "subjectAltName=IP:127.0.0.1",
      "-keyout",
      key,
      "-out",
      certificate,
    ],
    { stdio: "ignore" },
  );
  return ["--tls-cert", certificate, "--tls-key", key];
}

const stores = (page) => page.evaluate(() => [document.cookie, localStorage.length, sessionStorage.length]);

export default {
  "over TLS a session outlives the page, and no script can read it": async (browser) => {
    const folder = mkdtempSync(join(tmpdir(), "wharf-console-tls-"));
    try {
      await withPage(
        browser,
        ["--access", "on", ...certified(folder)],
        async (page, daemon) => {
          await signIn(page, daemon, daemon.connectionString);
          assert.deepEqual(await stores(page), ["", 0, 0]);
          const [cookie] = await page.context().cookies();
          assert.deepEqual(
            [cookie.name.startsWith("__Host-"), cookie.httpOnly, cookie.secure, cookie.sameSite],
            [true, true, true, "Strict"],
          );
          await page.reload();
          await heading(page, "Overview").waitFor();
          await press(page, "Sign out");
          await heading(page, "Sign in").waitFor();
          await page.reload();
          await heading(page, "Sign in").waitFor();
          assert.deepEqual(await page.context().cookies(), []);
        },
        { ignoreHTTPSErrors: true },
        "console+tls",
      );
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },

  "without TLS a session ends with the page": (browser) =>
    withPage(browser, ["--access", "on"], async (page, daemon) => {
      await signIn(page, daemon, daemon.connectionString);
      assert.deepEqual(await stores(page), ["", 0, 0]);
      assert.deepEqual(await page.context().cookies(), []);
      await page.reload();
      await heading(page, "Sign in").waitFor();
    }),
};
