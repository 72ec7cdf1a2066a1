"""The command line and sessions: wharf session, and receive, peek and send with sessions."""

import re
import unittest

import command_line
from command_line import FAILED, USAGE

NO_TOKEN = "0" * 32


class SessionCommandsTest(command_line.CommandLineTest):

    def setUp(self):
        super().setUp()
        self.run_wharf("queue", "create", "letters", "--requires-session", "true")

    def send(self, session, *bodies):
        self.run_wharf("send", "letters", *bodies, "--session-id", session, "--quiet")

    def accept(self, *arguments):
        """The token."""
        return self.run_json("session", "accept", "letters", *arguments)["session_lock_token"]

    def count(self, name):
        return self.run_json("queue", "show", "letters")["runtime"][f"{name}_message_count"]

    def test_a_queue_with_sessions(self):
        made = self.run_json("queue", "create", "q", "--requires-session", "true", "--session-expiry-scope", "message")

        self.assertEqual((made["properties"]["requires_session"], made["properties"]["session_expiry_scope"]),
                         (True, "message"))
        updated = self.run_json("queue", "update", "q", "--session-expiry-scope", "session")["properties"]
        self.assertEqual((updated["requires_session"], updated["session_expiry_scope"]), (True, "session"))
        self.run_wharf("send", "letters", "x", code=FAILED)
        self.assertIn("InvalidOperation", self.said)

    def test_bad_usage(self):
        for arguments in (["session", "accept", "letters", "red", "--wait", "3s"], ["session", "renew", "letters"],
                          ["session", "renew", "letters", "00"], ["session", "state", "set", "letters", NO_TOKEN],
                          ["session", "state", "set", "letters", NO_TOKEN, "x", "--file", "f"],
                          ["session", "state", "set", "letters", NO_TOKEN, "--file", "/nowhere"],
                          ["session", "deepest", "letters", "--max", "101"], ["session", "force-release", "letters"],
                          ["receive", "letters", "--session", "red", "--next-session"],
                          ["receive", "letters", "--all-sessions", "--session-token", NO_TOKEN],
                          ["receive", "letters", "--max-sessions", "3"], ["receive", "letters", "--idle", "3s"],
                          ["receive", "letters", "--all-sessions", "--max-sessions", "1001"],
                          ["receive", "letters", "--session", "red", "--settle", "none"],
                          ["receive", "letters", "--all-sessions", "--wait", "0s"],
                          ["receive", "letters", "--session", "red", "--number", "1"]):
            with self.subTest(arguments=arguments):
                self.run_wharf(*arguments, code=USAGE)

    def test_every_command_has_its_help(self):
        for command in ([], ["accept"], ["renew"], ["release"], ["state"], ["state", "get"], ["state", "set"],
                        ["state", "clear"], ["list"], ["deepest"], ["force-release"]):
            self.assertIn("Usage:", self.run_wharf("session", *command, "--help"))

    # Holding a session

    def test_a_session_is_accepted_renewed_and_released(self):
        self.send("red", "a")
        said = self.run_wharf("session", "accept", "letters", "red")
        token = re.fullmatch(r"([0-9a-f]{32})  session red, locked until [^ ]+Z\n", said).group(1)

        self.run_wharf("session", "accept", "letters", "red", code=FAILED)
        self.assertIn("SessionCannotBeLocked", self.said)
        self.assertRegex(self.run_wharf("session", "renew", "letters", token), rf"^{token}  locked until [^ ]+Z\n$")
        self.assertEqual(self.run_wharf("session", "release", "letters", token), f"released {token}\n")

        self.run_wharf("session", "renew", "letters", token, code=FAILED)
        self.assertIn("SessionLockLost", self.said)

    def test_the_next_session(self):
        self.run_wharf("session", "accept", "letters", code=FAILED)
        self.assertIn("ServiceTimeout", self.said)
        self.send("red", "a")

        accepted = self.run_json("session", "accept", "letters", "--wait", "30s")

        self.assertEqual((accepted["session_id"], accepted["lock_duration"]), ("red", 60))
        self.assertEqual(list(self.run_json("session", "renew", "letters", accepted["session_lock_token"])),
                         ["locked_until"])
        self.assertEqual(self.run_json("session", "release", "letters", accepted["session_lock_token"]),
                         {"released": accepted["session_lock_token"]})

    def test_messages_of_a_session_that_is_held(self):
        self.send("red", "a", "b", "c", "d")
        token = self.accept("red")
        held = ["--session-token", token]

        self.assertEqual(self.run_wharf("receive", "letters", *held), "a\n")
        locked = self.run_wharf("receive", "letters", *held, "--settle", "none").split()[0]
        self.run_wharf("receive", "letters", *held, "--settle", "defer")
        self.assertEqual(self.run_wharf("receive", "letters", *held, "--deferred", "3"), "c\n")
        self.assertEqual(self.run_wharf("receive", "letters", *held, "--number", "4"), "d\n")
        self.run_wharf("renew", "letters", locked, code=FAILED)
        self.assertIn("InvalidOperation", self.said)
        self.run_wharf("settle", "letters", "complete", locked)

        self.assertEqual(self.count("total"), 0)
        self.run_wharf("session", "release", "letters", token)

    def test_an_operator_takes_a_session_away(self):
        self.send("red", "a")
        token = self.accept()

        self.assertEqual(self.run_wharf("session", "force-release", "letters", "red"), "released red\n")

        self.run_wharf("receive", "letters", "--session-token", token, "--wait", "0s", code=FAILED)
        self.assertIn("SessionLockLost", self.said)
        self.run_wharf("session", "force-release", "letters", "red", code=FAILED)

    # Receiving

    def test_receive_from_a_session(self):
        self.send("red", "a", "b")
        self.send("blue", "c")

        self.assertEqual(self.run_wharf("receive", "letters", "--session", "blue", "--max", "0", "--wait", "0s"), "c\n")
        (message,) = self.run_lines("receive", "letters", "--next-session")
        self.assertEqual((message["body"], message["session_id"]), ("a", "red"))
        self.run_wharf("receive", "letters", code=FAILED)
        self.assertIn("InvalidOperation", self.said)

        self.assertEqual(self.run_wharf("receive", "letters", "--session", "red"), "b\n")

    def test_receive_from_no_session(self):
        self.run_wharf("receive", "letters", "--next-session", "--wait", "0s", code=FAILED)
        self.assertIn("ServiceTimeout", self.said)
        self.accept("red")

        self.run_wharf("receive", "letters", "--session", "red", code=FAILED)

        self.assertIn("SessionCannotBeLocked", self.said)

    def test_receive_from_all_sessions(self):
        for session in ("red", "blue", "green"):
            self.send(session, f"{session} 1", f"{session} 2", f"{session} 3")

        messages = self.run_lines("receive", "letters", "--all-sessions", "--max", "9", "--max-sessions", "2",
                                  "--max-per-turn", "2")

        self.assertEqual(len(messages), 9)
        for session in ("red", "blue", "green"):
            self.assertEqual([m["body"] for m in messages if m["session_id"] == session],
                             [f"{session} {number}" for number in (1, 2, 3)])
        self.assertEqual((self.count("total"), self.run_lines("session", "list", "letters")), (0, []))

    def test_what_was_not_asked_for_stays(self):
        self.send("red", "a", "b", "c")

        self.assertEqual(self.run_wharf("receive", "letters", "--all-sessions", "--max", "2"), "a\nb\n")

        self.assertEqual(self.run_wharf("receive", "letters", "--all-sessions", "--wait", "30s"), "c\n")

    def test_a_peek_of_one_session(self):
        self.send("red", "a")
        self.send("blue", "b")

        self.assertEqual(self.numbers("peek", "letters", "--session", "blue"), [2])
        self.assertEqual(self.numbers("peek", "letters"), [1, 2])

    # State

    def test_the_state_of_a_session(self):
        token = self.accept("red")
        state = ["session", "state"]

        self.assertEqual(self.run_wharf(*state, "get", "letters", token), "")
        self.assertEqual(self.run_json(*state, "get", "letters", token), {"state": None})
        self.assertEqual(self.run_wharf(*state, "set", "letters", token, "half done"), "set\n")
        self.assertEqual(self.run_wharf(*state, "get", "letters", token), "half done\n")
        self.assertEqual(self.run_wharf(*state, "get", "letters", token, "--raw"), "half done")
        self.assertEqual(self.run_json(*state, "get", "letters", token), {"state": "half done"})
        self.run_wharf(*state, "set", "letters", token, "")
        self.assertEqual(self.run_json(*state, "get", "letters", token), {"state": ""})
        self.assertEqual(self.run_wharf(*state, "clear", "letters", token), "cleared\n")
        self.assertEqual(self.run_json(*state, "get", "letters", token), {"state": None})
        self.run_wharf(*state, "get", "letters", NO_TOKEN, code=FAILED)

    def test_the_state_from_a_file(self):
        token = self.accept("red")
        with open(f"{self.folder.name}/state", "wb") as file:
            file.write(b"\xff\x00")

        self.run_wharf("session", "state", "set", "letters", token, "--file", file.name)

        self.assertEqual(self.run_json("session", "state", "get", "letters", token), {"state_base64": "/wA="})

    def test_state_and_completion_are_one(self):
        self.send("red", "a", "b")
        token = self.accept("red")
        locked = [line.split()[0] for line in self.run_wharf(
            "receive", "letters", "--session-token", token, "--max", "2", "--settle", "none").splitlines()]

        said = self.run_wharf("session", "state", "set", "letters", token, "both", "--complete", locked[0],
                              "--complete", locked[1])

        self.assertEqual((said, self.count("total")), ("set, 2 completed\n", 0))
        self.run_wharf("session", "state", "clear", "letters", token, "--complete", locked[0], code=FAILED)
        self.assertEqual(self.run_wharf("session", "state", "get", "letters", token), "both\n")

    # What an owner sees

    def test_sessions_are_listed(self):
        self.send("red", "a", "b")
        token = self.accept("blue")
        self.run_wharf("session", "state", "set", "letters", token, "state")

        blue, red = self.run_lines("session", "list", "letters")
        self.assertEqual((blue["session_id"], blue["state_size"], "locked_until" in blue), ("blue", 5, True))
        self.assertEqual((red["session_id"], red["message_count"], red["oldest_sequence_number"]), ("red", 2, 1))
        self.assertRegex(self.run_wharf("session", "list", "letters"),
                         r"^SESSION +MESSAGES[^\n]+HOLDER +LOCKED SINCE +STATE\n"
                         r"blue +0 +- +- +[^\n]+Z +(ipv|unix)[^ ]+ +[^\n]+Z +5\nred +2 +1 +[^\n]+Z +- +- +- +-\n$")
        self.assertEqual([s["session_id"] for s in self.run_lines("session", "list", "letters", "--max", "1")], ["blue"])
        self.run_wharf("clock", "advance", "2h")
        self.run_wharf("session", "state", "set", "letters", self.accept("green"), "state")
        self.assertEqual([s["session_id"] for s in self.run_lines("session", "list", "letters", "--state-since=-1h")],
                         ["green"])

    def test_more_sessions_than_a_page(self):
        for begin in range(0, 600, 100):
            lines = "\n".join(f'{{"body": "x", "session_id": "s{number}"}}' for number in range(begin, begin + 100))
            self.run_wharf("send", "letters", "--jsonl", "--quiet", "--file", self.write("lines", lines))

        self.assertEqual(len(self.run_lines("session", "list", "letters")), 600)
        self.assertEqual(len(self.run_lines("session", "list", "letters", "--max", "300")), 300)

    def write(self, name, text):
        path = f"{self.folder.name}/{name}"
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def test_the_deepest_sessions(self):
        self.send("red", "a", "b")
        self.send("blue", "c", "d", "e")

        self.assertEqual([(s["session_id"], s["message_count"])
                          for s in self.run_json("session", "deepest", "letters", "--max", "1")["sessions"]],
                         [("blue", 3)])
        self.assertRegex(self.run_wharf("session", "deepest", "letters"),
                         r"^as of [^\n]+Z\nSESSION +MESSAGES\nblue +3\nred +2\n$")

    # Measuring

    def test_measurements(self):
        cycle = self.run_json("bench", "cycle", "--messages", "300", "--sessions", "20", "--connections", "2",
                              "--window", "16")["reports"][0]
        self.assertEqual((cycle["name"], cycle["messages"] >= 300, cycle["errors"]), ("cycle, 20 sessions", True, 0))
        tour = self.run_json("bench", "sessions", "--count", "50", "--consumers", "5")["reports"][0]

        self.assertEqual((tour["messages"], tour["errors"]), (50, 0))
        self.assertGreater(tour["accepted_us"]["p50"], 0)
        drain = self.run_json("bench", "drain", "--messages", "100", "--sessions", "7", "--connections", "2")["reports"]
        self.assertEqual(drain[0]["messages"] >= 100, True)


if __name__ == "__main__":
    unittest.main()
