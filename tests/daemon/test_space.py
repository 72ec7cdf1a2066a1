"""Space comes back on an idle broker: what was purged goes from the disk without any client."""

import os
import unittest

import daemon_test
import full_disk

BODY_BYTES = 4000  # Beside the rest of their message, not in rows of their own.
BATCH = 1000
BATCHES = 80  # More than an idle broker tidies up as a whole.


class SpaceTest(daemon_test.DaemonTest):

    def setUp(self):
        super().setUp()
        self.start(flags=("--reclaim-rate", "256"))

    def fill(self, name, batches):
        self.client.create(name)
        for _ in range(batches):
            self.client.send(name, *(os.urandom(BODY_BYTES) for _ in range(BATCH)))

    def disk_bytes(self):
        """As du says; files may go while it counts."""
        total = 0
        for entry in os.scandir(self.data):
            try:
                total += 512 * entry.stat().st_blocks
            except FileNotFoundError:
                pass
        return total

    def test_of_a_purge_without_any_client(self):  # PRG-1
        self.fill("quiet", 1)
        self.fill("orders", BATCHES)
        before = self.disk_bytes()
        self.assertGreater(before, BATCHES * BATCH * BODY_BYTES)

        self.assertEqual(self.client.purge("orders"), BATCHES * BATCH)

        full_disk.wait_for(lambda: self.disk_bytes() < before / 4, "the space of what was purged")
        space = self.client.statistics().space
        self.assertGreater(space.returned_bytes, before / 2)
        self.assertLess(space.rewritten_bytes, 2 * before)
        self.assertLess(space.dead_bytes, before / 4)
        self.assertLess(space.table_bytes, before / 4)
        self.assertEqual(len(self.client.receive("quiet", BATCH)), BATCH)


if __name__ == "__main__":
    unittest.main()
