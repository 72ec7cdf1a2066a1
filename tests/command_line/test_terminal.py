"""What reaches a terminal: lines that fit it, and nothing of other people's text that it would obey."""

import json
import unicodedata
import unittest

import command_line
import terminal
import wire
from command_line import OK
from google.protobuf import duration_pb2
from samples import SAMPLES
from wire import message_pb2, timestamp_pb2
from topic_calls import sql

# Sets the title, clears the screen, recolours, turns the direction of writing, feigns a row.
HOSTILE = "a\x1b]0;owned\x07\x1b[2J\u009b31m\u202ef\u2066\u200b\x7f\r\n999999  active"
YEAR_2100 = timestamp_pb2.Timestamp(seconds=4102444800)
HARMFUL = {"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"}


def text(value):
    return message_pb2.PropertyValue(string_value=value)


def hostile_message(**properties):
    return wire.Message(body=HOSTILE.encode(), message_id=HOSTILE, subject=HOSTILE, content_type=HOSTILE,
                        application_properties={HOSTILE: text(HOSTILE)}, **properties)


class HostileTextTest(command_line.SharedBrokerTest):
    """Everything that others can write, in everything that shows it."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        client = cls.client
        client.create("orders", user_metadata=HOSTILE)
        client.send("orders", hostile_message(), hostile_message(), hostile_message())
        dead, deferred = client.receive_all("orders", 2)
        client.dead_letter("orders", dead.lock_token, reason=HOSTILE, description=HOSTILE)
        client.defer("orders", deferred.lock_token)
        client.send("orders", hostile_message(scheduled_enqueue_time=YEAR_2100))
        client.create("letters", requires_session=True)
        client.send("letters", hostile_message(session_id=HOSTILE))
        cls.session = client.sessions.accept("letters", HOSTILE).session_lock_token
        client.receive("letters", session=cls.session)
        client.sessions.set_state("letters", cls.session, HOSTILE.encode())
        for number in range(2):  # To be accepted, as text and as JSON.
            client.send("letters", hostile_message(session_id=f"{HOSTILE}{number}"))
        client.topics.create("sales", user_metadata=HOSTILE)
        rule = sql(f"sys.Label = '{HOSTILE}'")
        client.topics.subscribe("sales", "all", rule=rule, user_metadata=HOSTILE)
        client.end_of(client.redrive("orders/$DeadLetterQueue", dry_run=True,
                                     selection=wire.management_pb2.MessageSelection(dead_letter_reason=HOSTILE)))

    SHOWN = [
        ["queue", "show", "orders"], ["queue", "list"], ["topic", "show", "sales"], ["topic", "list"],
        ["subscription", "show", "sales", "all"], ["subscription", "list"], ["rule", "list", "sales", "all"],
        ["rule", "show", "sales", "all", "rule"], ["rule", "test", "sales", "all", "--subject", HOSTILE],
        ["peek", "orders"], ["peek", "orders", "--dead-letter"], ["deferred", "list", "orders"],
        ["messages", "export", "orders"], ["trace", HOSTILE],
        ["scheduled", "list", "orders"], ["session", "list", "letters"], ["session", "deepest", "letters"],
        ["job", "list"], ["job", "show", "1"], ["job", "wait", "1"],
        ["receive", "orders", "--settle", "release", "--wait", "0s"], ["locks", "letters"],
        ["session", "state", "get", "letters", "TOKEN"], ["session", "accept", "letters"],
        ["top", "--interval", "100ms"],
        ["queue", "update", "orders", "--max-delivery-count", "3"],
        ["topic", "update", "sales", "--max-size-in-megabytes", "2048"],
        ["subscription", "update", "sales", "all", "--max-delivery-count", "3"],
    ]
    # They show numbers, times, and what they were given themselves by who calls them.
    SHOW_NOTHING_OF_OTHERS = {
        *(f"{kind} {verb}" for kind in ("queue", "topic", "subscription") for verb in ("create", "delete")),
        "rule add", "rule update", "rule remove", "send", "settle", "renew", "session renew", "session release",
        "session force-release", "session state set", "session state clear", "transaction run", "transaction begin",
        "transaction commit", "transaction rollback", "transaction show", "message complete", "message export",
        "message dead-letter", "messages import", "disk",
        "deferred undefer", "scheduled cancel", "scheduled move", "scheduled activate",
        "check queue", "check topic", "check subscription",
        "delete-messages", "purge", "redrive", "delete-selected", "job cancel", "stats", "clock get", "clock advance",
        "access create", "access list", "access show", "access rotate", "access remove", "connection-string",
        "backup create", "backup list", "backup verify", "backup prune",
        "cluster certificate", "connection list", "connection close",
        "context add", "context use", "context show", "context list", "context remove",
        "definitions export", "definitions diff", "definitions apply",
        "help", "completion", "man", *(command for command in SAMPLES if command.startswith("bench ")),
    }
    # Their errors quote what they were given.
    REFUSED = [
        ["peek", "orders", "--filter", HOSTILE], ["rule", "show", "sales", "all", HOSTILE], ["queue", "show", HOSTILE],
        ["queue", "create", HOSTILE], ["receive", HOSTILE], ["peek", "orders", "--state", HOSTILE],
        ["send", "orders", "x", "--property", HOSTILE], [HOSTILE], ["transaction", "show", HOSTILE],
        ["transaction", "begin", HOSTILE],
    ]
    # Those in which there is something hostile to be shown.
    ESCAPED = {"peek", "messages", "deferred", "scheduled", "session", "rule", "locks"}

    def assert_harmless(self, shown):
        bare = shown.replace(terminal.CLEAR_LINE, "").replace("\n", "")
        bad = {letter for letter in bare if unicodedata.category(letter) in HARMFUL}
        self.assertEqual(bad, set(), shown)

    def test_no_command_is_forgotten(self):
        shown = {command for command in SAMPLES
                 if any(arguments[:len(command.split())] == command.split() for arguments in self.SHOWN)}
        self.assertEqual(shown | self.SHOW_NOTHING_OF_OTHERS, set(SAMPLES))
        self.assertEqual(shown & self.SHOW_NOTHING_OF_OTHERS, set())

    def test_nothing_that_is_shown_does_harm(self):
        for arguments in self.SHOWN:
            for is_json in (False, True):
                with self.subTest(arguments=arguments[:3], is_json=is_json):
                    given = [self.session.hex() if argument == "TOKEN" else argument for argument in arguments]
                    code, shown = terminal.run(self.command(*given, *(["--json"] if is_json else [])),
                                               self.environment(), columns=400)
                    self.assertEqual(code, OK, shown)
                    self.assert_harmless(shown)
                    if arguments[0] in self.ESCAPED:
                        # What is shown as JSON within a text is escaped as JSON.
                        self.assertRegex(shown, r"\\(x1b|u001b)\]0;owned\\(x07|u0007)")

    def test_no_error_does_harm(self):
        for arguments in self.REFUSED:
            for is_json in (False, True):
                with self.subTest(arguments=arguments[:3], is_json=is_json):
                    code, shown = terminal.run(self.command(*arguments, *(["--json"] if is_json else [])),
                                               self.environment())
                    self.assertNotEqual(code, OK, shown)
                    self.assert_harmless(shown)

    def test_a_table_has_a_line_for_each_message(self):
        # In a pipe, too: what others wrote feigns no row.
        rows = self.wharf("peek", "orders").stdout.splitlines()
        self.assertEqual(len(rows), 1 + 3)
        self.assertFalse([row for row in rows if row.startswith("999999")])

    def test_json_means_the_same(self):
        for line in self.wharf("peek", "orders", "--json").stdout.splitlines():
            self.assertEqual(json.loads(line)["message_id"], HOSTILE)


class NarrowTerminalTest(command_line.SharedBrokerTest):
    """Tables on terminals of several widths."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        client = cls.client
        client.advance(duration_pb2.Duration(nanos=250000000))  # So that there is something behind the second.
        cls.name = "n" * 200
        client.create(cls.name)
        client.create("orders", enable_partitioning=True)
        client.send("orders", *[wire.Message(body=b"b" * 300, message_id=f"{number}-{'m' * 60}")
                                for number in range(40)])
        for message in client.receive_all("orders", 3):
            client.dead_letter("orders", message.lock_token, reason="TheReasonIsLongAsItIsToldInFull")
        client.receive_one("orders")
        client.send("orders", wire.Message(body=b"b" * 300, scheduled_enqueue_time=YEAR_2100))
        client.create("logged", event_log_size_in_kilobytes=64)
        client.send("logged", wire.Message(body=b"x", message_id="story"))
        client.dead_letter("logged", client.receive_one("logged").lock_token, reason="there was " + "no " * 40 + "stock")
        client.create("letters", requires_session=True)
        client.send("letters", *[wire.message_in(f"{number}-{'s' * 60}", b"x") for number in range(5)])
        client.sessions.accept("letters", f"0-{'s' * 60}")
        client.topics.create("t" * 90)
        client.topics.subscribe("t" * 90, "s" * 50, rule=sql("color = '" + "r" * 200 + "'"))
        client.end_of(client.redrive("orders/$DeadLetterQueue", dry_run=True))

    TABLES = [["queue", "list"], ["topic", "list"], ["subscription", "list"], ["subscription", "list", "t" * 90],
              ["rule", "list", "t" * 90, "s" * 50], ["peek", "orders"], ["peek", "orders", "--dead-letter"],
              ["scheduled", "list", "orders"], ["session", "list", "letters"], ["session", "deepest", "letters"],
              ["job", "list"], ["deferred", "list", "orders"], ["locks", "orders"], ["trace", "story"],
              ["trace", "story", "--precise"]]

    def show(self, arguments, columns):
        code, shown = terminal.run(self.command(*arguments), self.environment(), columns)
        self.assertEqual(code, OK, shown)
        return shown.splitlines()

    def test_every_line_fits(self):
        for columns in (80, 60, 132):
            for arguments in self.TABLES:
                with self.subTest(arguments=arguments[:3], columns=columns):
                    for line in self.show(arguments, columns):
                        self.assertLessEqual(terminal.width_of(line), columns, line)

    def test_a_story_is_told_to_its_end_on_every_terminal(self):
        for columns in (60, 80, 400):
            told = " ".join(" ".join(self.show(["trace", "story"], columns)).split())
            self.assertIn("dead lettered, by grpc ipv4:127.0.0.1", told)
            self.assertIn("there was " + "no " * 40 + "stock", told)

    def test_it_grows_with_the_terminal(self):
        narrow, wide = (self.show(["peek", "orders"], columns) for columns in (80, 300))
        self.assertIn("…", narrow[1])
        self.assertIn("m" * 60, wide[1])
        self.assertIn("ENQUEUED", narrow[0])

    def test_a_pipe_gets_everything(self):
        self.assertIn(self.name, self.wharf("queue", "list").stdout)
        self.assertIn("m" * 60, self.wharf("peek", "orders").stdout)
        self.assertNotIn("…", self.wharf("queue", "list").stdout)

    def test_one_long_name_makes_no_other_row_wide(self):
        rows = self.wharf("queue", "list").stdout.splitlines()
        self.assertLessEqual(max(len(row) for row in rows if not row.startswith("nnn")), 80)

    def test_columns_says_how_wide(self):
        rows = self.wharf("queue", "list", COLUMNS="120").stdout.splitlines()
        self.assertEqual(len(rows[0]), 120)

    def test_long_numbers_stay_in_their_column(self):
        rows = self.wharf("peek", "orders").stdout.splitlines()
        end = rows[0].index("NUMBER") + len("NUMBER")
        for row in rows[1:]:
            self.assertRegex(row[:end], r"^ *\d+$")
            self.assertEqual(row[end], " ")

    def test_the_reason_of_dead_letters(self):
        heading, *rows = self.wharf("peek", "orders", "--dead-letter").stdout.splitlines()
        self.assertEqual(len(rows), 3)
        for row in rows:
            self.assertTrue(row[heading.index("REASON"):].startswith("TheReasonIsLongAsItIsToldInFull"), row)
        path = self.wharf("peek", "orders/$DeadLetterQueue").stdout.splitlines()
        self.assertEqual(path, [heading, *rows])
        self.assertNotIn("REASON", self.wharf("peek", "orders").stdout)

    def test_a_list_that_is_refused_has_no_heading(self):
        for arguments in (["peek", "orders", "--filter", "color ="], ["session", "list", "nowhere"],
                          ["scheduled", "list", "nowhere"], ["deferred", "list", "nowhere"]):
            ended = self.wharf(*arguments)
            self.assertEqual((ended.returncode, ended.stdout), (command_line.FAILED, ""), arguments)

    def test_times_are_to_the_second_unless_asked(self):
        for command in (["peek", "orders"], ["session", "list", "letters"], ["deferred", "list", "orders"],
                        ["scheduled", "list", "orders"]):
            self.assertNotRegex(self.wharf(*command).stdout, r":\d\d\.\d")
        self.assertRegex(self.wharf("peek", "orders", "--precise").stdout, r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z")
        self.assertRegex(self.wharf("session", "list", "letters", "--precise").stdout, r":\d\d\.\d+Z")
        self.assertRegex(self.wharf("peek", "orders", "--json").stdout, r":\d\d\.\d+Z")


if __name__ == "__main__":
    unittest.main()
