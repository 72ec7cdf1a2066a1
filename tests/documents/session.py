"""session: one shell in which the commands of a page are run, one after the other."""

import os
import re
import select
import signal
import subprocess
import time

import documents

TIMEOUT = 120  # seconds for one step; only a command that hangs takes so long
WORKING_TIME = 2  # seconds until a command that never ends is interrupted

# The first command that fails ends the shell, and says where in the page it stands.
PROLOGUE = """\
exec 4>&1
set -Eeuo pipefail
trap 'code=$?; echo "$LINENO: \\`$BASH_COMMAND\\` ended with $code" >.problem' ERR
# Ends as one that was interrupted, or well.
interrupted() { timeout --preserve-status --signal=INT "$@" || (($? == 130)); }
"""


class Session:
    """A shell, and the daemons that its commands leave running."""

    def __init__(self, folder, here):
        self._folder, self._here, self._steps = folder, here, 0
        environment = {
            "HOME": str(folder), "LANG": "C.UTF-8", "TERM": "dumb", "TMPDIR": str(folder), "DOCUMENTS_FOLDER": str(folder),
            "PATH": f"{here}/commands:{os.environ['PATH']}", "PYTHONDONTWRITEBYTECODE": "1",
        }
        self._shell = subprocess.Popen(  # A group of its own, so that what it leaves behind can be ended.
            ["bash", "--norc", "--noprofile"], cwd=folder, env=environment, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True, start_new_session=True)
        self._tell(PROLOGUE)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._shell.stdin.close()
        os.killpg(self._shell.pid, signal.SIGTERM)
        self._shell.wait(TIMEOUT)
        # Daemons write into the folder until they have ended; the shell's pipe is open as long as one of them lives.
        self._shell.stdout.read()

    def run(self, block):
        """What is wrong with a block, its line first; empty if nothing is."""
        return getattr(self, f"_run_{block.language}")(block)

    def _run_sh(self, block):
        code = block.text
        if block.is_interrupted:
            code = re.sub(r"^(?=[^\s#])", f"interrupted {WORKING_TIME} ", code, flags=re.MULTILINE)
        return self._source(block.line, code)[0]

    def _run_console(self, block):
        for step in documents.steps_of(block):
            problem, printed = self._source(step.line, step.command + "\n")
            if problem:
                return problem
            if not documents.is_as_shown(step.wanted, printed):
                return "\n".join([f"{step.line}: `{step.command}` printed", *printed, "and not", *step.wanted])
        return ""

    def _run_python(self, block):
        return self._run_program(block, "example.py", "/usr/bin/python3")

    def _run_js(self, block):
        return self._run_program(block, "example.mjs", "node")

    def _run_program(self, block, name, interpreter):
        (self._folder / name).write_text(block.text)
        return self._source(block.line, f"{interpreter} {name}\n")[0]

    def _run_cpp(self, block):
        def words(lines):
            return [line.strip() for line in lines if line.strip()]
        example, shown = words((self._here / "library.cc").read_text().splitlines()), words(block.lines)
        places = range(len(example) - len(shown) + 1)
        if any(example[place:place + len(shown)] == shown for place in places):
            return ""
        return f"{block.line}: these lines do not stand in tests/documents/library.cc"

    def _source(self, line, code):
        """Runs commands in the shell; what is wrong, and the lines that they printed."""
        self._steps += 1
        script, output = self._folder / f".step{self._steps}", self._folder / f".output{self._steps}"
        script.write_text("\n" * (line - 1) + code)  # So that bash counts lines as the page does.
        self._tell(f". {script} >{output} 2>&1 </dev/null; echo done >&4\n")
        problem = self._wait()
        printed = output.read_text(errors="replace").splitlines() if output.exists() else []
        if problem:
            problem = "\n".join([problem, *printed[-20:]])
        return problem, printed

    def _wait(self):
        """Until the step is over; what is wrong with it."""
        end = time.monotonic() + TIMEOUT
        while self._shell.poll() is None:
            if select.select([self._shell.stdout], [], [], 0.1)[0]:
                self._shell.stdout.readline()
                return ""
            if time.monotonic() > end:
                step = (self._folder / f".step{self._steps}").read_text().strip()
                return f"a command has not ended after {TIMEOUT} s: {step}"
        told = self._folder / ".problem"
        return told.read_text().strip() if told.exists() else "the shell ended"

    def _tell(self, text):
        self._shell.stdin.write(text)
        self._shell.stdin.flush()
