"""Space comes back on an idle broker: what was purged goes from the disk without any client."""

import os
import unittest

import daemon_test
import full_disk

BODY_BYTES = 4000  # Beside the rest of their message, not in rows of their own.
BATCH = 1000
BATCHES = 80  # More than an idle broker tidies up as a whole (256 MiB).


class SpaceTest(daemon_test.DaemonTest):

    def setUp(self):
        super().setUp()
        self.start(flags=("--reclaim-rate", "256"))

    def fill(self, name):
        self.client.create(name)
        for _ in range(BATCHES):
            self.client.send(name, *(os.urandom(BODY_BYTES) for _ in range(BATCH)))

    def table_bytes(self):
        """Of the files that messages rest in, without the log; they may go while they are counted."""
        total = 0
        for entry in os.scandir(self.data):
            try:
                total += entry.stat().st_size if entry.name.endswith(".sst") else 0
            except FileNotFoundError:
                pass
        return total

    def space(self):
        return self.client.statistics().space

    def test_of_a_purge_that_nothing_follows(self):  # PRG-1
        self.fill("orders")
        purged_bytes = BATCHES * BATCH * BODY_BYTES

        self.assertEqual(self.client.purge("orders"), BATCHES * BATCH)

        full_disk.wait_for(lambda: self.space().dead_bytes > purged_bytes / 2, "the count of what is dead")
        full_disk.wait_for(lambda: self.table_bytes() < purged_bytes / 10, "the space of what was purged")
        full_disk.wait_for(lambda: self.space().dead_bytes == 0, "the end of the count")


if __name__ == "__main__":
    unittest.main()
