"""A disk that does not answer for a while: nothing that was acknowledged is lost, memory is bounded, a stop ends."""

import os
import pathlib
import re
import subprocess
import threading
import time
import unittest

import grpc

import daemon_test
import wire

STOP_LIMIT = 5  # seconds
HOLD = 5  # seconds
LONG_HOLD = 10  # seconds
HOLD_MAX = 2 * wire.TIMEOUT // 3  # seconds: a call that waits for the disk must have its answer within TIMEOUT
CALL_LIMIT = 60  # seconds: what hangs ends by its deadline, and that is seen
CALLS_MAX = 30  # seconds: until each call has its answer
MEMORY_MAX = 600 << 10  # KiB
USUAL_WORK = 0.04  # seconds: what `pace` does, on a machine of the usual pace


def pace():
    """How much slower than usual this machine is just now. Limits in seconds would else be a measure of it."""
    begin = time.monotonic()
    sum(number * number for number in range(1_000_000))
    return max(1, (time.monotonic() - begin) / USUAL_WORK)


class HeldDiskTest(daemon_test.DaemonTest):

    def setUp(self):
        super().setUp()
        self.held = pathlib.Path(self.folder.name) / "held"
        self.addCleanup(self.release)

    def start_on_it(self):
        return self.start(env={**os.environ, "LD_PRELOAD": os.environ["HELD_DISK"], "WHARF_HELD_DISK": str(self.held)})

    def hold(self):
        self.held.touch()

    def release(self):
        self.held.unlink(missing_ok=True)

    def wait_until_one_waits(self):
        daemon_test.wait_for(pathlib.Path(f"{self.held}.waits").unlink, FileNotFoundError)

    def send_in_background(self):
        """A send whose commit waits for the disk; answers a function that tells how it ended: None, or the error."""
        ends = []

        def send():
            try:
                self.client.send("orders", b"held")
                ends.append(None)
            except grpc.RpcError as error:
                ends.append(error)

        thread = threading.Thread(target=send)
        thread.start()
        self.wait_until_one_waits()

        def join():
            thread.join(wire.TIMEOUT)
            return ends[0]
        return join

    def begin_calls(self, daemon, calls, kib, connections, pause=0, again=0, limit=CALL_LIMIT):
        """Sends of so many KiB that do not wait for each other; answers a function that waits for their ends and tells
        {(code, reason): how many}, and how many seconds the slowest one took."""
        program = subprocess.Popen(
            [os.environ["LARGE_CALLS"], daemon.address, "orders",
             *map(str, [calls, kib, limit, connections, pause, again])],
            stdout=subprocess.PIPE, text=True)
        self.addCleanup(program.kill)

        def join():
            told, _ = program.communicate(timeout=wire.TIMEOUT)
            self.assertEqual(program.returncode, 0)
            ends = re.findall(r"^(\d+) (\S+) (\d+)$", told, re.M)
            return ({(int(code), reason): int(count) for code, reason, count in ends},
                    float(re.search(r"^slowest (\S+)$", told, re.M).group(1)))
        return join

    def alarms(self):
        """Names of bounds that are near, each with its sentence."""
        raised = self.client.statistics().alarms
        for alarm in raised:
            self.assertRegex(alarm.text, r"^requests that wait for their answers take \d+ of \d+ MB; ")
        self.assertLessEqual({alarm.name for alarm in raised}, {"requests_nearly_full"})
        return [alarm.name for alarm in raised]

    def test_a_stop_does_not_wait_for_it_for_ever(self):  # reliability 4, 24
        daemon = self.start_on_it()
        self.client.create("orders")
        self.client.send("orders", b"kept")
        self.hold()
        end = self.send_in_background()

        begin = time.monotonic()
        code = daemon.terminate()
        self.assertLess(time.monotonic() - begin, STOP_LIMIT)

        self.assert_sentence(code, daemon.log, "the disk does not answer")
        self.assertEqual(daemon_test.outcome_of(end()), "unknown")
        self.release()
        self.start()
        self.assertIn(b"kept", daemon_test.stored(self.client, "orders").values())

    def test_a_stop_waits_for_it_a_while(self):  # reliability 4, 24
        daemon = self.start_on_it()
        self.client.create("orders")
        self.hold()
        end = self.send_in_background()
        threading.Timer(1.5, self.release).start()

        self.assertEqual(daemon.terminate(), 0)

        self.assertIsNone(end())
        self.start()
        self.assertEqual(list(daemon_test.stored(self.client, "orders").values()), [b"held"])

    def test_what_is_sent_meanwhile_has_a_bound(self):  # QUO-11, ERR-10
        daemon = self.start_on_it()
        self.client.create("orders", max_size_in_megabytes=5120)
        self.hold()
        ends_of = self.begin_calls(daemon, calls=60, kib=4096, connections=4, pause=20)
        daemon_test.wait_for(lambda: self.assertTrue(self.alarms()), AssertionError)
        threading.Timer(HOLD, self.release).start()

        ends, slowest = ends_of()
        daemon_test.wait_for(lambda: self.assertEqual(self.alarms(), []), AssertionError)

        self.assertLess(slowest, CALLS_MAX)
        self.assertEqual(set(ends), {(0, "-"), (14, "ServiceBusy")})
        self.assertEqual(sum(ends.values()), 60)
        self.assertLess(daemon.peak_memory(), MEMORY_MAX)
        self.assertEqual(self.client.runtime("orders").active_message_count, 4 * ends[0, "-"])
        self.client.send("orders", b"and after it")
        self.assertEqual(daemon.terminate(), 0)

    def test_what_is_read_meanwhile_has_a_bound(self):  # ERR-10
        """Two hundred producers, a thousand calls of the largest size, and small calls on a connection of their own."""
        daemon = self.start_on_it()
        self.client.create("orders", max_size_in_megabytes=5120)
        self.client.create("small")
        self.hold()
        slower = pace()
        threading.Timer(min(LONG_HOLD * slower, HOLD_MAX), self.release).start()
        limit = round(CALL_LIMIT * slower)
        producers = self.begin_calls(daemon, calls=200, kib=256, connections=8, again=2, limit=limit)
        self.wait_until_one_waits()
        large = self.begin_calls(daemon, calls=1000, kib=16 << 10, connections=10, limit=limit)

        for _ in range(20):
            self.client.statistics()
        self.assertTrue(self.held.exists(), "small calls that change nothing wait for the disk")
        self.client.send("small", b"taken although the disk is held")

        produced, slowest_producer = producers()
        sent, slowest = large()
        self.assertLess(max(slowest, slowest_producer), CALLS_MAX * slower)
        self.assertLessEqual(set(sent) | set(produced), {(0, "-"), (14, "ServiceBusy")})
        self.assertEqual(sum(sent.values()), 1000)
        self.assertGreater(sent[14, "ServiceBusy"], 900)
        self.assertLess(daemon.peak_memory(), MEMORY_MAX)
        taken = produced[0, "-"] + 16 * sent.get((0, "-"), 0)
        self.assertEqual(self.client.runtime("orders").active_message_count, taken)
        self.assertEqual(daemon.terminate(), 0)


if __name__ == "__main__":
    unittest.main()
