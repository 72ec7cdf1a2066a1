"""What the daemon does not accept it refuses with one sentence and exit code 1, before anything is changed."""

import glob
import os
import pathlib
import subprocess
import unittest

import daemon_test
import wire


class AddressTest(daemon_test.DaemonTest):

    def test_an_address_of_other_machines(self):
        self.assert_refuses(r"listens on this machine only.*not 0\.0\.0\.0:1$", listen="0.0.0.0:1")
        self.assert_refuses(r"listens on this machine only.*not \[::\]:1$", listen="[::]:1")
        self.assertFalse(os.path.exists(self.data))

    def test_a_port_in_use(self):
        daemon = self.start()

        self.assert_refuses(rf"cannot listen on {daemon.address}: it is in use", listen=daemon.address,
                            data=f"{self.folder.name}/other")

        self.client.create("still-there")

    def test_no_data_folder_is_bad_usage(self):
        ended = subprocess.run([os.environ["WHARFD"]], capture_output=True, text=True, timeout=wire.TIMEOUT, check=False)

        self.assertEqual(ended.returncode, 2)
        self.assertIn("--data is required", ended.stderr)


class FolderTest(daemon_test.DaemonTest):

    def fill(self):
        """A data folder of a broker that was killed with a thousand messages in its log."""
        daemon = self.start()
        self.client.create("orders")
        for number in range(10):
            self.client.send("orders", *[b"%d" % number * 100] * 100)
        daemon.kill()

    def file(self, pattern):
        """The only file of this name that has something in it."""
        (name,) = [name for name in glob.glob(f"{self.data}/{pattern}") if os.path.getsize(name) > 0]
        return pathlib.Path(name)

    def flip(self, file, at):
        content = bytearray(file.read_bytes())
        content[at] ^= 1
        file.write_bytes(content)

    def test_a_folder_in_use(self):  # reliability 25
        self.start()
        self.client.create("orders")

        self.assert_refuses(f"{self.data} is in use by another wharfd$")

        self.assertEqual(self.client.send("orders", b"x")[0].sequence_number, 1)

    def test_a_folder_of_a_newer_format(self):
        daemon = self.start()
        self.assertEqual(daemon.terminate(), 0)
        subprocess.run([os.environ["SET_FORMAT"], self.data, "99"], check=True, timeout=wire.TIMEOUT)

        self.assert_refuses(r"the data folder has format 99, this version reads up to \d+; start a newer wharfd$")

    def test_a_folder_that_cannot_be_made(self):
        file = pathlib.Path(f"{self.folder.name}/file")
        file.write_text("not a folder")

        self.assert_refuses(f"cannot .* {file}.*", data=str(file))
        self.assert_refuses(f"cannot make {file}/data.*", data=f"{file}/data")
        self.assert_refuses("cannot make /proc/wharf.*", data="/proc/wharf")
        self.assertEqual(file.read_text(), "not a folder")

    def test_a_log_that_is_damaged_before_its_end(self):  # reliability 21
        self.fill()
        log = self.file("*.log")
        self.flip(log, log.stat().st_size // 2)

        said = self.assert_refuses(r"damaged at byte \d+, in a part that had been synced; restore the folder from a backup")

        self.assertIn(str(log), said)
        self.assert_refuses("damaged")  # Nor the next time.

    def test_a_log_that_is_torn_at_its_end_is_no_damage(self):  # reliability 10
        self.fill()
        log = self.file("*.log")
        self.flip(log, log.stat().st_size - 1)

        daemon = self.start()

        self.assertEqual(len(daemon_test.stored(self.client, "orders")), 900)
        self.assertRegex("".join(daemon.log), "the last write before the stop was torn: dropped")

    def test_a_log_that_is_gone(self):  # reliability 22
        self.fill()
        os.remove(self.file("*.log"))

        for _ in range(2):
            self.assert_refuses(f"{self.data} has no write-ahead log, .*; restore the folder from a backup$")

    def test_a_log_that_is_gone_after_a_clean_stop(self):  # reliability 22
        daemon = self.start()
        self.assertEqual(daemon.terminate(), 0)
        for log in glob.glob(f"{self.data}/*.log"):
            os.remove(log)

        self.assert_refuses(f"{self.data} has no write-ahead log")

    def test_a_damaged_or_missing_manifest(self):  # reliability 21, 22
        self.fill()
        manifest = self.file("MANIFEST-*")
        content = manifest.read_bytes()
        self.flip(manifest, len(content) // 2)
        self.assert_refuses(".+")
        manifest.write_bytes(content)

        os.rename(manifest, f"{self.folder.name}/elsewhere")
        self.assert_refuses(".+")
        os.rename(f"{self.folder.name}/elsewhere", manifest)

        current = self.file("CURRENT")
        os.rename(current, f"{self.folder.name}/elsewhere")
        self.assert_refuses("its file CURRENT is missing; restore the folder from a backup$")
        current.write_text("nonsense")
        self.assert_refuses(".+")
        os.replace(f"{self.folder.name}/elsewhere", current)

        self.start()
        self.assertEqual(len(daemon_test.stored(self.client, "orders")), 1000)


if __name__ == "__main__":
    unittest.main()
