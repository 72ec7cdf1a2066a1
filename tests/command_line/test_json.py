"""What --json prints: numbers to compute with, absent where there is nothing, and read again by `send --jsonl`."""

import json
import subprocess
import unittest

import command_line
import wire
from command_line import OK


class JsonTest(command_line.CommandLineTest):

    def test_durations_are_numbers_of_seconds(self):
        queue = self.run_json("queue", "create", "timed", "--lock-duration", "1m30s", "--retry", "fixed",
                              "--retry-base", "250ms")["properties"]
        self.assertEqual((queue["lock_duration"], queue["retry_policy"]["base"]), (90, 0.25))
        self.assertNotIn("default_message_time_to_live", queue)
        self.run_wharf("send", "orders", "x", "--time-to-live", "1h", "--property", "age:timespan=1h30m")
        (message,) = self.run_lines("peek", "orders")
        self.assertEqual(message["time_to_live"], 3600)
        self.assertEqual(message["application_properties"]["age"], {"type": "timespan", "value": 5400})

    def send_lines(self, *messages, code=OK):
        lines = "".join(json.dumps(message) + "\n" for message in messages)
        ended = subprocess.run([command_line.daemon_test.WHARF, "send", "orders", "--jsonl", "--quiet"], input=lines,
                               env=command_line.environment_of(self.daemon, self.config), text=True,
                               capture_output=True, timeout=wire.TIMEOUT, check=False)
        self.assertEqual(ended.returncode, code, ended.stderr)
        return ended.stderr

    def test_durations_are_read_as_numbers_and_as_text(self):
        self.send_lines({"body": "a", "time_to_live": 90}, {"body": "b", "time_to_live": "1m30s"},
                        {"body": "c", "time_to_live": 1.5})
        self.assertEqual([message["time_to_live"] for message in self.run_lines("peek", "orders")], [90, 90, 1.5])
        for wrong in (-1, True, 1e300, [1], "soon"):
            self.assertIn("time_to_live", self.send_lines({"body": "d", "time_to_live": wrong}, code=command_line.USAGE))

    def test_what_is_received_is_sent_again(self):
        given = {"body": "x", "message_id": "m", "time_to_live": 0.000001 + 3600, "subject": "\u202ered\u009b",
                 "application_properties": {"span": {"type": "timespan", "value": -1.5}, "n": 2 ** 53 + 1}}
        self.send_lines(given)
        (received,) = self.run_lines("receive", "orders", "--wait", "0s")
        self.send_lines(received)
        (again,) = self.run_lines("peek", "orders")
        for name, value in given.items():
            self.assertEqual((received[name], again[name]), (value, value))

    def test_absent_is_absent(self):
        self.run_wharf("send", "orders", "x")
        job = self.run_json("delete-selected", "orders", "--all", "--wait")
        self.assertEqual({"target", "last_error", "selection"} & set(job), set())
        self.assertEqual((job["done_count"], job["left_count"]), (1, 0))
        self.assertEqual(self.run_json("job", "list")["jobs"], [job])


if __name__ == "__main__":
    unittest.main()
