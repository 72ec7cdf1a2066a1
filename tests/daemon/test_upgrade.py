"""Upgrades: a folder of an older build, kept beside this file, is opened, and everything is there."""

import json
import pathlib
import re
import tarfile

import daemon_test
import old_folder

FIXTURES = pathlib.Path(__file__).parent / "fixtures"


class UpgradeTest(daemon_test.DaemonTest):

    def unpack(self, name):
        """What must be found."""
        with tarfile.open(FIXTURES / f"{name}.tar.xz") as archive:
            archive.extractall(self.folder.name)
        return json.loads(pathlib.Path(self.folder.name, "expected.json").read_text("utf-8"))

    def assert_has(self, found, expected, where="folder"):
        """All that was told then is told now; what is told now beside it, a newer version tells."""
        if isinstance(expected, dict):
            for name, value in expected.items():
                self.assertIn(name, found, where)
                self.assert_has(found[name], value, f"{where}.{name}")
        elif isinstance(expected, list):
            self.assertEqual(len(found), len(expected), where)
            for place, (one, other) in enumerate(zip(found, expected)):
                self.assert_has(one, other, f"{where}[{place}]")
        else:
            self.assertEqual(found, expected, where)

    def assert_works(self):
        """What comes is behind what there was, and the large body is whole."""
        (last,) = self.client.send("orders", b"new")
        numbers = [each.sequence_number for each in self.client.peek("orders").messages]
        self.assertEqual(last.sequence_number, max(numbers))
        self.assertEqual(self.client.receive_one("large").message.body, old_folder.LARGE)
        self.assertTrue(self.client.send("once", old_folder.message(b"two", message_id="other")))
        for path in ("orders", "carts", "parts", "levels", "once", "large"):
            check = self.client.management.CheckEntity(
                daemon_test.wire.management_pb2.CheckEntityRequest(entity_path=path), timeout=daemon_test.wire.TIMEOUT)
            self.assertEqual((list(check.differences), check.fence), ([], ""), path)

    def assert_upgrades(self, name):
        expected = self.unpack(name)
        daemon = self.start(flags=("--accept-clock",))
        self.assert_has(old_folder.found(self.client), expected)
        self.assert_works()
        self.assertEqual(daemon.terminate(), 0)
        self.start(flags=("--accept-clock",))
        self.assertGreater(len(self.client.peek("orders").messages), 0)
        return daemon.log

    def test_a_broker_that_was_killed_goes_on_as_a_later_one(self):  # reliability 61
        self.assert_upgrades("single")

    def test_a_write_ahead_log_is_converted(self):  # reliability 61
        with tarfile.open(FIXTURES / "write-ahead.tar.xz") as archive:
            logs = [each for each in archive.getmembers() if each.name.endswith(".log")]
        self.assertTrue(any(each.size for each in logs), "there is nothing in the log that the tables lack")

        self.assert_upgrades("write-ahead")

        data = pathlib.Path(self.folder.name, "data")
        self.assertTrue((data / "SINGLE").exists())
        self.assertEqual([each.stat().st_size for each in data.glob("*.log") if each.stat().st_size], [])

    def test_rows_of_the_oldest_format_are_read_and_raised(self):  # reliability 61
        log = self.assert_upgrades("held-back")
        self.assertTrue(any(re.search("the data folder has format .* from now on", line) for line in log), log)
