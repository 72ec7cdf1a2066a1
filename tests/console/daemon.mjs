// Daemon: a wharfd of the test's own, with a listener of the console; it can be killed and started again in its place.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

const WAIT = 60_000;
const running = new Set();
process.on("exit", () => running.forEach((child) => child.kill("SIGKILL")));

export class Daemon {
  // `scheme`: "console+tls" with the certificate of the flags.
  constructor(flags = [], scheme = "console") {
    this.scheme = scheme;
    this.folder = mkdtempSync(join(tmpdir(), "wharf-console-"));
    this.flags = flags;
    this.port = 0;
  }

  get origin() {
    return `${this.scheme === "console" ? "http" : "https"}://127.0.0.1:${this.port}`;
  }

  get connectionString() {
    return readFileSync(join(this.folder, "data/root-connection-string"), "utf8").trim();
  }

  // The port stays the same when it is started again.
  async start() {
    const places = `127.0.0.1:0,${this.scheme}://127.0.0.1:${this.port}`;
    const child = spawn(process.env.WHARFD, ["--data", join(this.folder, "data"), "--listen", places, ...this.flags], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    running.add(child);
    this.child = child;
    this.port = await new Promise((resolve, reject) => {
      const log = [];
      const late = setTimeout(() => reject(new Error(`wharfd is not ready: ${log.join("\n")}`)), WAIT);
      createInterface({ input: child.stderr }).on("line", (line) => {
        log.push(line);
        const ready = /wharfd ready on .* console(?:\+tls)?:\/\/127\.0\.0\.1:(\d+)/.exec(line);
        if (ready) {
          clearTimeout(late);
          resolve(Number(ready[1]));
        }
      });
      child.on("exit", () => reject(new Error(`wharfd ended: ${log.join("\n")}`)));
    });
  }

  async kill() {
    if (!running.delete(this.child)) return;
    const gone = once(this.child, "exit");
    this.child.kill("SIGKILL");
    await gone;
  }

  async remove() {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }

  // As a script does, with the rights of the given connection string, or none where access is off.
  async call(method, request = {}, connectionString = null) {
    const headers = { "X-Wharf-Request": "1", "Content-Type": "application/json" };
    if (connectionString !== null) headers.Authorization = `Session ${await this.session(connectionString)}`;
    const answer = await fetch(`${this.origin}/api/v1/${method}`, {
      method: "POST",
      headers,
      body: JSON.stringify(request),
    });
    const told = await answer.json();
    if (!answer.ok) throw new Error(`${method}: ${told.error.message}`);
    return told;
  }

  async session(connectionString) {
    this.sessions ??= new Map();
    if (!this.sessions.has(connectionString)) {
      const answer = await fetch(`${this.origin}/api/v1/session`, {
        method: "POST",
        headers: { "X-Wharf-Request": "1" },
        body: JSON.stringify({ connectionString }),
      });
      this.sessions.set(connectionString, (await answer.json()).session);
    }
    return this.sessions.get(connectionString);
  }
}
