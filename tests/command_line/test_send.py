"""`wharf send` sends all or tells what not: files that fail, bad text, an interrupt, a broker that is restarted."""

import json
import os
import signal
import subprocess
import unittest

import command_line
from command_line import FAILED, INTERRUPTED, OK, UNKNOWN, UNREACHABLE, USAGE  # noqa: F401


class SendTest(command_line.CommandLineTest):

    def bodies(self):
        return [message["body"] for message in self.run_lines("peek", "orders", "--max", "0")]

    def write(self, name, content):
        path = f"{self.folder.name}/{name}"
        with open(path, "wb") as file:
            file.write(content)
        return path

    def test_a_file_that_cannot_be_read_is_no_message(self):
        for name, why in (("/tmp", "it is a directory"), ("/proc/self/mem", "Input/output error")):
            for unit in ([], ["--lines"], ["--jsonl"]):
                with self.subTest((name, unit)):
                    self.run_wharf("send", "orders", "--file", name, *unit, code=USAGE)
                    self.assertIn(f"{name} cannot be read: {why}", self.said)
        self.assertEqual(self.bodies(), [])

    def test_with_a_file_that_is_missing_nothing_is_sent(self):
        self.run_wharf("send", "orders", "x", "--file", "/missing", code=USAGE)

        self.assertIn("/missing cannot be read: No such file or directory", self.said)
        self.assertEqual(self.bodies(), [])

    def test_text_that_is_not_utf8_is_refused_before_anything_is_sent(self):
        for arguments in (["--subject", b"\xff"], ["--message-id", b"\xff"], ["--session-id", b"\xff"],
                          ["--property", b"na\xffme=x"], ["--property", b"name=\xff"], ["--transaction", b"\xff"]):
            with self.subTest(arguments):
                self.run_wharf("send", "orders", "x", *arguments, code=USAGE)
                self.assertRegex(self.said, "not UTF-8|not a value of type string")
                self.assertNotIn("libprotobuf", self.said)
        self.run_wharf("send", b"\xff", "x", code=USAGE)
        self.assertIn("not UTF-8", self.said)
        self.assertEqual(self.bodies(), [])

    def test_a_bad_line_is_named_in_our_words_and_what_was_before_it_is_told(self):
        for bad, sentence in ((b'{"body": nope}', 'the JSON is wrong at column 11: "o" is not expected there'),
                              (b'{"body": "x"', "the JSON is wrong at column 13: the text ends too soon"),
                              ('{"Bär": x}'.encode(), 'the JSON is wrong at column 9: "x" is not expected there'),
                              (b'{"subject": "\xff"}', 'the JSON is wrong at column 14: "\\xff" is not expected'),
                              (b'{"priority": 1e999}', ".priority: the number is too large"),
                              (b'{"body": "x", "time_to_live": "1000000000h"}', "time_to_live:")):
            with self.subTest(bad):
                path = self.write("lines", b'{"body": "good"}\n' + bad + b"\n")
                self.run_wharf("send", "orders", "--jsonl", "--file", path, code=USAGE)
                self.assertIn(f"lines line 2: {sentence}", self.said)
                self.assertIn("1 acknowledged, 0 failed, 0 unknown", self.said)
                self.assertNotIn("exception", self.said)

    def test_lines_of_windows_have_no_carriage_return(self):
        self.run_wharf("send", "orders", "--lines", "--quiet", "--file", self.write("lines", b"one\r\ntwo\r\n"))

        self.assertEqual(self.bodies(), ["one", "two"])

    def test_an_interrupt_tells_what_was_acknowledged(self):
        for sign in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(sign):
                self.run_wharf("purge", "orders")
                sender = self.begin("send", "orders", "--lines", "--quiet", stdin=subprocess.PIPE)
                sender.stdin.write("one\ntwo\nthr")
                sender.stdin.flush()
                self.wait_until(lambda: self.counts("active") == [2])

                sender.send_signal(sign)

                self.assertEqual(sender.wait(30), INTERRUPTED)
                self.assertEqual(sender.stderr.read(), "interrupted: 2 acknowledged, 0 failed, 0 unknown\n")
                self.assertEqual(self.bodies(), ["one", "two"])

    def test_numbers_of_messages_count_from_one(self):
        path = self.write("lines", b'{"body": "a"}\n{"body": "b", "session_id": "%s"}\n' % (b"x" * 200))
        self.run_wharf("send", "orders", "--jsonl", "--file", path, code=FAILED)

        self.assertIn("wharf: message 2: ", self.said)


class RestartTest(command_line.CommandLineTest):
    """What `wharf` does when its broker goes and comes back at the same address."""

    FLAGS = []

    def is_drained(self):
        return self.run_json("queue", "show", "sessions")["runtime"]["total_message_count"] == 0

    def connections(self):
        return sum("a client connects" in line for line in self.daemon.log)

    def restart(self):
        self.daemon.start()
        self.addCleanup(self.daemon.kill)

    def setUp(self):
        super().setUp()
        self.start_where_it_stays()

    def test_a_sender_of_lines_goes_on_after_an_orderly_stop(self):
        sender = self.begin("send", "orders", "--lines", "--json", stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        sender.stdin.write("".join(f"{number}\n" for number in range(1000)))
        sender.stdin.flush()
        self.wait_until(lambda: self.counts("active") == [1000])

        self.assertEqual(self.daemon.terminate(), 0)
        sender.stdin.write("".join(f"{number}\n" for number in range(1000, 2000)))
        sender.stdin.flush()
        self.restart()
        receipts, said = sender.communicate(timeout=60)

        self.assertEqual(sender.returncode, OK, said)
        self.assertEqual(len(receipts.splitlines()), 2000)
        self.assertIn("2000 acknowledged, 0 failed, 0 unknown", said)
        self.assertEqual(said.count("trying again"), 1)
        self.assertEqual(said.count("the broker is back"), 1)
        self.assertNotIn("Cancelling", said)
        bodies = [message["body"] for message in self.run_lines("peek", "orders", "--max", "0")]
        self.assertEqual(bodies, [str(number) for number in range(2000)])

    def test_after_a_kill_what_is_not_known_is_told_and_not_sent_again(self):
        sender = self.begin("send", "orders", "--lines", "--json", stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        feeder = subprocess.Popen(["seq", "50000"], stdout=sender.stdin)
        self.wait_until(lambda: self.counts("active")[0] > 1000)

        self.daemon.kill()
        self.restart()
        sender.stdin.close()
        sender.stdin = None
        receipts, said = sender.communicate(timeout=60)
        feeder.wait(60)

        results = [json.loads(line) for line in receipts.splitlines()]
        known = {result["index"] + 1 for result in results if "sequence_number" in result}
        unknown = {result["index"] + 1 for result in results if result.get("outcome") == "unknown"}
        self.assertEqual(len(known) + len(unknown), 50000, said)
        self.assertEqual(sender.returncode, UNKNOWN if unknown else OK, said)
        stored = [int(line) for line in self.run_wharf("receive", "orders", "--max", "0", "--wait", "0s").split()]
        self.assertEqual(len(stored), len(set(stored)))
        self.assertLessEqual(known, set(stored))
        self.assertLessEqual(set(stored), known | unknown)

    def test_a_sender_gives_up_when_its_time_is_over(self):
        sender = self.begin("send", "orders", "--lines", "--quiet", "--reconnect-for", "1s", stdin=subprocess.PIPE)
        sender.stdin.write("one\n")
        sender.stdin.flush()
        self.wait_until(lambda: self.counts("active") == [1])

        self.assertEqual(self.daemon.terminate(), 0)
        _, said = sender.communicate("two\n", timeout=60)

        self.assertEqual(sender.returncode, UNREACHABLE, said)
        self.assertIn("1 acknowledged, 1 failed, 0 unknown", said)

    def test_a_receiver_that_follows_goes_on(self):
        receiver = self.begin("receive", "orders", "--follow", stdout=subprocess.PIPE)
        self.run_wharf("send", "orders", "one", "--quiet")
        self.assertEqual(receiver.stdout.readline(), "one\n")

        self.assertEqual(self.daemon.terminate(), 0)
        self.restart()
        self.run_wharf("send", "orders", "two", "--quiet")
        self.assertEqual(receiver.stdout.readline(), "two\n")
        self.wait_until(lambda: self.counts("total") == [0])
        receiver.send_signal(signal.SIGINT)

        self.assertEqual(receiver.wait(30), OK)
        said = receiver.stderr.read()
        self.assertEqual(said.count("trying again"), 1)
        self.assertEqual(said.count("the broker is back"), 1)

    def test_a_receiver_of_sessions_that_follows_goes_on(self):
        self.run_wharf("queue", "create", "sessions", "--requires-session", "true")
        for mode in (["--all-sessions", "--idle", "1h"], ["--session", "0"], ["--next-session"]):
            for stop in (self.daemon.terminate, self.daemon.kill):
                with self.subTest((mode, stop.__name__)):
                    receiver = self.begin("receive", "sessions", *mode, "--follow", stdout=subprocess.PIPE)
                    self.run_wharf("send", "sessions", "one", "--session-id", "0", "--quiet")
                    self.assertEqual(receiver.stdout.readline(), "one\n")
                    self.wait_until(self.is_drained)

                    stop()
                    self.restart()
                    self.run_wharf("send", "sessions", "two", "--session-id", "0", "--quiet")

                    self.assertEqual(receiver.stdout.readline(), "two\n")
                    self.wait_until(self.is_drained)
                    receiver.send_signal(signal.SIGINT)
                    self.assertEqual(receiver.wait(30), OK, receiver.stderr.read())

    def test_a_receiver_that_follows_waits_for_a_session_over_a_restart_and_for_long(self):
        self.start_where_it_stays(flags=("--clock", "manual", "--log-level", "debug"))
        self.run_wharf("queue", "create", "sessions", "--requires-session", "true")
        receiver = self.begin("receive", "sessions", "--next-session", "--follow", stdout=subprocess.PIPE)
        self.wait_until(lambda: self.connections() == 2)  # Of both commands.
        self.run_wharf("queue", "show", "sessions")  # Longer than the receiver needs from there to its stream.

        self.daemon.kill()
        self.restart()
        for _ in range(10):
            self.run_wharf("clock", "advance", "5m")
        self.run_wharf("send", "sessions", "one", "--session-id", "red", "--quiet")

        self.assertEqual(receiver.stdout.readline(), "one\n")

    def test_a_broker_that_is_stopped_in_its_tracks_is_noticed(self):
        receiver = self.begin("receive", "orders", "--max", "2", "--wait", "5m", stdout=subprocess.PIPE)
        self.client.send("orders", b"x")
        self.assertEqual(receiver.stdout.readline(), "x\n")  # It is connected.
        self.wait_until(lambda: self.client.runtime("orders").total_message_count == 0)

        os.kill(self.daemon.pid, signal.SIGSTOP)
        self.addCleanup(os.kill, self.daemon.pid, signal.SIGCONT)

        self.assertEqual(receiver.wait(50), UNREACHABLE)
        self.assertIn("the connection to the broker broke", receiver.stderr.read())


if __name__ == "__main__":
    unittest.main()
