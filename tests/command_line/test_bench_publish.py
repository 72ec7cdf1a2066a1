"""The command line measures topics: wharf bench publish."""

import re
import unittest

import command_line
from command_line import USAGE


class BenchPublishTest(command_line.CommandLineTest):

    def test_copies_are_counted(self):
        report = self.run_json("bench", "publish", "--subscriptions", "5", "--matching", "2", "--messages", "40",
                               "--size", "300")["report"]
        self.assertEqual((report["messages"], report["copies"], report["errors"]), (40, 80, 0))
        self.assertGreater(report["synced_bytes_per_copy"], 0)

        rules = self.run_json("bench", "publish", "--subscriptions", "4", "--sql-rules", "6", "--correlation-rules",
                              "6", "--matching-rules", "3", "--messages", "10")["report"]
        self.assertEqual((rules["copies"], rules["errors"]), (30, 0))
        self.assertRegex(self.run_wharf("bench", "publish", "--subscriptions", "2", "--messages", "10"),
                         re.compile(r"publish: .*20 copies: \S+ copies/s, \d+ bytes synced per copy", re.DOTALL))
        self.assertEqual(self.run_json("topic", "list")["topics"], [])

    def test_bad_usage(self):
        self.run_wharf("bench", "publish", "--matching", "1", "--sql-rules", "1", code=USAGE)


if __name__ == "__main__":
    unittest.main()
