"""A clock that stands still: what an application waits for in production, its test brings about."""

import subprocess
import threading
import time
import unittest

import grpc

import daemon_test
import wire

MINUTE = 60 * 1000000  # microseconds


class ClockTest(daemon_test.DaemonTest):

    def start_manual(self):
        return self.start(flags=["--clock=manual"])

    def now(self):
        return self.client.clock_now().ToMicroseconds()

    def advance(self, seconds):
        return self.client.advance(wire.seconds(seconds)).ToMicroseconds()

    def test_it_starts_at_the_wall_clock_and_stands_still(self):
        before = time.time_ns() // 1000
        self.start_manual()

        now = self.now()

        self.assertLessEqual(before, now)
        self.assertLessEqual(now, time.time_ns() // 1000)
        self.client.create("orders")
        self.assertEqual(self.client.runtime("orders").created_at.ToMicroseconds(), now)
        self.assertEqual(self.now(), now)

    def test_a_lock_expires_when_the_clock_says_so(self):  # LCK-6
        self.start_manual()
        self.client.create("orders", lock_duration=wire.seconds(60))
        self.client.send("orders", b"x")
        first = self.client.receive_one("orders")

        self.advance(59)
        self.assertEqual(self.client.runtime("orders").locked_message_count, 1)
        self.advance(1)
        self.assertEqual(self.client.runtime("orders").locked_message_count, 0)

        self.assert_fails(grpc.StatusCode.ABORTED, "MessageLockLost", self.client.complete, "orders", first.lock_token)
        again = self.client.receive_one("orders")
        self.assertEqual(again.delivery_count, 1)
        self.assertEqual(again.locked_until.ToMicroseconds(), self.now() + MINUTE)

    def test_a_receive_that_waits_ends(self):  # STA-5
        self.start_manual()
        self.client.create("orders")
        answers = []
        call = threading.Thread(target=lambda: answers.append(list(self.client.receive("orders", wait=300))))
        call.start()

        # The wait begins when the call is there; a minute at a time moves past its end in any case.
        while call.is_alive():
            self.advance(60)
        call.join()

        self.assertEqual(answers, [[]])

    def test_what_is_dead_lettered_is_there_when_the_answer_is(self):  # MAX-2
        self.start_manual()
        self.client.create("orders", lock_duration=wire.seconds(60), max_delivery_count=1)
        self.client.send("orders", *[b"x"] * 1000)
        self.client.receive_all("orders", 1000)

        self.advance(60)

        self.assertEqual(self.client.runtime("orders").dead_letter_message_count, 1000)

    def test_it_survives_a_crash(self):
        daemon = self.start_manual()
        self.client.create("orders", lock_duration=wire.seconds(60))
        self.client.send("orders", b"x")
        token = self.client.receive_one("orders").lock_token
        then = self.advance(59)

        daemon.kill()
        self.start_manual()

        self.assertEqual(self.now(), then)
        self.assert_settled(self.client.complete("orders", token))

    def test_it_may_pass_years_and_stop_well(self):
        daemon = self.start_manual()
        before = self.now()
        century = 100 * 365 * 24 * 3600
        self.advance(century)
        self.advance(0)

        self.assertEqual(daemon.terminate(), 0)
        self.start_manual()

        self.assertEqual(self.now(), before + century * 1000000)

    def test_a_span_out_of_range(self):
        self.start_manual()
        before = self.now()

        for bad in (-1, 100 * 365 * 24 * 3600 + 1, 1 << 60):
            self.assert_fails(grpc.StatusCode.OUT_OF_RANGE, "ArgumentOutOfRange", self.advance, bad)

        self.assertEqual(self.now(), before)

    def test_the_command_line(self):
        daemon = self.start_manual()
        before = self.now()

        def wharf(*arguments):
            return subprocess.run([daemon_test.WHARF, "--address", daemon.address, "clock", *arguments], text=True,
                                  capture_output=True, timeout=wire.TIMEOUT, check=True).stdout

        said = wharf("advance", "1h30m")

        self.assertEqual(said, wharf("get"))
        self.assertEqual(self.now(), before + 90 * MINUTE)
        self.assertRegex(said, r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z\n$")
        self.assertEqual(wharf("get", "--json"), '{"time":"%s"}\n' % said.strip())

    def test_another_clock_is_bad_usage(self):
        with self.assertRaisesRegex(AssertionError, "--clock"):
            self.start(flags=["--clock=sundial"])


if __name__ == "__main__":
    unittest.main()
