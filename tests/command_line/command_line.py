"""What the tests of the command line share: a broker with a clock that the test moves, and ways to run `wharf`."""

import json
import os
import pathlib
import signal
import subprocess
import tempfile
import unittest

import daemon_test
import wire
from free_ports import free_port

OK, FAILED, USAGE, UNREACHABLE, TOO_FEW, UNKNOWN, DIFFERS, INTERRUPTED = 0, 1, 2, 3, 4, 5, 6, 130


def environment_of(daemon, config):
    """As a user has it whose broker that is; on a busy machine a connection takes its time.

    `config` is the folder where `wharf` keeps what it is told to keep: tests that run at the same time have one each.
    """
    return {**os.environ, "WHARF_ADDRESS": daemon.address, "WHARF_CONNECT_TIMEOUT": f"{wire.TIMEOUT}s",
            "XDG_CONFIG_HOME": config}


def keep_context(name, connection_string, config):
    subprocess.run([daemon_test.WHARF, "context", "add", name, "--connection-string", connection_string],
                   env={**os.environ, "XDG_CONFIG_HOME": config}, stdout=subprocess.DEVNULL, check=True)


def export_definitions(address, file):
    subprocess.run([daemon_test.WHARF, "--address", address, "definitions", "export", file],
                   stdout=subprocess.DEVNULL, check=True)


class SharedBrokerTest(unittest.TestCase):
    """One broker, with a clock that stands still, for all tests of a class."""

    FLAGS = ("--clock=manual",)

    @classmethod
    def setUpClass(cls):
        config = tempfile.TemporaryDirectory(prefix="wharf-config-")
        cls.addClassCleanup(config.cleanup)
        cls.config = config.name
        cls.daemon = cls.start_broker(*cls.FLAGS)
        cls.client = wire.Client(cls.daemon.address)
        cls.addClassCleanup(cls.client.close)

    @classmethod
    def start_broker(cls, *flags):
        folder = tempfile.TemporaryDirectory(prefix="wharf-command-line-")
        cls.addClassCleanup(folder.cleanup)
        daemon = wire.Daemon(f"{folder.name}/data", flags=flags)
        cls.addClassCleanup(daemon.kill)
        return daemon

    @classmethod
    def environment(cls):
        return environment_of(cls.daemon, cls.config)

    @classmethod
    def command(cls, *arguments):
        return [daemon_test.WHARF, *arguments]

    @classmethod
    def wharf(cls, *arguments, **options):
        return subprocess.run(cls.command(*arguments), text=True, capture_output=True, stdin=subprocess.DEVNULL,
                              env={**cls.environment(), **options}, timeout=wire.TIMEOUT, check=False)


class CommandLineTest(daemon_test.DaemonTest):

    FLAGS = ["--clock=manual"]  # Of the daemon.

    def setUp(self):
        super().setUp()
        self.config = f"{self.folder.name}/config"
        self.daemon = self.start(flags=self.FLAGS)
        self.addCleanup(self.assert_broker_did_not_fail)
        self.run_wharf("queue", "create", "orders")

    def assert_broker_did_not_fail(self):
        """It runs, or the test has ended it."""
        self.assertIn(self.daemon.exit_code(), (None, OK, -signal.SIGKILL, -signal.SIGTERM, -signal.SIGINT),
                      "".join(self.daemon.log))

    def run_wharf(self, *arguments, code=OK):
        """What it prints on stdout; its stderr is in `self.said`."""
        ended = subprocess.run([daemon_test.WHARF, *arguments], text=True, capture_output=True,
                               env=environment_of(self.daemon, self.config), timeout=wire.TIMEOUT, check=False)
        self.said = ended.stderr
        self.assertEqual(ended.returncode, code, ended.stderr + ended.stdout)
        return ended.stdout

    def environment(self):
        """For a shell that finds `wharf`, and `wharf` the broker."""
        return {**environment_of(self.daemon, self.config),
                "PATH": f"{os.path.dirname(daemon_test.WHARF)}:{os.environ['PATH']}"}

    def run_shell(self, script, **popen):
        """What a script of bash prints on stdout; its stderr is in `self.said`."""
        ended = subprocess.run(["bash", "-c", script], env=self.environment(), text=True, capture_output=True,
                               timeout=2 * wire.TIMEOUT, check=False, **popen)
        self.said = ended.stderr
        return ended.stdout

    def start_where_it_stays(self, **options):
        """The daemon anew, at an address at which it can be started again: nobody else is given it meanwhile."""
        self.assertEqual(self.daemon.terminate(), 0)
        self.daemon = self.start(listen=f"127.0.0.1:{free_port()}", **options)

    def begin(self, *arguments, **popen):
        """A `wharf` that runs beside the test, ended with it."""
        process = subprocess.Popen([daemon_test.WHARF, *arguments], env=self.environment(), text=True,
                                   stderr=subprocess.PIPE, **popen)
        self.addCleanup(self.end, process)
        return process

    @staticmethod
    def end(process):
        process.kill()
        process.communicate()

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


class AccessTest(CommandLineTest):
    """The broker has access on; who says nothing is root, by a variable."""

    FLAGS = ["--access=on"]

    def setUp(self):
        self.root = None
        super().setUp()

    def start(self, data=None, **options):
        daemon = super().start(data, **options)
        self.root = pathlib.Path(self.data, "root-connection-string")
        os.environ["WHARF_CONNECTION_STRING"] = f"@{self.root}"
        self.addCleanup(os.environ.pop, "WHARF_CONNECTION_STRING", None)
        return daemon

    def file_of(self, connection_string):
        file = pathlib.Path(self.folder.name, "connection")
        file.write_text(connection_string, encoding="ascii")
        return f"@{file}"
