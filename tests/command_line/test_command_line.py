"""The command line: each command against a real broker, with a clock that the test moves."""

import pathlib
import unittest

import command_line
from command_line import FAILED, USAGE


class CommandLineTest(command_line.CommandLineTest):

    # Queues

    def test_every_property_of_a_queue(self):
        given = {"default-message-time-to-live": "1h", "dead-lettering-on-message-expiration": "true",
                 "requires-duplicate-detection": "true", "duplicate-detection-history-time-window": "5m",
                 "auto-delete-on-idle": "2d", "retry": "exponential", "retry-base": "2s", "retry-cap": "1m",
                 "retry-jitter": "0.25"}
        options = [text for name, value in given.items() for text in (f"--{name}", value)]

        made = self.run_json("queue", "create", "full", *options)["properties"]

        self.assertEqual(made["default_message_time_to_live"], 3600)
        self.assertTrue(made["dead_lettering_on_message_expiration"] and made["requires_duplicate_detection"])
        self.assertEqual(made["duplicate_detection_history_time_window"], 300)
        self.assertEqual(made["auto_delete_on_idle"], 2 * 86400)
        self.assertEqual(made["retry_policy"], {"backoff": "exponential", "base": 2, "cap": 60, "jitter": 0.25})
        updated = self.run_json("queue", "update", "full", "--retry-base", "3s", "--retry-jitter", "0")["properties"]
        self.assertEqual(updated["retry_policy"], {"backoff": "exponential", "base": 3, "cap": 60, "jitter": 0.0})
        self.assertNotIn("retry_policy", self.run_json("queue", "update", "full", "--retry", "none")["properties"])
        self.assertRegex(self.run_wharf("queue", "create", "linear", "--retry", "linear"),
                         r"retry_policy\.backoff +linear\n")

    def test_bad_usage(self):
        for arguments in (["queue", "create", "q", "--retry", "sometimes"],
                          ["queue", "create", "q", "--retry-base", "x"],
                          ["queue", "create", "q", "--retry-base", "5s"], ["queue", "update", "orders"],
                          ["send", "orders", "x", "--at", "soon"], ["receive", "orders", "--deferred", "x"],
                          ["receive", "orders", "--deferred", "1", "--number", "1"],
                          ["receive", "orders", "--deferred", "1", "--max", "2"],
                          ["receive", "orders", "--number", "1", "--follow"], ["receive", "orders", "--delay", "3s"],
                          ["peek", "orders", "--state", "gone"],
                          ["settle", "orders", "defer", "0" * 32, "--delay", "3s"],
                          ["settle", "orders", "abandon", "0" * 32, "--delay", "3s", "--until", "+3s"],
                          ["scheduled", "cancel", "orders"], ["scheduled", "move", "orders", "1"],
                          ["message", "complete", "orders", "-1"], ["delete-messages", "orders"],
                          ["purge", "orders", "--dead-letter", "--include-scheduled"], ["job", "show", "x"],
                          ["redrive", "orders", "--from", "then"]):
            with self.subTest(arguments=arguments):
                self.run_wharf(*arguments, code=USAGE)

    def test_every_command_has_its_help(self):
        for command in (["scheduled"], ["deferred"], ["message"], ["job"], ["purge"], ["redrive"], ["delete-messages"],
                        ["delete-selected"], ["scheduled", "move"], ["message", "dead-letter"], ["job", "wait"]):
            self.assertIn("Usage:", self.run_wharf(*command, "--help"))

    # Messages

    def test_a_duplicate_says_so(self):
        self.run_wharf("queue", "create", "unique", "--requires-duplicate-detection", "true")

        self.assertEqual(self.run_wharf("send", "unique", "x", "--message-id", "m-1"), "1\n")
        self.assertEqual(self.run_wharf("send", "unique", "x", "--message-id", "m-1"), "duplicate of 1\n")
        self.assertEqual(self.run_json("send", "unique", "x", "--message-id", "m-1")["duplicate_of"], 1)

    def test_a_time_to_live(self):
        self.run_wharf("send", "orders", "x", "--time-to-live", "30s")

        self.run_wharf("clock", "advance", "30s")

        self.assertEqual(self.counts("total"), [0])

    def test_scheduled_messages(self):
        self.run_wharf("clock", "advance", "1d")  # +1h is of the broker's clock.
        self.assertEqual(self.run_wharf("send", "orders", "a", "b", "c", "d", "--at", "+1h"), "1\n2\n3\n4\n")
        self.assertEqual(self.numbers("scheduled", "list", "orders"), [1, 2, 3, 4])
        self.assertEqual(self.numbers("scheduled", "list", "orders", "--max", "2"), [1, 2])
        self.assertRegex(self.run_wharf("scheduled", "list", "orders"), r"SCHEDULED FOR[^\n]*\n +1  scheduled")

        self.assertEqual(self.run_wharf("scheduled", "cancel", "orders", "1"), "cancelled 1\n")
        self.assertEqual(self.run_wharf("scheduled", "activate", "orders", "2"), "5\n")
        self.assertEqual(self.run_json("scheduled", "move", "orders", "3,4", "--at", "+2h"), {"moved": 2})
        self.run_wharf("scheduled", "cancel", "orders", "2", "3", code=FAILED)

        self.assertIn("MessageNotFound", self.said)
        self.run_wharf("clock", "advance", "1h")
        self.assertEqual(self.counts("scheduled", "active"), [2, 1])
        self.run_wharf("clock", "advance", "1h")
        self.assertEqual(self.run_wharf("receive", "orders", "--max", "0", "--wait", "0s"), "b\nc\nd\n")

    def test_deferred_messages(self):
        self.run_wharf("send", "orders", "a", "b", "c")
        self.run_wharf("receive", "orders", "--max", "2", "--settle", "defer")
        self.assertEqual(self.run_wharf("settle", "orders", "defer", self.lock())[-5:], "done\n")
        self.assertEqual(self.numbers("deferred", "list", "orders"), [1, 2, 3])

        self.assertEqual(self.run_wharf("receive", "--deferred", "3,1", "orders"), "c\na\n")
        self.assertEqual(self.counts("deferred", "total"), [1, 1])
        self.run_wharf("receive", "orders", "--deferred", "1", code=FAILED)
        self.assertEqual(self.run_wharf("deferred", "undefer", "orders", "2"), "undeferred 1\n")

        self.assertEqual(self.run_wharf("receive", "orders", "--wait", "0s"), "b\n")

    def test_a_deferred_message_may_be_large(self):  # SIZ-8
        body = "large " * 400000
        file = pathlib.Path(self.folder.name, "body")
        file.write_text(body, encoding="ascii")
        self.run_wharf("queue", "create", "large", "--max-message-size-in-kilobytes", "4096")
        self.run_wharf("send", "large", "--file", str(file))
        self.run_wharf("receive", "large", "--settle", "defer")

        self.run_wharf("receive", "large", "--deferred", "1", "--mode", "receive-and-delete", code=FAILED)
        self.assertIn("MessageSizeExceeded", self.said)
        self.assertTrue(self.run_wharf("receive", "large", "--deferred", "1", "--settle", "abandon") == body + "\n")
        self.assertTrue(self.run_json("receive", "large", "--deferred", "1")["body"] == body)
        self.assertEqual(self.run_json("queue", "show", "large")["runtime"]["total_message_count"], 0)

    def test_one_message_by_its_number(self):
        self.run_wharf("send", "orders", "a", "b", "c", "d", "e")

        self.assertEqual(self.run_wharf("receive", "orders", "--number", "2"), "b\n")
        self.assertEqual(self.run_json("receive", "orders", "--number", "3", "--settle", "abandon")["body"], "c")
        token = self.run_wharf("receive", "orders", "--number", "4", "--settle", "none").split()[0]
        self.run_wharf("message", "complete", "orders", "4", code=FAILED)
        self.assertIn("InvalidOperation", self.said)
        self.run_wharf("settle", "orders", "complete", token)
        self.assertEqual(self.run_wharf("message", "complete", "orders", "5"), "5  done\n")
        self.run_wharf("message", "dead-letter", "orders", "1", "--reason", "Bad", "--property", "a=b")

        (dead,) = self.run_lines("peek", "orders", "--dead-letter")
        self.assertEqual(dead["application_properties"], {"DeadLetterReason": "Bad", "a": "b"})
        self.run_wharf("message", "complete", "orders", "1", "--dead-letter")
        self.assertEqual(self.numbers("peek", "orders"), [3])

    def test_a_rest_after_an_abandon(self):
        self.run_wharf("send", "orders", "a", "b", "c")
        self.run_wharf("settle", "orders", "abandon", self.lock(), "--delay", "30s")
        self.run_wharf("settle", "orders", "abandon", self.lock(), "--until", "+1m")
        self.run_wharf("receive", "orders", "--settle", "abandon", "--delay", "90s")

        self.assertEqual(self.counts("delayed", "active"), [3, 3])
        self.assertEqual(self.numbers("peek", "orders", "--state", "delayed"), [1, 2, 3])
        self.assertRegex(self.run_wharf("peek", "orders"), r"\n +1  delayed ")
        for body in ("a", "b", "c"):
            self.run_wharf("clock", "advance", "30s")
            self.assertEqual(self.run_wharf("receive", "orders", "--max", "0", "--wait", "0s"), f"{body}\n")

    def test_a_peek_of_one_state(self):
        self.run_wharf("send", "orders", "deferred", "delayed", "active")
        self.run_wharf("receive", "orders", "--settle", "defer")
        self.run_wharf("receive", "orders", "--settle", "abandon", "--delay", "1h")
        self.run_wharf("send", "orders", "scheduled", "--at", "+1h")

        for state, numbers in (("all", [1, 2, 3, 4]), ("active", [2, 3]), ("delayed", [2]), ("deferred", [1]),
                               ("scheduled", [4]), ("quarantined", [])):
            self.assertEqual(self.numbers("peek", "orders", "--state", state), numbers, state)

    def test_messages_are_deleted(self):
        self.run_wharf("send", "orders", *"abc")
        self.run_wharf("clock", "advance", "1h")
        self.run_wharf("send", "orders", *"defgh")

        self.assertEqual(self.run_wharf("delete-messages", "orders", "--max", "2"), "deleted 2\n")
        self.assertEqual(self.run_json("delete-messages", "orders", "--max", "0", "--before=-30m"), {"deleted": 1})
        self.assertEqual(self.run_wharf("delete-messages", "orders", "--max", "0"), "deleted 5\n")

    def test_a_purge(self):
        self.run_wharf("send", "orders", "a", "b")
        self.run_wharf("send", "orders", "c", "--at", "+1h")

        self.assertEqual(self.run_wharf("purge", "orders"), "purged 2\n")
        self.assertEqual(self.run_json("purge", "orders", "--include-scheduled"), {"purged": 1})
        self.assertEqual(self.run_wharf("purge", "orders", "--dead-letter"), "purged 0\n")

    # Jobs

    def dead_letter(self, *bodies, reason):
        self.run_wharf("send", "orders", *bodies, "--quiet")
        self.run_wharf("receive", "orders", "--max", str(len(bodies)), "--settle", "dead-letter", "--reason", reason)

    def test_a_redrive(self):
        self.dead_letter("a", "b", reason="Bad")
        self.dead_letter("c", "d", reason="Worse")
        self.run_wharf("queue", "create", "others")

        dry = self.run_json("redrive", "orders", "--reason", "Bad", "--dry-run")
        self.assertEqual((dry["state"], dry["matched_count"], dry["done_count"]), ("completed", 2, 0))
        done = self.run_json("redrive", "orders", "--reason", "Bad", "--wait")
        self.assertEqual((done["state"], done["done_count"]), ("completed", 2))
        self.assertEqual(done["selection"], {"dead_letter_reason": "Bad"})
        started = self.run_json("redrive", "orders", "--to", "others", "--numbers", "3")
        self.run_wharf("job", "wait", str(started["id"]))
        self.assertEqual(self.run_wharf("receive", "others"), "c\n")
        self.assertEqual(self.counts("active", "dead_letter"), [2, 1])
        self.assertEqual(self.run_wharf("redrive", "orders", "--from", "+1h", "--wait").count("matched_count"), 1)

    def test_what_is_left_is_told(self):
        self.dead_letter("a", reason="Bad")
        self.lock("--dead-letter")

        self.assertEqual(self.run_json("redrive", "orders", "--wait", code=FAILED)["left_count"], 1)

    def test_selected_messages_are_deleted(self):
        self.run_wharf("send", "orders", "a", "b", "c")

        self.assertEqual(self.run_json("delete-selected", "orders", "--numbers", "1,3", "--wait")["done_count"], 2)
        self.assertEqual(self.numbers("peek", "orders"), [2])

    # SQL filters

    def send_colors(self, *colors):
        for color in colors:
            self.run_wharf("send", "orders", color, "--property", f"color={color}", "--quiet")

    def test_a_peek_with_a_filter(self):
        self.send_colors("red", "blue", "red")
        for _ in range(3):
            self.run_wharf("receive", "orders", "--settle", "abandon")
        self.run_wharf("receive", "orders", "--settle", "defer")

        self.assertEqual(self.numbers("peek", "orders", "--filter", "color = 'red' AND sys.DeliveryCount > 2"), [1])
        self.assertEqual(self.numbers("peek", "orders", "--filter", "color = 'red'", "--state", "active"), [3])
        self.assertEqual(self.numbers("peek", "orders", "--filter", "1 / 0 = 1"), [])
        self.assertEqual(self.numbers("peek", "orders", "--filter", "color = 'red'", "--max", "1"), [1])

    def test_a_peek_with_a_filter_goes_from_page_to_page(self):
        count = 10000
        self.run_wharf("send", "orders", *["x"] * count, "--quiet")
        self.send_colors("red")

        self.assertEqual(self.numbers("peek", "orders", "--filter", "color = 'red'"), [count + 1])

    def test_a_redrive_with_a_filter(self):
        self.send_colors("red", "blue", "red")
        self.run_wharf("receive", "orders", "--max", "3", "--settle", "dead-letter", "--reason", "Bad")

        red = ("redrive", "orders", "--filter", "color = 'red' AND DeadLetterReason = 'Bad'")
        self.assertEqual(self.run_json(*red, "--dry-run")["matched_count"], 2)
        done = self.run_json(*red, "--wait")
        self.assertEqual((done["state"], done["done_count"]), ("completed", 2))
        self.assertEqual(done["selection"], {"sql_filter": red[-1]})
        self.assertEqual(self.counts("active", "dead_letter"), [2, 1])

    def test_a_deletion_with_a_filter(self):
        self.send_colors("red", "blue", "red")

        self.assertEqual(
            self.run_json("delete-selected", "orders", "--filter", "color = 'red'", "--wait")["done_count"], 2)
        self.assertEqual(self.numbers("peek", "orders"), [2])

    def test_a_text_that_is_no_filter(self):
        self.send_colors("red")
        for command in ("peek", "redrive", "delete-selected"):
            self.run_wharf(command, "orders", "--filter", "color == 'red'", code=FAILED)
            self.assertIn("FilterException", self.said)
            self.assertIn("column 8", self.said)
            self.run_wharf(command, "orders", "--filter", "x" * 1025, code=FAILED)
            self.assertIn("1024 characters", self.said)
        self.assertEqual(self.run_json("job", "list")["jobs"], [])

    def test_help_tells_of_filters(self):
        for command in ("peek", "redrive", "delete-selected"):
            self.assertIn("--filter", self.run_wharf(command, "--help"))

    def test_jobs_are_listed_and_cancelled(self):
        self.dead_letter(*"abcdefgh", reason="Bad")
        job = str(self.run_json("redrive", "orders", "--rate", "1")["id"])

        self.assertEqual(self.run_json("job", "cancel", job)["state"], "cancelled")
        self.run_wharf("job", "wait", job, code=FAILED)
        self.assertRegex(self.run_wharf("job", "list"), rf"\n +{job}  redrive +cancelled ")
        self.assertEqual([entry["id"] for entry in self.run_json("job", "list")["jobs"]], [int(job)])
        self.assertRegex(self.run_wharf("job", "show", job), rf"^job {job}\n")
        self.run_wharf("job", "show", "99", code=FAILED)


if __name__ == "__main__":
    unittest.main()
