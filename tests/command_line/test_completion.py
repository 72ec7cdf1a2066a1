"""The scripts for shells and the manual page, each read by the program that it is for."""

import os
import shutil
import subprocess
import tempfile
import unittest

import daemon_test
import wire


def made(*arguments):
    """What `wharf` prints, without a broker."""
    return subprocess.run([daemon_test.WHARF, *arguments], stdout=subprocess.PIPE, text=True, timeout=wire.TIMEOUT,
                          check=True).stdout


class CompletionTest(unittest.TestCase):

    def complete(self, *words):
        """What bash offers when the last of these words is being written."""
        script = f"""{made("completion", "bash")}
            COMP_WORDS=(wharf "$@"); COMP_CWORD=$#; _wharf; printf '%s\\n' "${{COMPREPLY[@]}}\""""
        ended = subprocess.run(["bash", "-c", script, "bash", *words], capture_output=True, text=True,
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

    def check(self, shell, *arguments):
        """The script as the shell itself reads it, where it is installed."""
        if shutil.which(shell) is None:
            self.skipTest(f"{shell} is not installed")
        ended = subprocess.run([shell, *arguments], input=made("completion", shell), capture_output=True, text=True,
                               timeout=wire.TIMEOUT, check=False)
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))

    def test_zsh_reads_its_script(self):
        self.check("zsh", "-n", "/dev/stdin")

    def test_fish_reads_its_script(self):
        self.check("fish", "--no-execute", "/dev/stdin")

    def test_scripts_are_of_shells_that_there_are(self):
        ended = subprocess.run([daemon_test.WHARF, "completion", "tcsh"], capture_output=True, text=True, check=False)
        self.assertEqual(ended.returncode, 2)
        self.assertIn("choose one of bash, zsh, fish", ended.stderr)


class ManPageTest(unittest.TestCase):

    def test_it_is_a_manual_page(self):
        page = made("man")
        ended = subprocess.run(["man", "--warnings", "-l", "-"], input=page, capture_output=True, text=True,
                               env={**os.environ, "MANWIDTH": "100", "LC_ALL": "C.UTF-8", "MANPAGER": "cat"},
                               timeout=wire.TIMEOUT, check=False)
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))
        for text in ("NAME", "SYNOPSIS", "wharf queue create NAME", "--lock-duration DURATION", "Exit codes:"):
            self.assertIn(text, ended.stdout)


if __name__ == "__main__":
    unittest.main()
