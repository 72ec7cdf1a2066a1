// Over TLS a session is a cookie that no script reads, so it outlives the page; without TLS it is in the page alone.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { signIn } from "./browser.mjs";
import { heading, press, says, withPage } from "./with_page.mjs";

const openssl = (...options) => execFileSync("openssl", options, { stdio: "ignore" });
const KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"];

function certified(folder) {
  const [key, certificate] = [join(folder, "key.pem"), join(folder, "certificate.pem")];
  const names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"];
  openssl("req", "-x509", ...KEY, ...names, "-keyout", key, "-out", certificate);
  return ["--tls-cert", certificate, "--tls-key", key];
}

// Of a client, by an authority of its own.
function certifiedClient(folder, name) {
  const at = (file) => join(folder, file);
  openssl("req", "-x509", ...KEY, "-subj", "/CN=authority", "-keyout", at("ca.key"), "-out", at("ca.pem"));
  openssl("req", ...KEY, "-subj", `/CN=${name}`, "-keyout", at("client.key"), "-out", at("client.csr"));
  const signer = ["-CA", at("ca.pem"), "-CAkey", at("ca.key"), "-CAcreateserial"];
  openssl("x509", "-req", "-in", at("client.csr"), ...signer, "-days", "2", "-out", at("client.pem"));
  return { ca: at("ca.pem"), certPath: at("client.pem"), keyPath: at("client.key") };
}

const stores = (page) => page.evaluate(() => [document.cookie, localStorage.length, sessionStorage.length]);

async function withCertificate(browser, name, story) {
  const folder = mkdtempSync(join(tmpdir(), "wharf-console-certificate-"));
  try {
    const { ca, certPath, keyPath } = certifiedClient(folder, name);
    const config = join(folder, "wharfd.toml");
    writeFileSync(config, 'client-rules = ["certificate:CN=ann -> #RootManageSharedAccessKey"]\n');
    const flags = ["--config", config, "--tls-client-ca", ca, "--tls-client-cert", "optional"];
    await withPage(
      browser,
      ["--access", "on", ...certified(folder), ...flags],
      story,
      ({ origin }) => ({ ignoreHTTPSErrors: true, clientCertificates: [{ origin, certPath, keyPath }] }),
      "console+tls",
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

// The session is a cookie.
async function withTls(browser, story) {
  const folder = mkdtempSync(join(tmpdir(), "wharf-console-tls-"));
  try {
    const flags = ["--access", "on", ...certified(folder)];
    await withPage(browser, flags, story, { ignoreHTTPSErrors: true }, "console+tls");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export default {
  "who has a certificate is in without a key, and signs in by it again": (browser) =>
    withCertificate(browser, "ann", async (page, daemon) => {
      await signIn(page, daemon);
      await heading(page, "Overview").waitFor();
      await says(page, /certificate:CN=ann|RootManageSharedAccessKey/);
      await press(page, "Sign out");
      await page.getByLabel("What you have").selectOption("certificate");
      await press(page, "Sign in");
      await heading(page, "Overview").waitFor();
      const [cookie] = await page.context().cookies();
      assert.equal(cookie.name, "__Host-wharf-session");
    }),

  "a certificate without a rule is no way in": (browser) =>
    withCertificate(browser, "mallory", async (page, daemon) => {
      page.origin = daemon.origin;
      await page.goto(daemon.origin);
      await page.getByLabel("What you have").selectOption("certificate");
      await press(page, "Sign in");
      await page.getByRole("alert").getByText("tracking id").waitFor();
      await heading(page, "Sign in").waitFor();
    }),

  "over TLS a session outlives the page, and no script can read it": (browser) =>
    withTls(browser, async (page, daemon) => {
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
    }),

  "who signed out is out, and two windows are of one person": (browser) =>
    withTls(browser, async (page, daemon) => {
      await signIn(page, daemon, daemon.connectionString);
      const other = await page.context().newPage();
      await other.goto(`${daemon.origin}/#/send`);
      await heading(other, "Overview").or(other.getByText("RootManageSharedAccessKey")).first().waitFor();

      // The broker does not hear of it.
      const session = "**/api/v1/session";
      await page.route(session, (route) => (route.request().method() === "DELETE" ? route.abort() : route.continue()));
      await press(page, "Sign out");
      await heading(page, "Sign in").waitFor();
      await page.unroute(session);
      const ended = page.waitForResponse((answer) => answer.request().method() === "DELETE");
      await page.context().setOffline(true);
      await says(page, "The broker is gone");
      await page.context().setOffline(false);
      await ended;
      await heading(page, "Sign in").waitFor();
      await other.getByRole("heading", { name: /Sign in|Your session is over/ }).waitFor();
      assert.deepEqual(await page.context().cookies(), []);
    }),

  "without TLS a session ends with the page": (browser) =>
    withPage(browser, ["--access", "on"], async (page, daemon) => {
      await signIn(page, daemon, daemon.connectionString);
      assert.deepEqual(await stores(page), ["", 0, 0]);
      assert.deepEqual(await page.context().cookies(), []);
      await page.reload();
      await heading(page, "Sign in").waitFor();
    }),
};
