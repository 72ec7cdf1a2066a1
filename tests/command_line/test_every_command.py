"""Every command, as text and as JSON, with an output that can be written, and with outputs that cannot.

The commands come from the program itself: a new one without a sample in samples.py is a failure.
"""

import json
import os
import re
import subprocess
import tempfile
import unittest

import command_line
import commands
import wire
from command_line import OK, FAILED
from ground import Ground
from samples import SAMPLES

CODES = range(7)  # What the help explains; anything else is a signal or an abort.
NO_JSON = {"completion", "man"}  # Texts for other programs.
# What libraries say when they give up.
ALARMS = ("terminate", "libprotobuf", "what()", "Assertion", "chttp2")


# A broker by itself refuses them: test_cluster_commands.py.
CLUSTER = {f"cluster {verb}" for verb in ("init", "add", "remove", "transfer", "set-address", "status", "verify",
                                          "recover")}


class EveryCommand(command_line.SharedBrokerTest):
    """The ground of the tests below: one broker, and one way in which stdout is."""

    FLAGS = ("--clock=manual", "--listen=amqp://127.0.0.1:0")

    @classmethod
    def setUpClass(cls):
        backups = tempfile.TemporaryDirectory(prefix="wharf-backups-")
        cls.addClassCleanup(backups.cleanup)
        cls.FLAGS = (*cls.FLAGS, f"--backup-folder={backups.name}")
        super().setUpClass()
        exports = tempfile.TemporaryDirectory(prefix="wharf-exports-")
        cls.addClassCleanup(exports.cleanup)
        cls.ground = Ground(cls.client, cls.start_broker(), cls.start_broker(), exports.name,
                            cls.config, re.search(r" amqp://127.0.0.1:(\d+) ", cls.daemon.log[-1]).group(1))
        cls.addClassCleanup(cls.ground.hang_up)
        cls.commands = [command for command in commands.leaves(commands.table()) if command not in CLUSTER]

    def for_each(self, check):
        """Every command that prints something, as text and as JSON, with arguments of its own."""
        for command in self.commands:
            for is_json in (False, True):
                if command == "session state get" and not is_json:
                    continue  # There is none to print.
                arguments = [*command.split(), *SAMPLES[command](self.ground), *(["--json"] if is_json else [])]
                with self.subTest(command=" ".join(arguments[:6]), is_json=is_json):
                    check(arguments, is_json and command not in NO_JSON)

    def assert_orderly(self, ended):
        self.assertIn(ended.returncode, CODES, ended.stderr)
        for alarm in ALARMS:
            self.assertNotIn(alarm, ended.stderr)

    def run_into(self, stdout, arguments):
        return self.run_to_end(self.command(*arguments), stdout)

    def run_in_bash(self, script, arguments):
        return self.run_to_end(["bash", "-c", script, "bash", *self.command(*arguments)], subprocess.DEVNULL)

    def run_to_end(self, command, stdout):
        ended = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=stdout, stderr=subprocess.PIPE, text=True,
                               env=self.environment(), timeout=wire.TIMEOUT, check=False)
        self.assert_orderly(ended)
        return ended


class AllIsWellTest(EveryCommand):

    def test_every_command_has_a_sample(self):
        self.assertEqual(set(self.commands), set(SAMPLES))

    def test_it_does_what_it_is_told(self):
        def check(arguments, is_json):
            ended = self.wharf(*arguments)
            self.assert_orderly(ended)
            self.assertEqual(ended.returncode, OK, ended.stderr)
            self.assertNotEqual(ended.stdout, "")
            for line in ended.stdout.splitlines() if is_json else ():
                json.loads(line)
        self.for_each(check)


class FullDiskTest(EveryCommand):

    def test_it_says_that_the_disk_is_full(self):
        def check(arguments, _):
            with open("/dev/full", "wb") as full:
                ended = self.run_into(full, arguments)
            self.assertEqual(ended.returncode, FAILED, ended.stderr)
            self.assertIn("cannot be written", ended.stderr)
        self.for_each(check)


class NoReaderTest(EveryCommand):

    def test_it_ends_quietly_when_nobody_reads(self):
        def check(arguments, _):
            reading, writing = os.pipe()
            os.close(reading)
            with os.fdopen(writing, "wb") as gone:
                ended = self.run_into(gone, arguments)
            self.assertEqual(ended.returncode, FAILED, ended.stderr)
            self.assertNotIn("Broken pipe", ended.stderr)
        self.for_each(check)


class HeadTest(EveryCommand):

    def test_the_reader_may_have_enough_after_a_line(self):
        def check(arguments, _):
            ended = self.run_in_bash('"$@" | head -n 1 > /dev/null; exit "${PIPESTATUS[0]}"', arguments)
            self.assertIn(ended.returncode, (OK, FAILED), ended.stderr)
            self.assertNotIn("Broken pipe", ended.stderr)
        self.for_each(check)


class ClosedTest(EveryCommand):

    def test_it_complains_of_a_closed_stdout(self):
        def check(arguments, _):
            ended = self.run_in_bash('"$@" >&-', arguments)
            self.assertEqual(ended.returncode, FAILED, ended.stderr)
            self.assertIn("cannot be written", ended.stderr)
        self.for_each(check)

    def test_a_closed_stderr_does_no_harm(self):
        for redirection in ("2>&-", "2>/dev/full", "<&- >&- 2>&-"):
            ended = self.run_in_bash(f'"$@" {redirection}', ["queue", "show", "nosuch"])
            self.assertEqual(ended.returncode, FAILED, redirection)


del EveryCommand  # Has no tests of its own.


if __name__ == "__main__":
    unittest.main()
