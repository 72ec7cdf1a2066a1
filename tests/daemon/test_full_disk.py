"""A disk that takes no more: nothing is acknowledged that is not stored, and the daemon ends by itself."""

import os
import resource
import signal
import subprocess
import time
import unittest

import daemon_test
import wire

END_LIMIT = 5  # seconds
MIB = 1 << 20


class SmallDisk:
    """A file system of a few MiB."""

    cause = "No space left on device"

    def __init__(self, folder):
        self.path = folder
        os.mkdir(folder)
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={8 * MIB}", "tmpfs", folder], check=True)
        self.limits = {}

    def grow(self):
        subprocess.run(["mount", "-o", f"remount,size={256 * MIB}", self.path], check=True)

    def remove(self):
        subprocess.run(["umount", self.path], check=True)


class SmallFiles:
    """Where nothing may be mounted: no file may grow beyond a few MiB."""

    cause = "File too large"

    def __init__(self, folder):
        self.path = folder
        os.mkdir(folder)

        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (8 * MIB, resource.RLIM_INFINITY))
        self.limits = {"preexec_fn": limit, "restore_signals": False}

    def grow(self):
        self.limits = {}

    def remove(self):
        pass


def may_mount(folder):
    os.mkdir(folder)
    mounted = subprocess.run(["mount", "-t", "tmpfs", "tmpfs", folder], capture_output=True, check=False).returncode == 0
    return mounted and subprocess.run(["umount", folder], check=True).returncode == 0


class FullDiskTest(daemon_test.DaemonTest):

    def fill_up(self, disk):
        """Sends until the daemon ends, starts it again on more space, and compares."""
        self.addCleanup(disk.remove)
        daemon = self.start(f"{disk.path}/data", **disk.limits)
        self.client.create("orders")
        self.client.send("orders", b"locked")
        token = self.client.receive_one("orders").lock_token
        load = daemon_test.Load(self.client, "orders", body=os.urandom(20_000))
        load.join()  # Every send under way hears of the failure, and the load ends with it.
        begin = time.monotonic()
        code = daemon.wait()

        self.assertLess(time.monotonic() - begin, END_LIMIT)
        self.assert_sentence(code, [line.rstrip() for line in daemon.log], f"the commit log is closed: .*{disk.cause}")
        self.assertGreater(len(load.acknowledged), 10)
        self.assertTrue(load.unknown)

        disk.grow()
        self.start(f"{disk.path}/data")
        there = daemon_test.stored(self.client, "orders")
        there.pop(1)
        self.assertEqual({number: there.get(number) for number in load.acknowledged}, load.acknowledged)
        self.assertLessEqual(set(there.values()) - set(load.acknowledged.values()), load.unknown)
        self.assert_settled(self.client.complete("orders", token))
        self.assertEqual(len(self.client.send("orders", b"and on it goes")), 1)

    def test_a_full_disk_ends_the_daemon_and_loses_nothing(self):  # reliability 16
        folder = f"{self.folder.name}/disk"
        kind = SmallDisk if may_mount(f"{self.folder.name}/probe") else SmallFiles
        self.fill_up(kind(folder))

    def test_a_file_that_may_not_grow_ends_the_daemon_and_loses_nothing(self):  # reliability 16, 18
        self.fill_up(SmallFiles(f"{self.folder.name}/disk"))


if __name__ == "__main__":
    unittest.main()
