#!/usr/bin/python3 -B
"""test_node_scripts: tools/failover and tools/nodes measure what they say. Of so little the figures say nothing, so
they are not looked at; but what is counted is.

  tests/tools/test_node_scripts.py

Needs WHARFD, the path of the daemon that was built (default: the release build), with `wharf` beside it.
"""

import os
import pathlib
import re
import subprocess
import unittest

TOOLS = pathlib.Path(__file__).resolve().parents[2] / "tools"
BIN = pathlib.Path(os.environ.setdefault("WHARFD", str(TOOLS.parent / "build/release/bin/wharfd"))).parent
LITTLE = {"QUEUES": "50", "LOCKS": "200", "WAITING": "500", "CYCLES": "500", "AWAY": "0.0005", "JOINED": "0.002"}
LOAD = r"load of the machine: [\d.]+\n$"
SAME = r"n1, n2, n3 hold the same: .*\n"
PEAKS = r"(  n[123] +\d+ MiB \([\d.]+\)){%d}  together \d+ MiB\n"


def run(tool, *arguments):
    return subprocess.run([TOOLS / tool, *arguments], env={**os.environ, **LITTLE}, capture_output=True, text=True,
                          timeout=240)


@unittest.skipUnless((BIN / "libwharfraft.so").exists(), "built without WHARF_CLUSTER")
class NodeScriptsTest(unittest.TestCase):

    def assert_tells(self, words, tool, *arguments):
        ended = run(tool, *arguments)
        self.assertIn(ended.returncode, (0, 1), ended.stderr)
        self.assertEqual(ended.stderr, "")
        self.assertRegex(ended.stdout, re.compile(words + LOAD))

    def test_fail_overs_lose_no_lock_and_give_none_twice(self):
        self.assert_tells(
            rf"50 queues, 200 locks in \d+ s\n(kill \d+: [\d.]+ s\n)*{SAME}"
            r"2 kills: p50 [\d.]+ s, p90 [\d.]+ s, slowest [\d.]+ s; "
            r"0 tokens did not settle, 0 messages were given twice; \d+ MiB at the most\n", "failover", "2")

    def test_transfers(self):
        # On a machine that stands still nobody may lead for a moment, and a send be in doubt.
        self.assert_tells(
            rf"50 queues, 200 locks in \d+ s\n{SAME}"
            r"2 transfers: nobody heard anything for p50 [\d.]+ s, longest [\d.]+ s; \d+ sends were left in doubt\n",
            "failover", "--transfer", "2")

    def test_memory(self):
        self.assert_tells(rf"{SAME}as it is +{PEAKS % 3}one is away +{PEAKS % 2}"
                          rf"it catches up +{PEAKS % 3}500 written +{PEAKS % 3}500 wait +{PEAKS % 3}"
                          r"caught up in [\d.]+ s; n\d led, n\d was away\n", "nodes", "memory")

    def test_cold_starts(self):
        self.assert_tells(rf"{SAME}to the first receive of 500: [\d.]+ s, [\d.]+ s, [\d.]+ s\n", "nodes", "cold")

    def test_a_node_that_joins(self):
        self.assert_tells(r"n1, n2, n3, n4 hold the same: .*\n"
                          r"a node votes [\d.]+ s after it was added to 0.002 GiB\n", "nodes", "join")

    def test_what_is_not_understood(self):
        for tool, arguments in (("failover", ["many"]), ("failover", ["0"]), ("nodes", []), ("nodes", ["warm"])):
            with self.subTest(tool=tool, arguments=arguments):
                ended = run(tool, *arguments)
                self.assertEqual((ended.returncode, ended.stdout), (2, ""))
                self.assertIn(f"tools/{tool}", ended.stderr)


if __name__ == "__main__":
    unittest.main()
