"""Rules that were added before the daemon started: under other limits, or damaged."""

import os
import subprocess
import unittest

import daemon_test
import wire
from topic_calls import correlation, sql

LOW = ["--max-sql-filters=1", "--max-correlation-filters=1"]


class RuleLimitsTest(daemon_test.DaemonTest):

    def fill(self):
        """A data folder with two rules of each kind that is limited."""
        daemon = self.start()
        self.client.topics.create("news")
        self.client.topics.subscribe("news", "s", sql("color = 'red'", "sql-1"))
        for rule in (sql("color = 'blue'", "sql-2"), correlation("wants-1", subject="a"),
                     correlation("wants-2", subject="b")):
            self.client.topics.add_rule("news", "s", rule)
        self.assertEqual(daemon.terminate(), 0)

    def test_a_lower_limit_is_for_rules_that_are_added_from_now_on(self):  # RUL-14
        self.fill()

        self.start(flags=LOW)

        names = [rule.name for rule in self.client.topics.list_rules("news", "s").rules]
        self.assertEqual(names, ["sql-1", "sql-2", "wants-1", "wants-2"])
        self.client.send("news", wire.Message(body=b"x", subject="b"))
        self.assertEqual(wire.bodies(self.client.receive("news/Subscriptions/s", 9)), [b"x"])
        for refused in (sql("1=1", "sql-3"), correlation("wants-3", subject="c")):
            with self.assertRaisesRegex(Exception, "as many as it may have"):
                self.client.topics.add_rule("news", "s", refused)

    def test_a_damaged_rule_ends_the_start(self):
        self.fill()
        subprocess.run([os.environ["DAMAGE_RULE"], self.data], check=True, timeout=wire.TIMEOUT)

        for _ in range(2):
            self.assert_refuses("the rule 'sql-1' of the subscription with the id 2 is damaged: .*"
                                "; restore the folder from a backup$")


if __name__ == "__main__":
    unittest.main()
