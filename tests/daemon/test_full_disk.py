"""A disk that is full: sends are refused with the reason, receivers make room, and the daemon starts on it.

The rounds of WHARF_FILLINGS (1 unless set) fill a small file system, with messages and by another program.
"""

import os
import random
import re
import subprocess
import time
import unittest

import daemon_test
import full_disk
import operations
import wire

END_LIMIT = 5  # seconds
ROUNDS = int(os.environ.get("WHARF_FILLINGS", "1"))
BODY_BYTES = (80_000, 1_000, 20_000, 200_000, 4_500)  # In rows of their own, and not.
FLAGS = ("--min-free-disk", "16")


class FullDiskTest(daemon_test.DaemonTest):

    def small_disk(self, megabytes=160):
        if not full_disk.may_mount(f"{self.folder.name}/probe"):
            self.skipTest("no file system may be mounted here")
        disk = full_disk.SmallDisk(f"{self.folder.name}/disk", megabytes)
        self.addCleanup(disk.remove)
        return disk

    def start_on(self, disk):
        daemon = self.start(f"{disk.path}/data", flags=FLAGS)
        self.log = daemon.log
        return daemon

    def senders(self, body_bytes):
        senders = full_disk.Senders(self.client, "orders", body_bytes)
        self.addCleanup(senders.stop)
        return senders

    def assert_none_lost(self, senders, received):
        """Each acknowledged message came once; others only if their sender could not know."""
        self.assertEqual(len(received), len(set(received)), "received twice")
        self.assertEqual(senders.acknowledged - set(received), set(), "lost")
        self.assertLessEqual(set(received) - senders.acknowledged, senders.unknown, "never acknowledged")

    def count_logged(self, pattern):
        return sum(pattern in line for line in self.log)

    def fill_with_messages(self, body_bytes):
        """Until the broker says that its disk is full; the senders go on and are refused."""
        refusals = self.count_logged("left: sends are refused below")
        senders = self.senders(body_bytes)
        full_disk.wait_for(lambda: self.count_logged("left: sends are refused below") > refusals, "the first refusal")
        self.assertTrue(senders.is_refused.wait(full_disk.LIMIT))
        self.assertRegex(senders.refusal, r"the disk has \d+ MB left, sends are refused below \d+ MB")
        return senders

    def test_senders_cannot_fill_it_and_receivers_make_room(self):  # ERR-9, reliability 16
        disk = self.small_disk()
        daemon = self.start_on(disk)
        self.client.create("orders")
        for filling in range(ROUNDS):
            with self.subTest(filling=filling):
                senders = self.fill_with_messages(BODY_BYTES[filling % len(BODY_BYTES)])
                locked = self.client.receive_one("orders")
                self.assert_settled(self.client.abandon("orders", locked.lock_token))
                # At first what is in memory may go to tables and make room; then only receivers do.
                senders.is_taken_again.clear()
                received = full_disk.drain(self.client, "orders", until=senders.is_taken_again.is_set)
                self.assertTrue(senders.is_taken_again.wait(full_disk.LIMIT), "sends are never taken again")
                senders.stop()
                received += full_disk.drain(self.client, "orders")
                self.assert_none_lost(senders, received)
                self.assertEqual(senders.unknown, set())
                full_disk.wait_for(lambda: self.count_logged("sends are taken again") > filling, "the line of the log")
        self.assertEqual(daemon.terminate(), 0)

    def test_killed_on_a_disk_full_of_messages_it_starts_and_receives(self):  # ERR-9, reliability 16
        disk = self.small_disk()
        daemon = self.start_on(disk)
        self.client.create("orders")
        senders = self.fill_with_messages(80_000)
        senders.stop()
        daemon.kill()

        self.start_on(disk)
        self.assert_none_lost(senders, full_disk.drain(self.client, "orders"))
        full_disk.wait_for(lambda: full_disk.state_name(self.client) == "STATE_AMPLE", "the space of the messages")

    def test_purging_makes_room_on_a_full_disk(self):  # ERR-9
        disk = self.small_disk()
        self.start_on(disk)
        self.client.create("orders")
        senders = self.fill_with_messages(80_000)
        senders.stop()

        self.client.purge("orders")

        full_disk.wait_for(lambda: full_disk.state_name(self.client) == "STATE_AMPLE", "the space of the messages")
        self.client.send("orders", b"and on it goes")

    def fill_by_another_program(self, disk, daemon, filling):
        """Until the broker refuses or ends, which is to be one sentence."""
        senders = self.senders(BODY_BYTES[filling % len(BODY_BYTES)])
        enough = random.Random(filling).randrange(10, 300)
        full_disk.wait_for(lambda: len(senders.acknowledged) > enough, "the first messages")
        disk.fill()
        full_disk.wait_for(lambda: not senders.is_alive() or senders.is_refused.is_set(), "the end of space")
        if senders.is_refused.is_set():
            daemon.kill()  # It went on; then the full disk is one to start on as well.
        else:
            self.assert_sentence(daemon.wait(), [line.rstrip() for line in daemon.log], "the disk is full")
        senders.stop()
        return senders

    def receive_few(self):
        messages = self.client.receive("orders", 5, mode=wire.messaging_pb2.RECEIVE_MODE_RECEIVE_AND_DELETE)
        self.assertGreater(len(messages), 0)
        return [message.message.body[:12] for message in messages]

    def test_another_program_takes_the_last_byte(self):  # reliability 16, 17
        disk = self.small_disk()
        daemon = self.start_on(disk)
        self.client.create("orders")
        for filling in range(ROUNDS):
            with self.subTest(filling=filling):
                senders = self.fill_by_another_program(disk, daemon, filling)

                daemon = self.start_on(disk)
                received = self.receive_few()
                disk.make_room()
                received += full_disk.drain(self.client, "orders", until=self.takes_sends)
                full_disk.wait_for(self.takes_sends, "sends to be taken")
                received += full_disk.drain(self.client, "orders")
                self.assert_none_lost(senders, [name for name in received if name != b"back"])

    def takes_sends(self):
        try:
            self.client.send("orders", b"back")
            return True
        except wire.grpc.RpcError:
            return False

    def alarms(self, port):
        """Those that are raised, as the statistics, /metrics and the command line tell them: the same everywhere."""
        raised = {alarm.name: alarm.text for alarm in self.client.statistics().alarms}
        _, _, metrics = operations.get(port, "/metrics")
        counted = set(re.findall(r'^wharf_space_alarm\{name="(\w+)"\} 1$', metrics, re.M))
        shown = subprocess.run([daemon_test.WHARF, "--address", self.client.address, "disk"], check=True,
                               stdout=subprocess.PIPE, text=True).stdout
        told = {name for name in re.findall(r'^(\w+): ', shown, re.M)}
        return raised if set(raised) == counted == told else None

    def test_alarms_are_raised_and_end(self):
        disk = self.small_disk()
        daemon = self.start(f"{disk.path}/data", flags=FLAGS, listen=operations.PLACES)
        port = operations.port_of(daemon)
        self.assertEqual(self.alarms(port), {})
        mark = self.client.statistics().disk.sends_refused_below_bytes // full_disk.MIB

        disk.fill_to(mark + mark // 4)
        full_disk.wait_for(lambda: list(self.alarms(port) or ()) == ["disk_nearly_full"], "the first alarm")
        self.assertRegex(self.alarms(port)["disk_nearly_full"],
                         r"^the disk is nearly full: \d+ MB are left, and sends are refused below \d+ MB$")
        self.client.create("orders")
        self.client.send("orders", b"it is a warning")
        disk.fill_to(mark - 2)
        full_disk.wait_for(lambda: list(self.alarms(port) or ()) == ["disk_full"], "the second alarm")
        with self.assertRaises(wire.grpc.RpcError):
            self.client.send("orders", b"refused")
        disk.make_room()
        full_disk.wait_for(lambda: self.alarms(port) == {}, "the end of alarms")

        self.client.send("orders", b"and on it goes")

    def test_space_of_few_messages_comes_back_while_the_broker_is_idle(self):
        disk = self.small_disk(megabytes=400)
        self.start_on(disk)
        empty = disk.free()
        self.client.create("orders")
        for way in (lambda: full_disk.drain(self.client, "orders"), lambda: self.client.purge("orders")):
            for _ in range(130):  # Far from the mark, also while a slow machine has not emptied its log.
                self.client.send("orders", *[os.urandom(80_000)] * 12)
            self.assertLess(disk.free(), empty - 100 * full_disk.MIB)
            way()

            full_disk.wait_for(lambda: disk.free() > empty - 8 * full_disk.MIB, "the space")

    def test_an_empty_broker_takes_little(self):
        disk = self.small_disk()
        before = disk.free()
        self.start_on(disk)
        self.client.create("orders")
        self.client.send("orders", b"x")
        full_disk.wait_for(lambda: os.path.exists(f"{disk.path}/data/RESERVE"), "the reserve")

        self.assertLess(before - disk.free(), 20 * full_disk.MIB)

    def test_a_file_that_may_not_grow_ends_the_daemon_and_loses_nothing(self):  # reliability 16, 18
        files = full_disk.SmallFiles(f"{self.folder.name}/files")
        daemon = self.start(f"{files.path}/data", **files.limits)
        self.client.create("orders")
        self.client.send("orders", b"locked")
        token = self.client.receive_one("orders").lock_token
        load = daemon_test.Load(self.client, "orders", body=os.urandom(20_000))
        load.join()  # Every send under way hears of the failure, and the load ends with it.
        begin = time.monotonic()
        code = daemon.wait()

        self.assertLess(time.monotonic() - begin, END_LIMIT)
        self.assert_sentence(code, [line.rstrip() for line in daemon.log],
                             "the commit log is closed: .*File too large")
        self.assertGreater(len(load.acknowledged), 10)
        self.assertTrue(load.unknown)

        self.start(f"{files.path}/data")
        there = daemon_test.stored(self.client, "orders")
        there.pop(1)
        self.assertEqual({number: there.get(number) for number in load.acknowledged}, load.acknowledged)
        self.assertLessEqual(set(there.values()) - set(load.acknowledged.values()), load.unknown)
        self.assert_settled(self.client.complete("orders", token))
        self.assertEqual(len(self.client.send("orders", b"and on it goes")), 1)


if __name__ == "__main__":
    unittest.main()
