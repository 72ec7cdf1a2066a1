"""The scripts for shells and the manual page, each read by the program that it is for."""

import os
import pathlib
import pty
import select
import subprocess
import tempfile
import time
import unittest

import commands
import daemon_test
import wire


def made(*arguments):
    """What `wharf` prints, without a broker."""
    return subprocess.run([daemon_test.WHARF, *arguments], stdout=subprocess.PIPE, text=True, timeout=wire.TIMEOUT,
                          check=True).stdout


def manual(page):
    """As man shows it, without a complaint and without breaking a line."""
    shown = subprocess.run(["man", "--warnings", "-l", "-"], input=page, capture_output=True, text=True,
                           env={**os.environ, "MANWIDTH": "200", "LC_ALL": "C.UTF-8", "MANPAGER": "cat"},
                           timeout=wire.TIMEOUT, check=False)
    assert (shown.returncode, shown.stderr) == (0, ""), shown.stderr
    return shown.stdout


class CompletionTest(unittest.TestCase):

    def complete(self, *words):
        """What bash offers when the last of these words is being written."""
        script = f"""{made("completion", "bash")}
            COMP_WORDS=(wharf "$@"); COMP_CWORD=$#; _wharf; printf '%s\\n' "${{COMPREPLY[@]}}\""""
        ended = subprocess.run(["bash", "-s", "--", *words], input=script, capture_output=True, text=True,
                               timeout=wire.TIMEOUT, check=False)
        self.assertEqual(ended.stderr, "")
        return ended.stdout.split()

    def test_commands(self):
        self.assertEqual(self.complete("qu"), ["queue"])
        self.assertEqual(self.complete("queue", ""), ["create", "update", "show", "list", "delete"])
        self.assertEqual(self.complete("session", "state", "s"), ["set"])
        self.assertIn("completion", self.complete("co"))
        self.assertEqual(self.complete("send", "queue", ""), [])

    def test_options(self):
        self.assertEqual(self.complete("queue", "create", "--lock-d"), ["--lock-duration"])
        self.assertEqual(self.complete("queue", "create", "orders", "--addr"), ["--address"])
        self.assertEqual(self.complete("--json", "peek", "--stat"), ["--state"])

    def test_values(self):
        self.assertEqual(self.complete("queue", "create", "--retry", ""), ["none", "fixed", "linear", "exponential"])
        self.assertEqual(self.complete("settle", "orders", "ab"), ["abandon"])
        self.assertEqual(self.complete("completion", ""), ["bash", "zsh", "fish"])
        self.assertEqual(self.complete("peek", "--max", ""), [])

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(f"{folder}/cake.json", "w", encoding="utf-8"):
                pass
            self.assertEqual(self.complete("send", "orders", "--file", f"{folder}/c"), [f"{folder}/cake.json"])

    def test_scripts_are_of_shells_that_there_are(self):
        ended = subprocess.run([daemon_test.WHARF, "completion", "tcsh"], capture_output=True, text=True, check=False)
        self.assertEqual(ended.returncode, 2)
        self.assertIn("choose one of bash, zsh, fish", ended.stderr)


def beginning_of(name, names):
    """The shortest one that no other of these names has; nothing if another one begins with this name."""
    beginnings = (name[:length] for length in range(1, len(name)))
    return next((each for each in beginnings if sum(other.startswith(each) for other in names) == 1), None)


class Zsh:
    """One at a terminal, in which `wharf` says with which words it was called."""

    START = """PS1=; fpath=({folder} $fpath); autoload -Uz compinit; compinit -u -D
               wharf() {{ print -r -- "<wharf $*>" }}; wharf is ready\n"""

    def __init__(self, folder):
        self.terminal, its_side = pty.openpty()
        self.shell = subprocess.Popen(["zsh", "-f", "-i"], stdin=its_side, stdout=its_side, stderr=its_side, cwd=folder,
                                      env={**os.environ, "TERM": "dumb", "LC_ALL": "C.UTF-8"}, start_new_session=True)
        os.close(its_side)
        self.printed = ""
        self.type(self.START.format(folder=folder))
        self.wait_for("<wharf is ready>")

    def type(self, text):
        os.write(self.terminal, text.encode())

    def wait_for(self, text):
        end = time.monotonic() + wire.TIMEOUT
        while text not in self.printed:
            ready, _, _ = select.select([self.terminal], [], [], max(0, end - time.monotonic()))
            if not ready:
                raise AssertionError(f"zsh does not come to '{text}': {self.printed[-1000:]}")
            self.printed += os.read(self.terminal, 65536).decode(errors="replace")
        self.printed = self.printed.split(text, 1)[1]

    def end(self):
        self.shell.kill()
        self.shell.wait()
        os.close(self.terminal)


class EveryCommandTest(unittest.TestCase):
    """What each shell offers, of all that there is; and what the manual page has."""

    def setUp(self):
        self.table = commands.table()

    def asked_for(self):
        """Each command that has some below it, and their names."""
        return [(parent["command"], commands.names_below(parent)) for parent in commands.parents(self.table)]

    def test_bash(self):
        asked = self.asked_for()
        lines = "".join(f"COMP_WORDS=({command} ''); COMP_CWORD={len(command.split())}; _wharf; "
                        "echo \"${COMPREPLY[@]}\"\n" for command, _ in asked)
        told = subprocess.run(["bash"], input=made("completion", "bash") + "\n" + lines, capture_output=True, text=True,
                              timeout=wire.TIMEOUT, check=True)
        self.assertEqual(told.stderr, "")
        self.assertEqual([line.split() for line in told.stdout.splitlines()], [names for _, names in asked])

    def test_fish(self):
        asked = self.asked_for()
        with tempfile.TemporaryDirectory() as folder:
            script = pathlib.Path(folder, "wharf.fish")
            script.write_text(made("completion", "fish"), encoding="utf-8")
            lines = "".join(f"complete -C '{command} '; echo =====\n" for command, _ in asked)
            told = subprocess.run(["fish", "--no-config"], input=f"source {script}\n{lines}", capture_output=True,
                                  text=True, timeout=wire.TIMEOUT, check=True, env={**os.environ, "HOME": folder})
        self.assertEqual(told.stderr, "")
        offered = [part.splitlines() for part in told.stdout.split("=====\n")[:-1]]
        self.assertEqual([sorted(line.split("\t")[0] for line in lines) for lines in offered],
                         [sorted(names) for _, names in asked])

    def test_zsh(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "_wharf").write_text(made("completion", "zsh"), encoding="utf-8")
            zsh = Zsh(folder)
            self.addCleanup(zsh.end)
            for command, names in self.asked_for():
                for name in names:
                    if beginning := beginning_of(name, names):
                        zsh.type(f"{command} {beginning}\t\n")
                        zsh.wait_for(f"<{command} {name}>")

    def test_manual_page(self):
        page = manual(made("man"))
        for parent in commands.parents(self.table):
            for command in parent["commands"]:
                said = command["command"] if command["commands"] else command["usage"]
                self.assertTrue(said in page, f"the manual page lacks '{said}'")


class ManPageTest(unittest.TestCase):

    def test_it_is_a_manual_page(self):
        page = manual(made("man"))
        for text in ("NAME", "SYNOPSIS", "wharf queue create NAME", "--lock-duration DURATION", "Exit codes:"):
            self.assertIn(text, page)


if __name__ == "__main__":
    unittest.main()
