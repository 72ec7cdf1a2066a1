#!/usr/bin/python3 -B
"""test_doors_script: tools/doors measures what it says, with all that its figures are made of. Of so little they say
nothing, so they are not looked at.

  tests/peers/test_doors_script.py

Needs WHARFD, the path of the daemon that was built (default: the release build), with call_bench beside it.
"""

import os
import pathlib
import re
import subprocess
import unittest

DOORS = pathlib.Path(__file__).resolve().parents[2] / "tools/doors"
LITTLE = {"ROUNDS": "1", "SCALE": "0.005", "ENTITIES": "150", "POLLS": "40", "LINKED": "40", "LARGE": "8",
          "AT_REST": "0.1"}
RATIO = r" +[\d,]+(/s|us) +[\d.]+  \([\d.]+ to [\d.]+\), asked [\d.]+; processor [\d.]+ us, [\d.]+ us$"


def run(*kinds):
    return subprocess.run([DOORS, *kinds], env={**os.environ, **LITTLE}, capture_output=True, text=True, timeout=240)


class DoorsScriptTest(unittest.TestCase):

    def test_each_kind_tells_its_figures(self):
        ended = run("speed", "polls", "large", "links", "greedy", "streams")
        self.assertIn(ended.returncode, (0, 1), ended.stderr)
        self.assertEqual(ended.stderr, "")
        for words in (r"send +http +[\d,]+/s +grpc" + RATIO, r"receive +http +[\d,]+/s +grpc" + RATIO,
                      r"latency +http +[\d,]+us +grpc" + RATIO, r"send +amqp +[\d,]+/s +stream" + RATIO,
                      r"cycle +amqp +[\d,]+/s +stream" + RATIO, r"latency +amqp +[\d,]+us +stream" + RATIO,
                      r"send +websocket +[\d,]+/s +tcp" + RATIO, r"cycle +websocket +[\d,]+/s +tcp" + RATIO,
                      r"page, \$skip=0 +[\d.]+ ms, asked 20 ms$",
                      r"page, \$skip=50 +[\d.]+ ms, asked 20 ms$", r"poll that waits +[-\d.]+ KiB, asked 24 KiB$",
                      r"all of them +[\d.]+ % of a core, asked 1 %$",
                      r"8 MiB out, in [\d.]+ s +[-\d.]+ MiB, asked 8 MiB$",
                      r"AMQP that waits, TLS +[-\d.]+ KiB, asked 96 KiB$",
                      r"a million credits +[-\d.]+ MiB, asked 16 MiB; another's links after \d+ ms$",
                      r"no end, 25\d MiB +[-\d.]+ MiB, asked 16 MiB; another's links after \d+ ms$",
                      r"4,000 links +[-\d.]+ MiB, asked 16 MiB; another's links after \d+ ms$",
                      r"8 MiB in, each +[-\d.]+ MiB, asked 16 MiB$", r"8 MiB out, each +[-\d.]+ MiB, asked 16 MiB$"):
            with self.subTest(words):
                self.assertRegex(ended.stdout, re.compile("^" + words, re.M))

    def test_a_kind_that_is_none_is_refused(self):
        ended = run("speeed")
        self.assertEqual(ended.returncode, 2)
        self.assertIn("tools/doors KIND", ended.stderr)


if __name__ == "__main__":
    unittest.main()
