"""`wharf receive` gives each message once, and settles what its reader has taken."""

import os
import pty
import re
import signal
import subprocess
import unittest

import command_line
from command_line import FAILED, INTERRUPTED, OK, TOO_FEW, USAGE  # noqa: F401
import daemon_test


class ReceiveTest(command_line.CommandLineTest):

    def send(self, count, *options):
        self.run_shell(f"seq {count} | wharf send orders --lines --quiet {' '.join(options)}")
        self.assertEqual(self.said, "")

    def here(self):
        """How many messages wait, and the delivery counts that they have."""
        counts = [message["delivery_count"] for message in self.run_lines("peek", "orders", "--max", "0")
                  if "locked_until" not in message]
        return len(counts), set(counts)

    def test_what_is_given_back_comes_once(self):
        for verb, delivery_counts in (("abandon", {1}), ("release", {0})):
            with self.subTest(verb):
                self.run_wharf("purge", "orders")
                self.send(1000)

                printed = self.run_wharf("receive", "orders", "--max", "0", "--wait", "0s", "--settle", verb)

                self.assertEqual(printed.split(), [str(number) for number in range(1, 1001)])
                self.assertEqual(self.here(), (1000, {0} if verb == "release" else delivery_counts))
                self.assertEqual(self.counts("dead_letter"), [0])

    def test_more_asked_for_than_there_is_gives_each_once(self):
        self.send(3)

        printed = self.run_wharf("receive", "orders", "--max", "10", "--settle", "release")

        self.assertEqual(printed, "1\n2\n3\n")

    def test_what_is_given_back_with_a_delay_comes_once(self):
        self.send(3)

        printed = self.run_wharf("receive", "orders", "--max", "0", "--wait", "0s", "--settle", "abandon",
                                 "--delay", "1us")

        self.assertEqual(printed, "1\n2\n3\n")

    def test_sessions_are_given_back_once(self):
        self.run_wharf("queue", "create", "letters", "--requires-session", "true")
        for session in range(12):
            self.run_wharf("send", "letters", "x", "y", "--session-id", str(session), "--quiet")

        printed = self.run_wharf("receive", "letters", "--all-sessions", "--max", "0", "--wait", "2s",
                                 "--settle", "release")

        self.assertEqual(sorted(printed.split()), ["x"] * 12 + ["y"] * 12)

    def test_a_reader_of_three_lines_takes_three_messages(self):
        self.send(1000)

        printed = self.run_shell("wharf receive orders --max 0 --wait 0s | (read a; read b; read c; echo $a $b $c)")

        self.assertEqual(printed, "1 2 3\n")
        self.assertEqual(self.said, "")
        self.assertEqual(self.here(), (997, {0}))

    def test_head_takes_no_more_than_its_bytes(self):
        self.send(1000)

        self.assertEqual(self.run_shell("wharf receive orders --max 0 --wait 0s | head -3"), "1\n2\n3\n")

        there, delivery_counts = self.here()
        self.assertGreaterEqual(there, 990)  # What head read further than it printed.
        self.assertLessEqual(there, 997)
        self.assertEqual(delivery_counts, {0})

    def test_a_reader_may_go_away_within_a_message(self):
        self.run_shell("printf '%0100d\\n' 1 2 3 4 5 | wharf send orders --lines --quiet")

        for style in ("", "--json", "--raw"):
            self.run_shell(f"wharf receive orders --max 0 --wait 0s {style} | head -c 50")

            self.assertEqual(self.here(), (5, {0}), style)

    def test_everything_reaches_a_reader_that_wants_it(self):
        self.send(50000)

        printed = self.run_shell("wharf receive orders --max 0 --wait 0s | cat")

        self.assertEqual(printed.split(), [str(number) for number in range(1, 50001)])
        self.assertEqual(self.counts("total"), [0])

    def test_what_is_asked_for_by_number_is_settled_when_it_is_taken(self):
        self.send(3)
        self.run_wharf("receive", "orders", "--max", "3", "--settle", "defer")

        self.run_shell("wharf receive orders --deferred 1,2,3 | (read a)")

        self.assertEqual(self.run_wharf("receive", "orders", "--deferred", "2,3"), "2\n3\n")
        self.run_wharf("receive", "orders", "--deferred", "1", code=FAILED)

    def test_a_message_is_complete_once_it_is_read_though_nothing_follows_it(self):
        self.send(1)
        follower = self.begin("receive", "orders", "--follow", stdout=subprocess.PIPE)

        self.assertEqual(follower.stdout.readline(), "1\n")

        self.wait_until(lambda: self.counts("total") == [0])

    def test_a_reader_that_goes_away_ends_a_receiver_that_waits(self):
        self.send(1)

        self.assertEqual(self.run_shell("wharf receive orders --follow | head -1"), "1\n")

    def test_a_full_disk_releases_what_was_not_written(self):
        self.send(3)

        self.run_shell("wharf receive orders --max 0 --wait 0s > /dev/full; echo $?")

        self.assertIn("No space left on device", self.said)
        self.assertEqual(self.here(), (3, {0}))

    def test_what_receive_and_delete_lost_is_told(self):
        self.run_shell("for i in $(seq 20); do printf '%080000d\\n' $i; done | wharf send orders --lines --quiet")

        # One line, and a part of the next.
        self.run_shell("wharf receive orders --max 0 --wait 0s --mode receive-and-delete | head -c 100000 > /dev/null")

        said = self.said
        lost = 19 - self.here()[0]
        self.assertGreaterEqual(lost, 1)
        self.assertIn(f"{lost} messages were deleted, as receive-and-delete does, and not read", said)
        self.assertIn("(number 2", said)

    def test_contradictions_are_refused(self):
        self.send(1)
        for arguments, word in (
                (["--mode", "receive-and-delete", "--settle", "abandon"], "leaves nothing to settle"),
                (["--mode", "receive-and-delete", "--settle", "complete"], "leaves nothing to settle"),
                (["--mode", "receive-and-delete", "--settle", "dead-letter", "--reason", "x"], "nothing to settle"),
                (["--raw", "--json"], "--raw prints the body alone"),
                (["--follow", "--wait", "5s"], "leave out --wait"),
                (["--max", "2", "--expect", "3"], "cannot come true"),
                (["--settle", "dead-letter", "--reason", b"\xff"], "not UTF-8"),
                (["--session", b"\xff"], "not UTF-8")):
            with self.subTest(arguments):
                self.assertEqual(self.run_wharf("receive", "orders", *arguments, code=USAGE), "")
                self.assertIn(word, self.said)
        self.assertEqual(self.here(), (1, {0}))

    def test_fewer_than_expected_is_told_by_the_exit_code(self):
        self.send(1)

        self.run_wharf("receive", "orders", "--max", "2", "--wait", "0s", "--expect", "2", code=TOO_FEW)

    def test_an_interrupt_gives_back_what_was_not_printed(self):
        self.send(1000)
        receiver = self.begin("receive", "orders", "--max", "0", "--follow", stdout=subprocess.PIPE)
        self.assertEqual([receiver.stdout.readline() for _ in range(3)], ["1\n", "2\n", "3\n"])

        receiver.send_signal(signal.SIGINT)
        rest = receiver.stdout.read()

        self.assertEqual(receiver.wait(30), OK)
        there, delivery_counts = self.here()
        self.assertEqual(there + 3 + len(rest.splitlines()), 1000)
        self.assertEqual(delivery_counts, {0})


class SlowReaderTest(command_line.CommandLineTest):
    """With the clock of the machine, as locks are renewed in its time."""

    FLAGS = []

    def test_a_reader_that_takes_longer_than_the_locks_gets_each_message_once(self):  # LCK-3, LCK-12
        self.run_wharf("queue", "create", "slow", "--lock-duration", "5s", "--max-delivery-count", "1")
        self.run_shell("for i in $(seq 200); do printf '%080000d\\n' $i; done | wharf send slow --lines --quiet")

        printed = self.run_shell("wharf receive slow --max 0 --wait 0s | "
                                 "(head -c 100000 | tail -c 1 >/dev/null; sleep 12; cat | wc -l)")

        # 100,000 bytes are one line, and a part of the next.
        self.assertEqual(printed.strip(), "199")
        self.assertEqual(self.said, "")
        runtime = self.run_json("queue", "show", "slow")["runtime"]
        self.assertEqual(runtime["total_message_count"], 0)


class TerminalTest(command_line.CommandLineTest):

    def run_on_terminal(self, *arguments):
        """What a person sees on stdout and stderr together."""
        leader, follower = pty.openpty()
        self.addCleanup(os.close, leader)
        with subprocess.Popen([daemon_test.WHARF, *arguments], env=self.environment(), stdin=follower,
                              stdout=follower, stderr=follower) as process:
            os.close(follower)
            seen = b""
            while True:
                try:
                    piece = os.read(leader, 65536)
                except OSError:  # Nobody has the other end any more.
                    break
                seen += piece
            process.wait(30)
        return seen.decode().replace("\r\n", "\n")

    def test_numbers_and_properties_stand_before_the_body(self):
        self.run_wharf("send", "orders", "one\ntwo", "--subject", "greeting", "--property", "count:int32=5")

        seen = self.run_on_terminal("receive", "orders")

        self.assertRegex(seen, r"^1  enqueued \S+Z  subject=greeting  count=5\none\ntwo\n$")

    def test_nothing_of_others_reaches_the_terminal_but_text(self):
        self.run_wharf("send", "orders", "a\x1b[31mb\x9b1mc\x07", "--message-id", "id\x1b]0;title\x07",
                       "--property", "na\x1bme=va\x1blue")

        seen = self.run_on_terminal("receive", "orders")

        self.assertNotRegex(seen, "[\x00-\x09\x0b-\x1f\x7f-\x9f]")
        self.assertIn("a\\x1b[31mb", seen)

    def test_a_picture_is_not_shown(self):
        path = f"{self.folder.name}/picture"
        with open(path, "wb") as file:
            file.write(b"\x89PNG\x00\xff")
        self.run_wharf("send", "orders", "--file", path)

        self.assertIn("(6 bytes that are no text", self.run_on_terminal("receive", "orders", "--settle", "release"))
        self.assertEqual(self.run_shell("wharf receive orders --raw | od -An -c").split(),
                         ["211", "P", "N", "G", "\\0", "377"])

    def test_that_nothing_came_is_told(self):
        self.assertEqual(self.run_on_terminal("receive", "orders", "--wait", "0s"),
                         "wharf: no message came within 0s\n")

    def test_a_pipe_gets_the_body_alone(self):
        self.run_wharf("send", "orders", "one", "--subject", "greeting")

        self.assertEqual(self.run_wharf("receive", "orders"), "one\n")
        self.assertFalse(re.search("no message", self.said))


if __name__ == "__main__":
    unittest.main()
