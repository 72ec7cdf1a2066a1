"""foreign_site: a web site of somebody else, and a browser that opens it.

Its page tries what a test names and posts what it heard back to its own site.
"""

import http.server
import json
import queue
import subprocess
import tempfile
import threading

import wire

PAGE = """<!doctype html><title>innocent</title><script>
const tries = %s;
async function one(attempt) {
  try {
    const answer = await fetch(attempt.url, attempt.options || {});
    return {type: answer.type, status: answer.status, body: (await answer.text()).slice(0, 200)};
  } catch (error) {
    return {type: "error", status: 0, body: ""};
  }
}
async function all() {
  const found = [];
  for (const attempt of tries) found.push(await one(attempt));
  await fetch("/found", {method: "POST", body: JSON.stringify(found)});
}
all();
</script>"""


class ForeignSite:
    """Serves the page on a port of its own, until it is closed."""

    def __init__(self):
        self._tries, self._found = [], queue.Queue()
        site = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):  # pylint: disable=invalid-name
                self._answer(PAGE % json.dumps(site._tries))  # pylint: disable=protected-access

            def do_POST(self):  # pylint: disable=invalid-name
                length = int(self.headers["Content-Length"])
                site._found.put(json.loads(self.rfile.read(length)))  # pylint: disable=protected-access
                self._answer("")

            def log_message(self, *_):  # pylint: disable=arguments-differ
                pass

            def _answer(self, text):
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.end_headers()
                self.wfile.write(text.encode())

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()

    def what_a_page_hears(self, tries):
        """[{type, status, body}] of {url, options}, one for each, as its script sees them."""
        self._tries = tries
        with browser(f"http://127.0.0.1:{self.port}/"):
            return self._found.get(timeout=4 * wire.TIMEOUT)


def _command(folder, names, *rest):
    """With `names` pointing to this machine, as those of an attacker's own domain can."""
    rules = ",".join(f"MAP {name} 127.0.0.1" for name in names)
    return ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-extensions",
            "--disable-background-networking", f"--host-resolver-rules={rules}", f"--user-data-dir={folder}", *rest]


class browser:  # pylint: disable=invalid-name
    """with browser(url): it has the page open meanwhile."""

    def __init__(self, url):
        self._folder = tempfile.TemporaryDirectory(prefix="wharf-browser-", ignore_cleanup_errors=True)
        self._process = subprocess.Popen(
            _command(self._folder.name, (), "--remote-debugging-port=0", url),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.terminate()
        self._process.wait(wire.TIMEOUT)
        self._folder.cleanup()


def page_at(url, *names):
    """What the browser shows of it, as HTML."""
    with tempfile.TemporaryDirectory(prefix="wharf-browser-", ignore_cleanup_errors=True) as folder:
        ended = subprocess.run(_command(folder, names, "--dump-dom", url), capture_output=True, text=True,
                               timeout=4 * wire.TIMEOUT, check=True)
    return ended.stdout
