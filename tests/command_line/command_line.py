"""What the tests of the command line share: a broker with a clock that the test moves, and ways to run `wharf`."""

import json
import subprocess

import daemon_test
import wire

OK, FAILED, USAGE = 0, 1, 2


class CommandLineTest(daemon_test.DaemonTest):

    def setUp(self):
        super().setUp()
        self.daemon = self.start(flags=["--clock=manual"])
        self.run_wharf("queue", "create", "orders")

    def run_wharf(self, *arguments, code=OK):
        """What it prints on stdout; its stderr is in `self.said`."""
        ended = subprocess.run([daemon_test.WHARF, "--address", self.daemon.address, *arguments], text=True,
                               capture_output=True, timeout=wire.TIMEOUT, check=False)
        self.said = ended.stderr
        self.assertEqual(ended.returncode, code, ended.stderr + ended.stdout)
        return ended.stdout

    def run_json(self, *arguments, code=OK):
        return json.loads(self.run_wharf(*arguments, "--json", code=code))

    def run_lines(self, *arguments):
        """The JSON objects of a command that prints one a line."""
        return [json.loads(line) for line in self.run_wharf(*arguments, "--json").splitlines()]

    def numbers(self, *arguments):
        return [message["sequence_number"] for message in self.run_lines(*arguments)]

    def counts(self, *names):
        runtime = self.run_json("queue", "show", "orders")["runtime"]
        return [runtime[f"{name}_message_count"] for name in names]

    def lock(self, *arguments):
        """Receives and leaves the message locked; its token."""
        return self.run_json("receive", "orders", "--settle", "none", "--wait", "0s", *arguments)["lock_token"]
