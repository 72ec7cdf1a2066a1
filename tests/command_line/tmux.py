"""tmux: a shell in a window of tmux: what a user types there, and sees."""

import subprocess
import tempfile

import daemon_test
import wire


class Window:
    """Runs `bash`; `environment` is all it has, but for what tmux sets."""

    def __init__(self, environment, width=100, height=24):
        self._folder = tempfile.TemporaryDirectory(prefix="wharf-tmux-")
        self._socket = f"{self._folder.name}/socket"
        environment = {name: value for name, value in environment.items() if name not in ("TMUX", "COLUMNS", "LINES")}
        subprocess.run(self._command("-f", "/dev/null", "new-session", "-d", "-x", str(width), "-y", str(height),
                                     "bash", "--norc", "--noprofile"),
                       env={**environment, "LC_ALL": "C.UTF-8", "PS1": "READY> "}, check=True, timeout=wire.TIMEOUT)
        self.wait_for("READY>")

    def _command(self, *arguments):
        return ["tmux", "-u", "-S", self._socket, *arguments]

    def _tmux(self, *arguments):
        return subprocess.run(self._command(*arguments), check=True, timeout=wire.TIMEOUT, text=True,
                              capture_output=True).stdout

    def press(self, *keys):
        """By the names that tmux has for them: "q", "Down", "F1", "C-c"."""
        self._tmux("send-keys", *keys)

    def type(self, text):
        self._tmux("send-keys", "-l", text)

    def run(self, line):
        self.type(line)
        self.press("Enter")

    def resize(self, width, height):
        self._tmux("resize-window", "-x", str(width), "-y", str(height))

    def shell(self):
        """The id of the process of `bash`."""
        return int(self._tmux("display-message", "-p", "#{pane_pid}"))

    def lines(self):
        """What stands there now."""
        return self._tmux("capture-pane", "-p").rstrip("\n").split("\n")

    def wait_until(self, is_there):
        """Until what stands there pleases; answers it."""
        def look():
            lines = self.lines()
            if not is_there(lines):
                raise LookupError("\n".join(lines))
            return lines
        return daemon_test.wait_for(look, LookupError)

    def wait_for(self, text):
        return self.wait_until(lambda lines: any(text in line for line in lines))

    def close(self):
        subprocess.run(self._command("kill-server"), check=False, timeout=wire.TIMEOUT, capture_output=True)
        self._folder.cleanup()
