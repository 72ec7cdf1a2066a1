"""process: runs one piece, within bounds, and leaves nothing of it behind."""

import collections
import os
import secrets
import shutil
import signal
import subprocess
import tempfile
import time

Ended = collections.namedtuple("Ended", "code seconds is_late")

# A fault may never stop to ask for memory, or to write.
MEMORY_BYTES = 4 << 30
FILE_BYTES = 4 << 30
MARK = "WHARF_FAULT_RUN"


BOUNDS = ["prlimit", f"--data={MEMORY_BYTES}", f"--fsize={FILE_BYTES}", "--core=0"]


def _marked(mark):
    """The processes that have this in their environment, as everything has that the run started."""
    wanted = f"{MARK}={mark}".encode()
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/environ", "rb") as file:
                if wanted in file.read().split(b"\0"):
                    yield int(name)
        except OSError:
            continue  # It ended, or is somebody else's.


def _end(mark):
    while left := list(_marked(mark)):
        for number in left:
            try:
                os.kill(number, signal.SIGKILL)
            except ProcessLookupError:
                pass
        time.sleep(0.05)


def run(piece, environment, arguments, timeout, log):
    """What it prints goes to the log."""
    mark = secrets.token_hex(8)
    scratch = tempfile.mkdtemp(prefix="wharf-mutate-")
    os.chmod(scratch, 0o755)  # Some tests run a daemon as somebody else.
    own = {**os.environ, **piece.environment, **environment, MARK: mark, "TMPDIR": scratch, "TEST_TMPDIR": scratch}
    began, is_late = time.monotonic(), False
    with open(log, "wb") as output:
        child = subprocess.Popen([*BOUNDS, *piece.command, *arguments], cwd=piece.folder, env=own,
                                 stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True)
        try:
            child.wait(timeout)
        except subprocess.TimeoutExpired:
            is_late = True
            child.kill()
            child.wait()
    seconds = time.monotonic() - began
    _end(mark)
    shutil.rmtree(scratch, ignore_errors=True)
    return Ended(child.returncode, seconds, is_late)
