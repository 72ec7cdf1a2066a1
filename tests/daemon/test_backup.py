"""Backups: made while the broker serves, listed, verified, removed, and restored as another broker."""

import os
import pathlib
import shutil
import stat
import subprocess
import threading
import time

import grpc

import access_calls
import cluster_nodes
import daemon_test
import full_disk
import transaction_calls
import wire
from backup_calls import BackupCalls, restore
from wire import management_pb2, messaging_pb2, seconds

LEAP = 1 << 32  # What is given after a restore begins at a multiple of it.
ROUNDS = int(os.environ.get("WHARF_ROUNDS", "3"))  # Backups under load.
DELETE = messaging_pb2.RECEIVE_MODE_RECEIVE_AND_DELETE


class Sender:
    """Sends 0, 1, 2, ... to orders until it is told to end; `acknowledged` of them were."""

    def __init__(self, test, client):
        self._client, self.acknowledged, self._is_over = client, 0, threading.Event()
        self._thread = threading.Thread(target=self._send)
        self._thread.start()
        test.addCleanup(self.end)

    def _send(self):
        while not self._is_over.is_set():
            self._client.send("orders", *[b"%d" % (self.acknowledged + number) for number in range(20)])
            self.acknowledged += 20

    def end(self):
        self._is_over.set()
        self._thread.join()

    @property
    def begun(self):
        """What may be there, acknowledged or not."""
        return self.acknowledged + 20


def assert_moment(test, client, least, most):
    """What is in orders is what was sent up to a moment."""
    found = []
    while batch := client.receive("orders", 250, mode=DELETE):
        found += wire.bodies(batch)
    test.assertEqual(found, [b"%d" % number for number in range(len(found))])
    test.assertGreaterEqual(len(found), least)
    test.assertLessEqual(len(found), most)


class BackupTest(daemon_test.DaemonTest):
    """A test with a folder for backups."""

    def setUp(self):
        super().setUp()
        self.folder_of_backups = f"{self.folder.name}/backups"

    def start_with_backups(self, *flags, data=None):
        daemon = self.start(data=data, flags=("--backup-folder", self.folder_of_backups, *flags))
        self.backups = BackupCalls(self.client.channel)
        return daemon

    def assert_killed_restores_are_refused(self, messages, *flags):
        """Of the backup `one`: by a start and by another restore, unless it was over; then it is whole."""
        for number in range(5):
            data = f"{self.folder.name}/restored-{number}"
            with subprocess.Popen([os.environ["WHARFD"], "restore", str(self.path_of("one")), data, *flags],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
                while process.poll() is None and not os.path.exists(f"{data}/RESTORING"):
                    pass
                time.sleep(0.015 * number)  # Anywhere in it.
                process.kill()
            if os.path.exists(f"{data}/RESTORING"):
                self.assert_refuses("a restore that did not end", data=data)
                ended = restore(str(self.path_of("one")), data, *flags)
                self.assertEqual(ended.returncode, 1)
                self.assertIn("remove it, and restore the backup into a new folder", ended.stderr)
            else:
                self.start(data=data)
                self.assertEqual(self.client.runtime("orders").active_message_count, messages)
            shutil.rmtree(data, ignore_errors=True)

    def path_of(self, label, name=""):
        return pathlib.Path(self.folder_of_backups, label, name)

    def make(self, label):
        made = self.backups.create(label)
        self.assertEqual(made.trouble, "")
        return made

    def start_restored(self, label, *flags):
        """A daemon on what is restored of that backup, and `self.client` connected to it."""
        data = f"{self.folder.name}/restored-{label}"
        ended = restore(str(self.path_of(label)), data, *flags)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.restored_words = ended.stdout
        daemon = self.start(data=data)
        for queue in self.client.management.ListQueues(management_pb2.ListQueuesRequest(), timeout=wire.TIMEOUT).queues:
            found = self.client.management.CheckEntity(
                management_pb2.CheckEntityRequest(entity_path=queue.name), timeout=wire.TIMEOUT)
            self.assertEqual((list(found.differences), found.fence), ([], ""), queue.name)
        return daemon

    def assert_code(self, code, call, *arguments):
        with self.assertRaises(grpc.RpcError) as raised:
            call(*arguments)
        self.assertEqual(raised.exception.code(), code, raised.exception)
        return raised.exception.details()


class RestoreTest(BackupTest):

    def test_messages_come_back_and_later_ones_do_not(self):  # reliability 63
        self.start_with_backups()
        self.client.create("orders")
        large = os.urandom(600_000)
        self.client.send("orders", *[b"%d" % number for number in range(100)])
        self.client.send_large("orders", large)
        self.make("one")
        self.client.send("orders", b"later")

        self.start_restored("one")

        received = self.client.receive_all("orders", 101)
        self.assertEqual(wire.bodies(received)[:100], [b"%d" % number for number in range(100)])
        self.assertEqual(received[100].message.body, large)
        self.assertEqual(len(self.client.receive("orders")), 0)

    def test_numbers_that_were_given_are_not_given_again(self):  # SEQ-2
        self.start_with_backups()
        self.client.create("orders")
        self.client.create("parts", enable_partitioning=True)
        self.client.create("unused")
        self.client.topics.create("news")
        self.client.topics.subscribe("news", "me")
        self.client.send("orders", b"first")
        self.make("one")
        given = {name: {result.sequence_number for result in self.client.send(name, *[b"later"] * 40)}
                 for name in ("orders", "parts", "unused")}

        self.start_restored("one")

        self.assertEqual(self.client.send("orders", b"next")[0].sequence_number, LEAP)
        self.assertEqual(self.client.send("unused", b"next")[0].sequence_number, LEAP)
        for name, numbers in given.items():
            again = {result.sequence_number for result in self.client.send(name, *[b"again"] * 40)}
            self.assertEqual(again & numbers, set())
        for number in {result.sequence_number for result in self.client.send("parts", *[b"x"] * 40)}:
            self.assertGreaterEqual(number & ((1 << 48) - 1), LEAP)
        self.client.send("news", b"n")
        self.assertGreaterEqual(self.client.receive_one("news/Subscriptions/me").sequence_number, LEAP)
        self.assertEqual(self.client.redrive("orders/$DeadLetterQueue").id, LEAP)

    def test_locks_end_and_do_not_count(self):  # CNT-1, STA-4
        self.start_with_backups("--clock=manual")
        self.client.create("orders", max_delivery_count=2)
        self.client.send("orders", *[b"%d" % number for number in range(5)])
        locked = self.client.receive_all("orders", 3)
        self.client.defer("orders", locked[2].lock_token)
        self.make("one")

        self.start_restored("one")

        self.assertRegex(self.restored_words, "2 locks and 0 sessions ended")
        self.assert_code(grpc.StatusCode.ABORTED, self.client.complete, "orders", locked[0].lock_token)
        received = self.client.receive_all("orders", 4)
        self.assertEqual(wire.bodies(received), [b"0", b"1", b"3", b"4"])
        self.assertEqual([message.delivery_count for message in received], [0] * 4)
        (deferred,) = self.client.receive_deferred("orders", locked[2].sequence_number)
        self.assertEqual(deferred.message.body, b"2")

    def test_locks_end_in_every_kind_of_lane(self):  # CNT-12, PAR-1, PRI-1
        self.start_with_backups()
        self.client.create("parts", enable_partitioning=True)
        self.client.create("levels", enable_priority=True)
        self.client.create("dead")
        for name in ("parts", "levels", "dead"):
            self.client.send(name, *[b"%d" % number for number in range(10)])
            self.client.receive_all(name, 4)
        self.client.dead_letter("dead", *[message.lock_token for message in self.client.receive_all("dead", 6)])
        self.client.receive_all("dead/$DeadLetterQueue", 3)
        self.make("one")

        self.start_restored("one")

        self.assertRegex(self.restored_words, "15 locks and 0 sessions ended")
        for name, count in (("parts", 10), ("levels", 10), ("dead", 4), ("dead/$DeadLetterQueue", 6)):
            received = self.client.receive_all(name, count)
            self.assertEqual(len(set(wire.bodies(received))), count)
            self.assertEqual({message.delivery_count for message in received}, {0})

    def test_a_deferred_message_that_was_locked_is_deferred_again(self):  # STA-4
        self.start_with_backups()
        self.client.create("orders")
        self.client.send("orders", b"x")
        message = self.client.receive_one("orders")
        self.client.defer("orders", message.lock_token)
        self.client.receive_deferred("orders", message.sequence_number)
        self.make("one")

        self.start_restored("one")

        self.assertEqual(len(self.client.receive("orders")), 0)
        (deferred,) = self.client.receive_deferred("orders", message.sequence_number)
        self.assertEqual(deferred.message.body, b"x")

    def test_sessions_are_free_and_keep_their_order_and_state(self):  # SES-12, SST-2
        self.start_with_backups()
        self.client.create("letters", requires_session=True)
        for session in ("red", "blue"):
            self.client.send("letters", *[wire.message_in(session, b"%d" % number) for number in range(4)])
        held = self.client.sessions.accept("letters", "red")
        self.client.sessions.set_state("letters", held.session_lock_token, b"half way")
        self.client.receive("letters", 2, session=held.session_lock_token)
        empty = self.client.sessions.accept("letters", "empty")
        self.make("one")

        self.start_restored("one")

        self.assertRegex(self.restored_words, "2 locks and 2 sessions ended")
        accepted = {}
        for _ in range(2):
            session = self.client.sessions.accept("letters")
            accepted[session.session_id] = session
        self.assertEqual(set(accepted), {"red", "blue"})
        token = accepted["red"].session_lock_token
        self.assertEqual(self.client.sessions.state("letters", token), b"half way")
        received = self.client.receive("letters", 4, wait=5, session=token)
        self.assertEqual(wire.bodies(received), [b"0", b"1", b"2", b"3"])
        self.assertEqual([message.delivery_count for message in received], [0] * 4)
        self.assertNotEqual(self.client.sessions.accept("letters", "empty").session_lock_token,
                            empty.session_lock_token)

    def test_schedules_dead_letters_delays_and_known_ids_stay(self):  # DUP-5, SCH-1, DLQ-9
        self.start_with_backups()
        self.client.create("orders", requires_duplicate_detection=True)
        later = wire.Message(body=b"later")
        later.scheduled_enqueue_time.seconds = int(time.time()) + 3600
        self.client.send("orders", wire.Message(body=b"x", message_id="id-1"), later)
        dead, = self.client.receive("orders")
        self.client.dead_letter("orders", dead.lock_token, reason="bad")
        self.make("one")

        self.start_restored("one")

        self.assertEqual(self.client.receive_one("orders/$DeadLetterQueue").sequence_number, dead.sequence_number)
        self.assertEqual(len(self.client.list_scheduled("orders").messages), 1)
        self.client.send("orders", wire.Message(body=b"x", message_id="id-1"))
        self.assertEqual(len(self.client.receive("orders")), 0)

    def test_transactions_are_rolled_back_and_forgotten(self):  # TXX-1
        self.start_with_backups()
        self.client.create("orders")
        is_open, ended = self.client.transactions.begin(), self.client.transactions.begin()
        self.client.transactions.commit(ended)
        self.client.transactions.add(is_open, transaction_calls.send("orders", wire.Message(body=b"never")))
        self.make("one")

        self.start_restored("one")

        self.assertRegex(self.restored_words, "1 transactions rolled back")
        for transaction in (is_open, ended):
            said = self.assert_code(grpc.StatusCode.FAILED_PRECONDITION, self.client.transactions.get, transaction)
            self.assertIn("there is no open transaction", said)
        self.assertEqual(len(self.client.peek("orders").messages), 0)

    def test_what_is_past_due_happens_at_the_next_start(self):  # TTL-10, SCH-5
        self.start_with_backups("--clock=manual")
        self.client.create("orders")
        now = self.client.clock_now().seconds
        soon = wire.Message(body=b"soon")
        soon.scheduled_enqueue_time.seconds = now + 10
        self.client.send("orders", wire.Message(body=b"short", time_to_live=seconds(5)), soon)
        held = self.client.receive_one("orders")
        self.assertEqual(held.message.body, b"short")
        self.make("one")
        data = f"{self.folder.name}/restored"
        self.assertEqual(restore(str(self.path_of("one")), data).returncode, 0)

        # The clock of this one goes on where that one stood.
        self.start(data=data, flags=("--clock=manual",))
        self.client.advance(seconds(20))

        self.assertEqual(wire.bodies(self.client.receive_all("orders", 1)), [b"soon"])
        self.assertEqual(len(self.client.receive("orders")), 0)

    def test_keys_stay_or_are_new_by_wish(self):  # SEC-2
        flags = ("--access=on", "--backup-folder", self.folder_of_backups)
        daemon = wire.Daemon(self.data, flags=flags)
        self.addCleanup(daemon.kill)
        old = access_calls.connection_of(pathlib.Path(self.data, "root-connection-string").read_text("ascii"))

        def client_of(address, key):
            client = access_calls.AccessClient(
                address, access_calls.make_token("sb://h/", "RootManageSharedAccessKey", key))
            self.addCleanup(client.close)
            return client
        root = client_of(daemon.address, old["SharedAccessKey"])
        root.create("orders")
        sender = root.make_rule("orders", "sender", "Send")
        root.rotate("orders", "sender")
        made = BackupCalls(grpc.intercept_channel(root.channel, access_calls._Metadata(  # pylint: disable=W0212
            lambda: access_calls.make_token("sb://h/", "RootManageSharedAccessKey", old["SharedAccessKey"]))))
        self.assertEqual(made.create("one").trouble, "")

        same, fresh = f"{self.folder.name}/same", f"{self.folder.name}/fresh"
        self.assertEqual(restore(str(self.path_of("one")), same).returncode, 0)
        printed = restore(str(self.path_of("one")), fresh, "--new-keys").stdout
        daemon_of = {}
        for data in (same, fresh):
            daemon_of[data] = wire.Daemon(data, flags=("--access=on",))
            self.addCleanup(daemon_of[data].kill)

        client_of(daemon_of[same].address, old["SharedAccessKey"]).get("orders")
        self.assert_code(grpc.StatusCode.UNAUTHENTICATED,
                         client_of(daemon_of[fresh].address, old["SharedAccessKey"]).get, "orders")
        self.assertNotIn(old["SharedAccessKey"], printed)
        self.assertIn("new keys of sender of orders", printed)
        text = pathlib.Path(fresh, "root-connection-string").read_text("ascii")
        new = access_calls.connection_of(text)["SharedAccessKey"]
        self.assertIn(new, printed)
        client_of(daemon_of[fresh].address, new).get("orders")
        # What was replaced stays so, also by the restore itself.
        for data, key, taken in ((same, old["SharedAccessKey"], sender.primary_key),
                                 (fresh, new, sender.primary_key), (fresh, new, sender.secondary_key)):
            with self.assertRaisesRegex(grpc.RpcError, "was replaced, and is not taken back"):
                client_of(daemon_of[data].address, key).rotate("orders", "sender", key=taken)

    def test_nobody_else_may_read_it(self):
        self.start_with_backups()
        self.client.create("orders")
        self.make("one")
        data = f"{self.folder.name}/restored"
        self.assertEqual(restore(str(self.path_of("one")), data).returncode, 0)

        for top in (self.folder_of_backups, data):
            for folder, _, files in os.walk(top):
                self.assertEqual(stat.S_IMODE(os.stat(folder).st_mode), 0o700, folder)
                for name in files:
                    self.assertEqual(stat.S_IMODE(os.stat(f"{folder}/{name}").st_mode) & 0o077, 0, name)


class UnderLoadTest(BackupTest):

    def test_each_is_a_moment_of_what_was_sent(self):  # reliability 63
        self.start_with_backups()
        self.client.create("orders")
        sender = Sender(self, self.connect_again())
        expected = {}
        for number in range(ROUNDS):
            least = sender.acknowledged
            self.make(f"b{number}")
            expected[f"b{number}"] = (least, sender.begun)
            self.assertEqual(self.backups.verify(f"b{number}").trouble, "")
        sender.end()

        for label, (least, most) in expected.items():
            daemon = self.start_restored(label)
            assert_moment(self, self.client, least, most)
            daemon.kill()

    def connect_again(self):
        client = wire.Client(self.client.address)
        self.addCleanup(client.close)
        return client

    def test_only_what_is_new_is_copied(self):
        daemon = self.start_with_backups()
        self.client.create("orders")
        for _ in range(30):
            self.client.send("orders", *[os.urandom(100_000) for _ in range(10)])
        self.make("one")
        self.client.send("orders", b"one more")

        made = self.make("two")

        self.assertGreater(made.shared_byte_count, 20_000_000)
        self.assertLess(made.byte_count - made.shared_byte_count, 10_000_000)
        self.assertEqual(self.backups.verify("two").trouble, "")
        self.assertEqual(list(self.backups.prune(1).removed), ["one"])
        self.assertEqual(self.backups.verify("two").trouble, "")
        self.assertEqual(daemon.terminate(), 0)
        self.start_restored("two")
        self.assertEqual(self.client.runtime("orders").active_message_count, 301)

    def test_a_full_disk_of_the_data_breaks_it_off(self):
        if not full_disk.may_mount(f"{self.folder.name}/probe"):
            self.skipTest("may not mount")
        disk = full_disk.SmallDisk(f"{self.folder.name}/small", 400)
        self.addCleanup(lambda: subprocess.run(["umount", "--lazy", disk.path], check=False))
        self.start_slow(data=f"{disk.path}/data")
        begun = self.backups.begin("one")
        self.assert_copying()

        disk.fill_to(60)

        self.assertIn("the disk of the data is full, and the backup held space of it",
                      self.backups.end_of(begun).trouble)
        self.assertFalse(os.path.exists(f"{disk.path}/data/backing-up"))
        self.assertEqual(self.backups.list(), [])
        self.assertIn("the disk of the data is full",
                      self.assert_code(grpc.StatusCode.RESOURCE_EXHAUSTED, self.backups.begin, "two"))

    def start_slow(self, data=None):
        """What is copied takes seconds."""
        daemon = self.start_with_backups("--backup-rate", "1MiB", data=data)
        self.client.create("orders")
        for _ in range(10):
            self.client.send("orders", *[os.urandom(100_000) for _ in range(10)])
        return daemon

    def test_one_at_a_time(self):
        self.start_slow()
        begun = self.backups.begin("one")
        self.assertTrue(begun.under_way)

        said = self.assert_code(grpc.StatusCode.UNAVAILABLE, self.backups.begin, "two")

        self.assertIn("one at a time: backup create one is under way", said)
        self.assertEqual(self.backups.list(), [])
        self.client.send("orders", b"meanwhile")

    def test_a_kill_leaves_none_and_the_next_one_cleans_up(self):  # reliability 12
        daemon = self.start_slow()
        self.backups.begin("one")
        self.assert_copying()
        daemon.kill()
        self.assertTrue(self.path_of(".unfinished").exists())

        daemon.start()
        self.backups = BackupCalls(self.connect(daemon).channel)

        self.assertFalse(pathlib.Path(self.data, "backing-up").exists())
        self.assertEqual(self.backups.list(), [])
        self.assertEqual(self.backups.prune(1).trouble, "")
        self.assertFalse(self.path_of(".unfinished").exists())

    def test_a_stop_breaks_it_off(self):  # reliability 4
        daemon = self.start_slow()
        self.backups.begin("one")
        self.assert_copying()
        begun = time.monotonic()

        self.assertEqual(daemon.terminate(), 0)

        self.assertLess(time.monotonic() - begun, 5)
        self.assertFalse(pathlib.Path(self.data, "backing-up").exists())
        self.assertFalse(self.path_of("one").exists())

    def assert_copying(self):
        deadline = time.monotonic() + wire.TIMEOUT
        while self.backups.look().byte_count == 0:
            self.assertLess(time.monotonic(), deadline)


class BadBackupTest(BackupTest):
    """What is wrong is one sentence, and changes nothing."""

    def test_without_a_folder_there_are_none(self):
        self.start()
        backups = BackupCalls(self.client.channel)
        for ask in (backups.list, backups.create, backups.look):
            self.assertIn("backup-folder must name a folder",
                          self.assert_code(grpc.StatusCode.FAILED_PRECONDITION, ask))

    def test_a_label_is_no_path(self):
        self.start_with_backups()
        for label in ("..", "../x", "a/b", "/tmp/x", ".hidden", "x" * 65):
            with self.subTest(label=label):
                self.assertIn("is no label of a backup",
                              self.assert_code(grpc.StatusCode.INVALID_ARGUMENT, self.backups.begin, label))
                self.assert_code(grpc.StatusCode.INVALID_ARGUMENT, self.backups.verify, label)
        self.assertFalse(os.path.exists(self.folder_of_backups))

    def test_a_label_is_taken_once_and_an_unknown_one_is_said(self):
        self.start_with_backups()
        self.make("one")
        self.assert_code(grpc.StatusCode.ALREADY_EXISTS, self.backups.begin, "one")
        self.assert_code(grpc.StatusCode.NOT_FOUND, self.backups.verify, "two")
        self.assert_code(grpc.StatusCode.INVALID_ARGUMENT, self.backups.prune, 0)
        self.assertRegex(self.backups.create().label, r"^\d{8}-\d{6}$")

    def test_a_damaged_manifest_is_shown_and_of_no_use(self):
        self.start_with_backups()
        self.make("one")
        with open(self.path_of("one", "MANIFEST"), "r+b") as manifest:
            manifest.seek(40)
            manifest.write(b"#")

        (found,) = self.backups.list()
        self.assertIn("MANIFEST is damaged", found.trouble)
        self.assertEqual(self.make("two").trouble, "")
        self.assertEqual(list(self.backups.prune(1).removed), [])
        ended = restore(str(self.path_of("one")), f"{self.folder.name}/restored")
        self.assertEqual(ended.returncode, 1)
        self.assertRegex(ended.stderr, r"^wharfd restore: .*MANIFEST is damaged.*\n$")
        self.assertFalse(os.path.exists(f"{self.folder.name}/restored"))

    def test_a_flipped_byte_is_found_and_never_started_with(self):
        self.start_with_backups()
        self.client.create("orders")
        self.client.send("orders", b"x")
        self.make("one")
        (table, *_) = sorted(self.path_of("one").glob("*.sst"))
        with open(table, "r+b") as file:
            file.seek(10)
            byte = file.read(1)
            file.seek(10)
            file.write(bytes([byte[0] ^ 1]))

        self.assertIn(f"{table.name} is damaged", self.backups.verify("one").trouble)
        data = f"{self.folder.name}/restored"
        self.assertRegex(restore(str(self.path_of("one")), data).stderr, f"{table.name} is damaged")
        self.assertFalse(os.path.exists(data))
        self.client.send("orders", b"the broker goes on")

    def test_a_folder_with_something_in_it_is_not_restored_to(self):
        daemon = self.start_with_backups()
        self.client.create("orders")
        self.make("one")
        self.assertEqual(daemon.terminate(), 0)

        ended = restore(str(self.path_of("one")), self.data)

        self.assertEqual(ended.returncode, 1)
        self.assertIn("is not empty", ended.stderr)
        self.start_with_backups()
        self.client.get("orders")

    def test_a_kill_of_a_restore_leaves_what_is_refused(self):
        self.start_with_backups()
        self.client.create("orders")
        for _ in range(10):
            self.client.send("orders", *[os.urandom(100_000) for _ in range(10)])
        self.make("one")
        self.assert_killed_restores_are_refused(100)

    def test_a_restore_says_what_it_lacks(self):
        self.start_with_backups()
        self.make("one")
        data = f"{self.folder.name}/restored"
        self.assertEqual(restore(str(self.path_of("one")), data, "--new-key").returncode, 2)
        for backup, sentence in ((self.path_of("two"), "there is no backup 'two' in "),
                                 (self.folder.name, "is no label of a backup|there is no backup")):
            with self.subTest(backup=backup):
                ended = restore(str(backup), data)
                self.assertEqual(ended.returncode, 1)
                self.assertRegex(ended.stderr, f"^wharfd restore: .*({sentence}).*\n$")
        self.assertRegex(restore(str(self.path_of("one")), f"{self.folder.name}/no/where").stderr, "there is no folder")
        self.assertFalse(os.path.exists(data))

    def test_prune_leaves_those_of_another_broker(self):
        self.start_with_backups()
        self.make("theirs")
        self.start_with_backups(data=f"{self.folder.name}/another")
        self.make("one")
        os.symlink(self.path_of("one"), self.path_of("link"))
        self.make("two")

        self.assertEqual(list(self.backups.prune(1).removed), ["one"])

        self.assertEqual(self.backups.labels(), ["theirs", "two"])
        self.assertEqual(self.backups.verify("theirs").trouble, "")

    def test_works_are_remembered_and_not_for_ever(self):
        self.start_with_backups()
        first = self.backups.prune(1)
        self.assertEqual(self.backups.look(first.id), first)
        for _ in range(8):
            last = self.backups.prune(1)
        self.assertEqual(self.backups.look(), last)
        self.assert_code(grpc.StatusCode.NOT_FOUND, self.backups.look, first.id)

    def test_a_full_disk_of_backups_is_said_and_the_broker_goes_on(self):
        if not full_disk.may_mount(f"{self.folder.name}/probe"):
            self.skipTest("may not mount")
        disk = full_disk.SmallDisk(f"{self.folder.name}/small", 20)
        self.addCleanup(lambda: subprocess.run(["umount", "--lazy", disk.path], check=False))
        self.folder_of_backups = f"{disk.path}/backups"
        self.start_with_backups()
        self.client.create("orders")
        for _ in range(3):
            self.client.send("orders", *[os.urandom(100_000) for _ in range(40)])

        said = self.backups.create("one").trouble

        self.assertRegex(said, "the disk of the backups is full: this one takes .* MB, and .* MB are free")
        self.assertEqual(self.backups.list(), [])
        self.client.send("orders", b"the broker goes on")

    def test_they_may_lie_with_the_data(self):
        self.folder_of_backups = self.data
        self.start_with_backups()
        self.client.create("orders")
        self.client.send("orders", b"x")
        self.make("one")

        self.start_restored("one")

        self.assertEqual(self.client.receive_one("orders").message.body, b"x")

    def test_a_broker_that_may_not_write_there_says_so(self):
        self.folder_of_backups = f"{self.folder.name}/no/such/folder"
        self.start_with_backups()
        self.assertIn("cannot use the folder for backups",
                      self.assert_code(grpc.StatusCode.INTERNAL, self.backups.begin, "one"))


class CommandTest(BackupTest):

    def wharf(self, daemon, *arguments):
        return subprocess.run([daemon_test.WHARF, "--address", daemon.address, *arguments], capture_output=True,
                              text=True, timeout=wire.TIMEOUT, check=False)

    def test_the_command_line_makes_lists_verifies_and_removes(self):
        daemon = self.start_with_backups()
        self.client.create("orders")

        made = self.wharf(daemon, "backup", "create", "one")
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertRegex(made.stdout, "^made one: ")
        self.assertIn("all keys of access, in the clear", made.stdout)
        self.assertEqual(self.wharf(daemon, "backup", "create", "two").returncode, 0)
        listed = self.wharf(daemon, "backup", "list")
        self.assertRegex(listed.stdout, r"(?s)^BACKUP .*\none .*\ntwo ")
        self.assertRegex(self.wharf(daemon, "backup", "verify", "one").stdout, "^one is whole: ")
        self.assertEqual(self.wharf(daemon, "backup", "prune", "--keep", "1").stdout, "removed one\n")
        refused = self.wharf(daemon, "backup", "create", "../x")
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn("is no label of a backup", refused.stderr)
        self.assertNotEqual(self.wharf(daemon, "backup", "verify", "one").returncode, 0)


class ClusterBackupTest(cluster_nodes.ClusterTest):

    def test_a_followers_backup_becomes_a_broker_and_another_cluster(self):  # reliability 63
        folder = f"{self.folder.name}/backups"
        first = self.start_cluster(flags=("--backup-folder", folder))
        leader = self.leader_of(self.nodes)
        leader.client.create("orders")
        leader.client.send("orders", *[b"%d" % number for number in range(50)])
        locked = leader.client.receive_all("orders", 2)
        follower = next(node for node in self.nodes if not node.leads())
        cluster = first.status().cluster_id
        backups = BackupCalls(follower.client.channel)

        def has_all():
            status = follower.status()
            return status.applied_index >= leader.status().committed_index
        self.eventually(has_all)
        self.assertEqual(backups.create("one").trouble, "")
        leader.client.send("orders", b"later")

        (made,) = backups.list()
        self.assertEqual((made.cluster_id, made.node_name), (cluster, follower.name))
        data = f"{self.folder.name}/restored"
        ended = restore(f"{folder}/one", data)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertIn(f"it was of {follower.name} in cluster {cluster}", ended.stdout)
        alone = self.start(data=data)
        self.assertEqual(wire.bodies(self.client.receive_all("orders", 50)), [b"%d" % n for n in range(50)])
        with self.assertRaisesRegex(grpc.RpcError, "the lock has expired"):
            self.client.complete("orders", locked[0].lock_token)
        self.assertEqual(alone.terminate(), 0)

        self.found_anew(data, cluster)

    def test_each_of_a_follower_is_a_moment_of_what_was_sent(self):  # reliability 63
        folder = f"{self.folder.name}/backups"
        self.start_cluster(flags=("--backup-folder", folder))
        leader = self.leader_of(self.nodes)
        leader.client.create("orders")
        follower = next(node for node in self.nodes if not node.leads())
        backups = BackupCalls(follower.client.channel)
        sender = Sender(self, leader.client)
        # A follower may know of less than was acknowledged, and never of a part.
        most = {}
        for number in range(ROUNDS):
            self.assertEqual(backups.create(f"b{number}").trouble, "")
            most[f"b{number}"] = sender.begun
            self.assertEqual(backups.verify(f"b{number}").trouble, "")
        sender.end()

        for label, bound in most.items():
            data = f"{self.folder.name}/restored-{label}"
            self.assertEqual(restore(f"{folder}/{label}", data).returncode, 0)
            daemon = self.start(data=data)
            assert_moment(self, self.client, 0, bound)
            daemon.kill()

    def found_anew(self, data, cluster):
        """Another cluster, which is not that of before: its members are refused."""
        os.rename(data, f"{self.folder.name}/n9")
        listen = f"127.0.0.1:{cluster_nodes.free_port()}"
        node = cluster_nodes.LoneNode(self, "n9", listen=listen)
        node.found()
        self.eventually(node.leads)
        self.assertNotEqual(node.status().cluster_id, cluster)
        # A leader that has just won, and has lost it again on a busy machine, comes back.
        found = daemon_test.wait_for(lambda: node.client.runtime("orders"), grpc.RpcError)
        self.assertEqual(found.active_message_count, 50)
        with self.assertRaises(grpc.RpcError):
            node.add(self.nodes[0])
