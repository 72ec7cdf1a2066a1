"""What is wrong on a command line, and what the program tells of itself."""

import json
import re
import subprocess
import unittest

import command_line
from command_line import FAILED, OK, USAGE

NOT_REACHABLE = 3


class UsageTest(command_line.SharedBrokerTest):

    def setUp(self):
        self.queue = f"queue-{self._testMethodName}"
        self.client.create(self.queue)

    def assert_refused(self, pattern, *arguments, **options):
        """With one sentence that matches, on stderr alone."""
        ended = self.wharf(*arguments, **options)
        with self.subTest(arguments=arguments, said=ended.stderr):
            self.assertEqual((ended.returncode, ended.stdout), (USAGE, ""))
            (line,) = ended.stderr.splitlines()
            is_json = "--json" in arguments
            sentence = json.loads(line)["message"] if is_json else line.removeprefix("wharf: ")
            self.assertRegex(sentence, pattern)
            self.assertNotRegex(sentence, "Could not convert|not in range|required but|json.exception")

    # Commands and options

    def test_a_command_that_is_not_there(self):
        self.assert_refused("^there is no command 'sned'; did you mean 'send'\\?$", "sned", self.queue, "x")
        self.assert_refused("^there is no command 'queue crate'; did you mean 'queue create'\\?$",
                            "queue", "crate", "q")
        self.assert_refused("^there is no command 'session state gte'; did you mean 'session state get'\\?$",
                            "session", "state", "gte")
        self.assert_refused("^there is no command 'consume'; 'wharf --help' lists what there is$", "consume", "q")
        self.assert_refused("did you mean 'queue list' or 'topic list' or", "list")
        for arguments in (["help", "sned"], ["--json", "sned", self.queue, "x"], ["sned", "--json"]):
            self.assert_refused("^there is no command 'sned'; did you mean 'send'\\?$", *arguments)

    def test_an_option_that_is_not_there(self):
        self.assert_refused("^there is no option '--folow'; did you mean '--follow'\\?$", "receive", "--folow", "q")
        self.assert_refused("put -- before arguments that begin with a dash$", "send", self.queue, "--green")

    def test_what_is_missing_or_too_much(self):
        self.assert_refused("^ENTITY is missing; usage: wharf purge ENTITY \\[OPTIONS\\]$", "purge")
        self.assert_refused("^'b' is one argument too many", "purge", "a", "b")
        self.assert_refused("^--max needs a value: --max NUMBER$", "peek", self.queue, "--max")
        self.assert_refused("^--max is given more than once$", "peek", self.queue, "--max", "1", "--max", "2")
        self.assert_refused("^--delay and --until exclude each other$|^--until and --delay exclude each other$",
                            "settle", self.queue, "abandon", "0" * 32, "--delay", "3s", "--until", "+3s")

    def test_bare_commands_show_what_there_is(self):
        for group in ([], ["queue"], ["session", "state"], ["bench"]):
            ended = self.wharf(*group)
            self.assertEqual((ended.returncode, ended.stdout), (USAGE, ""))
            self.assertIn("Commands:\n", ended.stderr)
            self.assertIn("Usage: " + " ".join(["wharf", *group, "COMMAND"]), ended.stderr)
        self.assert_refused("^a command is missing", "queue", "--json")

    # Numbers, durations, times

    def test_numbers_are_never_wrapped(self):
        self.client.send(self.queue, b"a", b"b")
        for arguments in (["delete-messages", self.queue, "--max"], ["peek", self.queue, "--max"],
                          ["peek", self.queue, "--from"], ["peek", self.queue, "--expect"],
                          ["session", "list", self.queue, "--max"], ["scheduled", "list", self.queue, "--max"],
                          ["deferred", "list", self.queue, "--max"], ["delete-messages", self.queue, "-n"],
                          ["redrive", self.queue, "--rate"], ["delete-selected", self.queue, "--numbers"],
                          ["job", "show"], ["job", "wait"], ["job", "cancel"], ["scheduled", "cancel", self.queue],
                          ["receive", self.queue, "--max"], ["receive", self.queue, "--expect"],
                          ["receive", self.queue, "--number"], ["receive", self.queue, "--deferred"],
                          ["send", self.queue, "x", "--window"], ["bench", "send", "--messages"],
                          ["bench", "send", "--size"], ["bench", "send", "--connections"],
                          ["bench", "send", "--window"],
                          ["bench", "send", "--pid"], ["bench", "sessions", "--count"],
                          ["bench", "publish", "--matching"], ["bench", "publish", "--sql-rules"],
                          ["session", "deepest", self.queue, "--max"]):
            for number in ("-1", "18446744073709551616"):
                self.assert_refused("is not a whole number|is too large a number|is not the number of a process|"
                                    "no number here is negative",
                                    *arguments, number)
        self.assertEqual(len(self.client.peek(self.queue).messages), 2)

    def test_the_name_of_the_option_is_told(self):
        for number in ("abc", "1.5", "", "1e3", "0x10", " 1", "+1"):
            self.assert_refused("^--max: .* is not a whole number from 0 up$", "peek", self.queue, "--max", number)
        self.assert_refused('^--max: "abc" is not a whole number from 0 up$', "peek", self.queue, "-n", "abc")
        self.assert_refused('^--max: "101" is not a whole number from 1 to 100$',
                            "session", "deepest", "q", "-n", "101")
        self.assert_refused('^JOB: "" is not a whole number from 0 up$', "job", "show", "")
        self.assert_refused('^--retry: there is no "sometimes"; choose one of none, fixed, linear, exponential$',
                            "queue", "create", "q", "--retry", "sometimes")
        self.assert_refused('^VERB: there is no "finish"; choose one of ', "settle", "q", "finish", "0" * 32)

    def test_durations(self):
        for option in ("--lock-duration", "--default-message-time-to-live", "--auto-delete-on-idle"):
            self.assert_refused(f'^{option}: the duration "1000000000h" is too long; there are at most 3652500d',
                                "queue", "create", "q", option, "1000000000h")
        for arguments in (["send", self.queue, "x", "--time-to-live"], ["session", "accept", self.queue, "--wait"],
                          ["receive", self.queue, "--wait"], ["clock", "advance"]):
            self.assert_refused("is too long", *arguments, "1000000000h")
            self.assert_refused("is not a duration", *arguments, "5")
        made = json.loads(self.wharf("queue", "create", "long", "--lock-duration", "5min",
                                     "--default-message-time-to-live", "1.5h", "--auto-delete-on-idle", "1w",
                                     "--json").stdout)["properties"]
        shown = self.client.get("long")
        self.assertEqual(made["name"], "long")
        self.assertEqual([shown.lock_duration.seconds, shown.default_message_time_to_live.seconds,
                          shown.auto_delete_on_idle.seconds], [300, 5400, 604800])

    def test_a_long_duration_in_json_lines_is_refused(self):
        ended = subprocess.run(self.command("send", self.queue, "--jsonl"), env=self.environment(), text=True,
                               input='{"body":"x","time_to_live":"1000000000h"}\n', capture_output=True, check=False)
        self.assertEqual(ended.returncode, USAGE, ended.stderr)
        self.assertIn("is too long", ended.stderr)

    def test_times(self):
        self.assert_refused("^the time 2020-01-01T00:00:00Z is over; it is ", "send", self.queue, "x", "--at",
                            "2020-01-01T00:00:00Z")
        self.assert_refused("is over", "send", self.queue, "x", "--at=-1h")
        self.assert_refused('^--at: "soon" is not a time', "send", self.queue, "x", "--at", "soon")
        self.assertEqual(self.client.peek(self.queue).messages[:], [])
        ended = self.wharf("send", self.queue, "x", "--at", "2100-01-01T12:00", TZ="CET-1")
        self.assertEqual(ended.returncode, OK, ended.stderr)
        (message,) = self.client.peek(self.queue).messages
        self.assertEqual(message.message.scheduled_enqueue_time.seconds, 4102484400)

    # Addresses

    def test_addresses(self):
        for address, pattern in (("127.0.0.1", "has no port"), ("127.0.0.1:70000", '"70000" is not a whole number'),
                                 ("127.0.0.1:0", "is not a whole number from 1 to 65535"),
                                 ("http://127.0.0.1:5680", "is a URL or a path"), ("", "the address is empty"),
                                 (":5680", "has no host"), ("::1:5680", "stands in brackets"),
                                 ("[::1]", "has no port"), ("127.0.0.1:http", "is not a whole number")):
            self.assert_refused(f"^--address: .*{pattern}.*; write host:port, for example 127.0.0.1:5680$",
                                "stats", "--address", address)

    def test_a_broker_that_is_not_there(self):
        for address, pattern in (("127.0.0.1:1", "no broker can be reached at 127.0.0.1:1"),
                                 ("[::1]:1", "no broker can be reached at"),
                                 ("nowhere.invalid:5680", 'there is no host "nowhere.invalid"')):
            ended = self.wharf("stats", "--address", address, WHARF_CONNECT_TIMEOUT="2s")
            self.assertEqual((ended.returncode, ended.stdout), (NOT_REACHABLE, ""), ended.stderr)
            (line,) = ended.stderr.splitlines()
            self.assertRegex(line, f"^wharf: ServiceCommunicationProblem: .*{re.escape(pattern)}")

    # Errors

    def test_errors_are_json_under_json(self):
        ended = self.wharf("queue", "show", "nosuch", "--json")
        self.assertEqual((ended.returncode, ended.stdout), (FAILED, ""))
        error = json.loads(ended.stderr)
        self.assertEqual((error["error"], error["outcome"]), ("MessagingEntityNotFound", "not-done"))
        self.assertIn("nosuch", error["message"])

    def test_an_empty_value_behind_an_equals_sign(self):
        ended = self.wharf("queue", "update", self.queue, "--forward-to=", "--max-delivery-count", "3", "--json")
        self.assertEqual(ended.returncode, OK, ended.stderr)
        self.assertEqual(json.loads(ended.stdout)["properties"]["max_delivery_count"], 3)

    # Statistics

    def test_statistics_have_histograms(self):
        self.client.create(f"{self.queue}/sessions", requires_session=True)
        self.client.send(f"{self.queue}/sessions", command_line.wire.message_in("a", b"x"))
        self.assertEqual(self.wharf("session", "accept", f"{self.queue}/sessions").returncode, OK)

        shown = json.loads(self.wharf("stats", "--json").stdout)

        self.assertGreater(shown["entity_count"], 0)
        self.assertEqual(shown["space"]["dead_bytes"], 0)
        (histogram,) = [each for each in shown["histograms"] if each["name"] == "wharf_accept_next_seconds"]
        self.assertEqual(sum(bucket["count"] for bucket in histogram["buckets"]), histogram["count"])
        self.assertGreater(histogram["count"], 0)
        self.assertRegex(self.wharf("stats").stdout,
                         r"wharf_accept_next_seconds: \d+ times, p50 (at most|more than) [\d.]+ (us|ms|s), p99 ")

    # Dead-letter queues by their paths

    def test_a_dead_letter_queue_by_its_path(self):
        self.client.send(self.queue, b"x")
        self.client.dead_letter(self.queue, self.client.receive_one(self.queue).lock_token)

        ended = self.wharf("redrive", f"{self.queue}/$DeadLetterQueue", "--wait", "--json")

        self.assertEqual(ended.returncode, OK, ended.stderr)
        self.assertEqual(json.loads(ended.stdout)["done_count"], 1)

    # Help

    def test_help(self):
        for arguments in (["help", "queue", "create"], ["queue", "create", "--help"], ["queue", "create", "-h"]):
            ended = self.wharf(*arguments)
            self.assertEqual((ended.returncode, ended.stderr), (OK, ""))
            self.assertTrue(ended.stdout.startswith("Create a queue\n\nUsage: wharf queue create NAME [OPTIONS]\n"))
        self.assertIn("Commands:\n", self.wharf("help").stdout)
        self.assertEqual(self.wharf("help").stdout, self.wharf("--help").stdout)

    def test_help_fits_its_lines(self):
        def commands(table):
            return [table["command"].split()[1:], *(found for below in table["commands"] for found in commands(below))]
        for command in commands(json.loads(self.wharf("help", "--json").stdout)):
            for width in (80, 100):
                text = self.wharf(*command, "--help", COLUMNS=str(width)).stdout
                self.assertLessEqual(max(map(len, text.splitlines())), width, command)

    def test_the_version(self):
        version = self.wharf("--version")
        self.assertRegex(version.stdout, r"^wharf \d+\.\d+\.\d+\n$")
        self.assertEqual(version.stdout.split()[1], json.loads(self.wharf("stats", "--json").stdout)["version"])

    def test_what_needs_no_broker(self):
        for arguments in (["help"], ["--version"], ["completion", "bash"], ["man"], ["help", "--json"]):
            ended = self.wharf(*arguments, WHARF_ADDRESS="127.0.0.1:1")
            self.assertEqual((ended.returncode, ended.stderr), (OK, ""))


if __name__ == "__main__":
    unittest.main()
