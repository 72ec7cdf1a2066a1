"""Space comes back on an idle broker: what was purged or has expired goes from the disk without any client."""

import os
import re
import subprocess
import unittest

import grpc

import daemon_test
import full_disk
import wire

BODY_BYTES = 4000  # Beside the rest of their message, not in rows of their own.
BATCH = 1000
BATCHES = 80  # More than an idle broker tidies up as a whole (256 MiB).

LARGE_BODY_BYTES = 64 << 10  # In rows of their own.
LARGE_BATCH = 100
LARGE_BATCHES = 40


HOUR = 3600  # seconds


class DaemonWithSpace(daemon_test.DaemonTest):
    FLAGS = ("--reclaim-rate", "256")

    def setUp(self):
        super().setUp()
        self.daemon = self.start(flags=self.FLAGS)

    def fill(self, name):
        self.client.create(name)
        self.send_batches(name)

    def send_batches(self, name, batches=BATCHES):
        for _ in range(batches):
            self.client.send(name, *(os.urandom(BODY_BYTES) for _ in range(BATCH)))

    def bytes_of_files(self, ending):
        """They may go while they are counted."""
        total = 0
        for entry in os.scandir(self.data):
            try:
                total += entry.stat().st_size if entry.name.endswith(ending) else 0
            except FileNotFoundError:
                pass
        return total

    def table_bytes(self):
        """Of the files that messages rest in, without the log."""
        return self.bytes_of_files(".sst")

    def space(self):
        return self.client.statistics().space

    def shown(self):
        """What `wharf disk` says of the disk, in bytes, about."""
        shown = subprocess.run([daemon_test.WHARF, "--address", self.daemon.address, "disk", "--entities", "0"], text=True,
                               capture_output=True, timeout=wire.TIMEOUT, check=True).stdout
        rows = re.findall(r"^  (.*?) {2,}([0-9.]+)( [KMGT]iB| B|)$", shown.partition("MEMORY")[0], re.MULTILINE)
        units = {"": 1, " B": 1, " KiB": 1 << 10, " MiB": 1 << 20, " GiB": 1 << 30, " TiB": 1 << 40}
        return {name: float(number) * units[unit] for name, number, unit in rows}


class SpaceTest(DaemonWithSpace):

    def test_of_a_purge_that_nothing_follows(self):  # PRG-1
        self.fill("orders")
        purged_bytes = BATCHES * BATCH * BODY_BYTES
        full_disk.wait_for(lambda: self.shown()["live"] > purged_bytes / 2, "the count of what is live")
        self.assertEqual(self.shown()["dead, and worth giving back (about)"], 0)

        self.assertEqual(self.client.purge("orders"), BATCHES * BATCH)

        full_disk.wait_for(lambda: self.space().dead_bytes > purged_bytes / 2, "the count of what is dead")
        space = self.space()
        self.assertEqual(space.live_bytes + space.dead_bytes, space.table_bytes + space.large_body_bytes)
        full_disk.wait_for(lambda: self.table_bytes() < purged_bytes / 10, "the space of what was purged")
        full_disk.wait_for(lambda: self.space().dead_bytes == 0, "the end of the count")

    def send_bodies(self, path):
        for _ in range(LARGE_BATCHES):
            self.client.send(path, *(os.urandom(LARGE_BODY_BYTES) for _ in range(LARGE_BATCH)))
        return LARGE_BATCHES * LARGE_BATCH * LARGE_BODY_BYTES

    def body_bytes(self):
        return self.bytes_of_files(".blob")

    # Until they are in files, nothing of them can come back.
    def assert_bodies_go(self, sent_bytes):
        full_disk.wait_for(lambda: self.body_bytes() < sent_bytes / 10, "the space of the bodies")

    def test_of_bodies_that_were_forwarded_to_a_queue_that_goes(self):
        self.client.create("sink")
        self.client.create("source", forward_to="sink")
        sent_bytes = self.send_bodies("source")
        full_disk.wait_for(
            lambda: self.client.runtime("sink").active_message_count == LARGE_BATCHES * LARGE_BATCH, "the last message")

        self.client.delete("sink")

        self.assert_bodies_go(sent_bytes)

    def test_of_a_topic_that_goes(self):
        self.client.topics.create("news")
        for name in ("a", "b"):
            self.client.topics.subscribe("news", name)
        sent_bytes = self.send_bodies("news")
        full_disk.wait_for(lambda: self.body_bytes() > sent_bytes / 2, "the bodies in files")

        self.client.topics.delete("news")

        self.assert_bodies_go(sent_bytes)


class ExpirySpaceTest(DaemonWithSpace):
    """Where a clock that stands still makes many messages due at once."""
    FLAGS = (*DaemonWithSpace.FLAGS, "--clock=manual")
    def create(self, *names):
        for name in names:
            self.client.create(name, default_message_time_to_live=wire.seconds(HOUR))

    def defer_one_in_a_hundred(self, name, first, count):
        """Of so many messages that have numbers from this one on; which they are."""
        deferred = list(range(first, first + count, 100))
        for begin in range(0, len(deferred), 400):
            numbers = deferred[begin:begin + 400]
            self.client.defer(name, *(self.client.receive_number(name, number)[0].lock_token for number in numbers))
        return deferred

    def assert_left(self, name, numbers):
        """These, deferred, and nothing else."""
        runtime = self.client.runtime(name)
        self.assertEqual((runtime.active_message_count, runtime.deferred_message_count, runtime.total_message_count),
                         (len(numbers),) * 3)
        seen, start = [], 0
        while len(seen) < len(numbers):
            page = self.client.peek(name, start)
            self.assertTrue(page.messages)
            seen += page.messages
            start = page.next_sequence_number
        self.assertFalse(self.client.peek(name, seen[-1].sequence_number + 1).messages)
        self.assertEqual(wire.numbers(seen), numbers)
        self.assertEqual({len(message.message.body) for message in seen}, {BODY_BYTES})
        self.assertEqual(runtime.size_in_bytes, sum(message.size for message in seen))
        self.assertFalse(self.client.receive(name))

    def assert_space_comes_back(self, count):
        full_disk.wait_for(lambda: self.table_bytes() < count * BODY_BYTES / 10, "the space of what expired")
        full_disk.wait_for(lambda: self.space().dead_bytes == 0, "the end of the count")
        space = self.space()
        self.assertEqual(space.live_bytes + space.dead_bytes, space.table_bytes + space.large_body_bytes)

    def restart(self):
        self.daemon.kill()
        self.daemon = self.start(flags=self.FLAGS)

    def test_of_messages_that_expired(self):  # TTL-10, TTL-14
        self.create("orders")
        self.client.create("others")
        self.client.send("others", b"lives for ever")
        left, sent = [], 0
        for batches in (BATCHES, 5):
            self.send_batches("orders", batches)
            left += self.defer_one_in_a_hundred("orders", sent + 1, batches * BATCH)
            sent += batches * BATCH

            self.client.advance(wire.seconds(HOUR))

            self.assert_left("orders", left)
            full_disk.wait_for(lambda count=batches * BATCH: self.space().dropped_row_count > 0.9 * count,
                               "compactions that drop it")
            self.assert_space_comes_back(sent)
            self.assert_left("orders", left)
            self.restart()
            self.assert_left("orders", left)
        self.assertEqual(wire.bodies(self.client.receive("others")), [b"lives for ever"])

        for number in left:
            self.assert_fails(grpc.StatusCode.NOT_FOUND, "MessageNotFound", self.client.receive_deferred, "orders", number)
        self.assertEqual(self.client.runtime("orders").total_message_count, 0)

    def test_of_messages_that_expired_when_it_was_killed(self):  # TTL-10
        self.create("orders", "more")
        self.send_batches("orders", 20)
        self.client.send("more", *[b"x"] * 100)
        self.client.advance(wire.seconds(HOUR))

        self.restart()

        for name in ("orders", "more"):
            self.assertEqual(self.client.runtime(name).total_message_count, 0)
            self.assertFalse(self.client.peek(name).messages)
        self.assert_space_comes_back(20 * BATCH)


if __name__ == "__main__":
    unittest.main()
