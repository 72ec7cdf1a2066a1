"""`wharf top` as a user has it: in a window of tmux, by its keys; and as a script has it, once."""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import unittest

import command_line
import daemon_test
import terminal
import tmux
import wire
from command_line import FAILED, OK, UNREACHABLE, USAGE

HEADING = re.compile(r"NAME.*AVAILABLE.*OUT/S")


def rows_of(lines):
    """The names in the table, from the top."""
    (at,) = [number for number, line in enumerate(lines) if HEADING.search(line)]
    return [line.split()[0] for line in lines[at + 1:-1] if line.strip()]


class TopOnceTest(command_line.CommandLineTest):

    FLAGS = []  # Rates need a clock that goes.

    def test_a_pipe_gets_one_picture(self):
        self.client.send("orders", b"a", b"b")
        self.client.create("bills")
        shown = self.run_wharf("top", "--interval", "100ms").splitlines()
        self.assertRegex(shown[0], r"^wharf top 127\.0\.0\.1:\d+  version \d")
        self.assertRegex(shown[1], r"^entities 2, connections \d+  sent 0/s")
        self.assertRegex(shown[2], r"^syncs \S+.*  disk: .* free, store ")
        self.assertRegex(shown[3], r"^memory: windows .*, streams 0 B, store ")
        self.assertEqual(rows_of([*shown, ""]), ["orders", "bills"])
        self.assertRegex(shown[-2], r"^orders +2 +0 ")
        self.assertTrue(all(len(line) <= 80 for line in shown))

    def test_json_has_all_numbers(self):
        self.client.send("orders", b"a", b"b", b"c")
        held, dead = self.client.receive("orders", 2)
        self.client.dead_letter("orders", dead.lock_token)
        shown = self.run_json("top", "--interval", "100ms")
        (orders,) = shown["entities"]
        self.assertLess(orders.pop("oldest_seconds"), wire.TIMEOUT)
        self.assertGreater(orders.pop("bytes"), 0)
        self.assertEqual(orders, {
            "name": "orders", "available": 1, "locked": 1, "delayed": 0, "deferred": 0, "scheduled": 0,
            "quarantined": 0, "dead_letter": 1, "in_per_second": 0.0, "out_per_second": 0.0})
        self.assertEqual(shown["broker"]["sent_message_count"], 3)
        self.client.complete("orders", held.lock_token)

    def test_order_and_filter(self):
        for name in ("a-1", "b-1", "a-2"):
            self.client.create(name)
        self.client.send("a-2", b"x")

        def names(*arguments):
            return [entity["name"] for entity in self.run_json("top", "--interval", "100ms", *arguments)["entities"]]
        self.assertEqual(names(), ["a-2", "a-1", "b-1", "orders"])
        self.assertEqual(names("--sort", "name", "--filter", "A-"), ["a-1", "a-2"])

    def test_rates_are_those_of_the_interval(self):
        top = self.begin("top", "--json", "--interval", "1s", stdout=subprocess.PIPE)
        while top.poll() is None:
            self.client.send("orders", *[b"x"] * 10)
            for message in self.client.receive("orders", 10):
                self.client.complete("orders", message.lock_token)
        shown = json.loads(top.communicate()[0])
        (orders,) = shown["entities"]
        self.assertGreater(orders["in_per_second"], 0)
        self.assertGreater(orders["out_per_second"], 0)
        self.assertGreater(shown["sent_per_second"], 0)
        self.assertGreater(shown["sync_p99_seconds"], 0)

    def test_more_entities_than_a_page_has(self):
        for number in range(2500):
            self.client.create(f"q{number:04}")
        entities = self.run_json("top", "--interval", "100ms", "--sort", "name")["entities"]
        self.assertEqual([entity["name"] for entity in entities], ["orders", *(f"q{n:04}" for n in range(2500))])

    def test_on_a_terminal_once_leaves_its_lines_there(self):
        code, shown = terminal.run([daemon_test.WHARF, "top", "--once", "--interval", "100ms"],
                                   command_line.environment_of(self.daemon, self.config))
        self.assertEqual(code, OK)
        self.assertNotIn("\x1b", shown)
        self.assertIn("orders", shown)

    def test_what_is_no_interval(self):
        for interval in ("50ms", "2h", "soon"):
            self.run_wharf("top", "--interval", interval, code=USAGE)
        self.run_wharf("top", "--sort", "colour", code=USAGE)

    def test_a_broker_that_is_not_there(self):
        self.daemon.kill()
        self.run_wharf("--connect-timeout", "1s", "top", "--once", code=UNREACHABLE)


@unittest.skipUnless(shutil.which("tmux"), "tmux is not installed")
class TopTest(command_line.CommandLineTest):

    FLAGS = []

    def setUp(self):
        super().setUp()
        self.window = tmux.Window(self.environment())
        self.addCleanup(self.window.close)

    def open(self, *arguments):
        self.window.run(" ".join(["wharf", "top", "--interval", "200ms", *arguments]))
        return self.window.wait_for("F1 Help")

    def wait_for_rows(self, *names):
        return self.window.wait_until(
            lambda lines: any(HEADING.search(line) for line in lines) and rows_of(lines) == list(names))

    def assert_left(self):
        """The shell is there again, and its terminal as it was."""
        self.window.wait_until(lambda lines: lines[-1] == "READY>")
        self.assertFalse(any("AVAILABLE" in line for line in self.window.lines()))
        self.window.run("stty -a | tr ' ;' '\\n' | grep -xE '.?(echo|icanon|isig|icrnl|opost)' | sort |"
                        " xargs echo MODES")
        self.window.wait_for("MODES echo icanon icrnl isig opost")

    def test_what_it_shows_changes_with_the_broker(self):
        self.open()
        self.wait_for_rows("orders")
        self.client.create("bills")
        self.client.send("bills", b"a", b"b")
        lines = self.wait_for_rows("bills", "orders")
        self.assertRegex(lines[0], r"^wharf top 127\.0\.0\.1:\d+  version \d")
        self.window.wait_until(lambda lines: re.search(r"^bills +2 +0", "\n".join(lines), re.M))
        self.client.receive_one("bills")
        self.window.wait_until(lambda lines: re.search(r"^bills +1 +1", "\n".join(lines), re.M))
        self.window.press("q")
        self.assert_left()

    def test_every_way_out_leaves_the_terminal_as_it_was(self):
        for key in ("q", "F10", "C-c"):
            with self.subTest(key=key):
                self.open()
                self.window.press(key)
                self.assert_left()
                self.window.run("clear")
        for which in ("TERM", "HUP", "INT", "QUIT", "ABRT", "SEGV"):
            with self.subTest(signal=which):
                self.open()
                self.signal_it(which)
                self.assert_left()
                self.window.run("clear")

    def signal_it(self, which):
        """To the `wharf top` in the window."""
        children = pathlib.Path(f"/proc/{self.window.shell()}/task/{self.window.shell()}/children")
        (found,) = children.read_text(encoding="ascii").split()
        os.kill(int(found), getattr(signal, f"SIG{which}"))

    def test_a_stop_by_ctrl_z_gives_the_terminal_back(self):
        self.open()
        self.window.press("C-z")
        self.window.wait_for("Stopped")
        self.window.run("clear; echo HERE")
        self.window.wait_until(lambda lines: "HERE" in lines)
        self.window.run("fg")
        self.wait_for_rows("orders")
        self.window.press("q")
        self.assert_left()

    def test_a_stop_by_another_process_gives_the_terminal_back(self):
        self.open()
        self.signal_it("TSTP")
        self.window.wait_for("Stopped")
        self.assert_left()
        self.window.run("clear; fg")
        self.wait_for_rows("orders")
        self.signal_it("TSTP")
        self.window.wait_for("Stopped")
        self.window.run("clear; fg")
        self.wait_for_rows("orders")
        self.window.press("q")
        self.assert_left()

    def test_order_selection_and_filter(self):
        for number, name in enumerate(("a-1", "b-1", "c-1")):
            self.client.create(name)
            self.client.send(name, *[b"x"] * (number + 1))
        self.open()
        self.wait_for_rows("c-1", "b-1", "a-1", "orders")
        self.window.press("N")
        self.wait_for_rows("a-1", "b-1", "c-1", "orders")
        self.window.press("R")
        self.wait_for_rows("orders", "c-1", "b-1", "a-1")
        self.window.wait_for("NAME^")
        self.window.press("F6")
        self.wait_for_rows("c-1", "b-1", "a-1", "orders")
        self.window.wait_for("AVAILABLEv")
        self.window.type("/-1")
        self.wait_for_rows("c-1", "b-1", "a-1")
        self.window.wait_for("filter: -1_")
        self.window.type("x")
        self.window.wait_for("0 of 4 entities")
        self.window.press("BSpace", "Enter")
        self.wait_for_rows("c-1", "b-1", "a-1")
        self.window.press("Escape")
        self.wait_for_rows("c-1", "b-1", "a-1", "orders")

    def test_a_long_list_is_paged_through(self):
        for number in range(60):
            self.client.create(f"q{number:02}")
        self.open("--sort", "name")
        first = rows_of(self.window.wait_for("q00"))
        self.assertEqual(first[:2], ["orders", "q00"])
        self.window.press("PageDown", "PageDown")
        self.window.wait_until(lambda lines: "q00" not in rows_of(lines) and "q59" not in rows_of(lines))
        self.window.press("End")
        self.window.wait_until(lambda lines: rows_of(lines)[-1] == "q59")
        self.window.press("Home")
        self.window.wait_until(lambda lines: rows_of(lines)[:2] == ["orders", "q00"])

    def test_help_and_locks(self):
        self.client.send("orders", b"x")
        self.client.receive_one("orders")
        self.open()
        for key in ("F1", "h", "?"):
            self.window.press(key)
            self.window.wait_for("who holds locks on messages of it")
            self.window.press("Escape")
            self.wait_for_rows("orders")
        self.window.press("Enter")
        self.window.wait_for("Who holds messages of orders:")
        self.window.wait_for("call ipv4:127.0.0.1:")
        self.window.press("Escape")
        self.wait_for_rows("orders")

    def test_it_follows_the_window(self):
        self.open()
        self.wait_for_rows("orders")
        for width, height, last_column in ((160, 40, "SIZE"), (60, 12, "OUT/S"), (80, 24, "OLDEST")):
            self.window.resize(width, height)
            # Until it has drawn anew, the terminal shows what it has cut off or folded itself.
            lines = self.window.wait_until(lambda lines, width=width, height=height, last_column=last_column: (
                len(lines) == height and "F1 Help" in lines[-1]
                and [len(line) for line in lines if HEADING.search(line) and line.endswith(last_column)] == [width]))
            self.assertEqual("DEFERRED" in "".join(lines), width > 120)
            self.assertEqual("DEAD" in "".join(lines), width >= 80)
            self.assertLessEqual(max(map(terminal.width_of, lines)), width)

    def test_a_small_window_shows_entities_and_both_ends_of_their_names(self):
        topic = "sales-of-the-northern-countries"
        self.run_wharf("topic", "create", topic)
        for name in ("accounting", "archive"):
            self.run_wharf("subscription", "create", topic, name)
        self.window.resize(60, 7)
        self.open("--sort", "name")
        lines = self.window.wait_until(lambda lines: len(rows_of(lines)) == 4)
        self.assertRegex("\n".join(lines), r"(?m)^sales-of-.*…\S*/accounting ")
        self.assertRegex("\n".join(lines), r"(?m)^sales-of-.*…\S*/archive ")

    def test_a_broker_that_goes_and_comes_again(self):
        self.start_where_it_stays()
        self.open("--address", self.daemon.address)
        self.wait_for_rows("orders")
        self.daemon.kill()
        self.window.wait_for("the broker does not answer for ")
        self.daemon.start()
        self.addCleanup(self.daemon.kill)
        self.window.wait_until(lambda lines: not any("does not answer" in line for line in lines))
        self.connect(self.daemon).create("after")
        self.wait_for_rows("after", "orders")

    def test_a_broker_that_hangs_is_said_to(self):
        self.open()
        self.wait_for_rows("orders")
        self.daemon.send_signal(signal.SIGSTOP)
        self.addCleanup(self.daemon.send_signal, signal.SIGCONT)
        self.window.wait_for("the broker does not answer for ")
        self.window.press("q")
        self.assert_left()
        self.daemon.send_signal(signal.SIGCONT)

@unittest.skipUnless(shutil.which("tmux"), "tmux is not installed")
class TopRefusedTest(command_line.AccessTest):

    FLAGS = ["--access=on"]

    def setUp(self):
        super().setUp()
        self.window = tmux.Window(self.environment())
        self.addCleanup(self.window.close)

    def watch_with(self, right):
        key = self.run_json("access", "create", "watcher", right, "--show-key")["primary_key"]
        endpoint = self.root.read_text(encoding="ascii").split(";")[0]
        watcher = self.file_of(f"{endpoint};SharedAccessKeyName=watcher;SharedAccessKey={key}\n")
        self.window.run(f"wharf --connection-string {watcher} top --interval 100ms")

    def assert_ended_with(self, sentence):
        """And it has asked once."""
        self.window.wait_for(sentence)
        self.window.run("echo ENDED $?")
        self.window.wait_for(f"ENDED {FAILED}")
        self.assertEqual(self.daemon.terminate(), 0)  # Then all that it said is in the log.
        self.assertEqual(sum("refused a call" in line for line in self.daemon.log), 1)

    def test_whose_rule_goes_reads_so_and_asks_no_more(self):
        self.watch_with("--manage")
        self.window.wait_for("F1 Help")
        self.window.wait_until(lambda lines: rows_of(lines) == ["orders"])
        self.run_wharf("access", "remove", "watcher")
        self.assert_ended_with("wharf: Unauthorized: ")

    def test_who_has_not_the_right_reads_so_and_asks_no_more(self):
        self.watch_with("--listen")
        self.assert_ended_with("wharf: Forbidden: ")


if __name__ == "__main__":
    unittest.main()
