#!/usr/bin/python3 -B
"""test_ledger: a run of wharf-crash that is stopped comes to its end, says so in its ledger, and the next goes on.

  tests/crash/test_ledger.py

Needs WHARFD, the path of the daemon that was built (default: the release build), with wharf-crash beside it.
"""

import json
import os
import pathlib
import signal
import subprocess
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
WHARFD = pathlib.Path(os.environ.get("WHARFD", ROOT / "build/release/bin/wharfd")).resolve()
TIMEOUT = 200  # seconds; only a broken run takes so long
ROUNDS = 50  # more than it comes to


class LedgerTest(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="wharf-ledger-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.ledger = self.folder / "ledger.jsonl"

    def start(self, *arguments):
        """A group of its own, as a terminal makes it."""
        run = subprocess.Popen(
            [WHARFD.parent / "wharf-crash", "--wharfd", WHARFD, "--nodes", "3", "--faults", "kill-leader",
             "--ledger", self.ledger, *map(str, arguments)],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True)
        self.addCleanup(run.kill)
        return run

    def end(self, run):
        said, _ = run.communicate(timeout=TIMEOUT)
        self.assertEqual(run.returncode, 0, said)
        self.assertTrue(said.endswith("lost: 0\n"), said)

    def lines(self):
        return [json.loads(line) for line in self.ledger.read_text().splitlines()]

    def await_load(self, data):
        """Until the queues of the load are there."""
        end = time.monotonic() + TIMEOUT
        while not any("queue" in log.read_text() and "chats" in log.read_text() for log in data.glob("*.log")):
            self.assertLess(time.monotonic(), end, "nobody makes queues")
            time.sleep(0.05)

    def test_it_goes_on_where_it_was_stopped(self):
        run = self.start("--rounds", ROUNDS, "--data", self.folder / "data")
        self.await_load(self.folder / "data")
        os.killpg(run.pid, signal.SIGINT)
        self.end(run)

        (stopped,) = self.lines()
        self.assertEqual((stopped["seed"], stopped["rounds_wanted"], stopped["verdict"]), (1, ROUNDS, "good"))
        self.assertLess(stopped["rounds"], ROUNDS)
        self.assertEqual(stopped["kinds"], {"kill-leader": stopped["rounds"]})

        run = self.start("--rounds", 1)
        self.end(run)
        self.assertEqual([(line["seed"], line["rounds"]) for line in self.lines()[1:]], [(2, 1)])


if __name__ == "__main__":
    unittest.main()
