"""The archive: what is committed is kept beside the log, and a backup is restored to any moment behind it."""

import datetime
import os
import pathlib
import random
import re
import shutil
import subprocess
import threading
import time
import urllib.request

import wire
from backup_calls import BackupCalls, restore
import cluster_nodes
import daemon_test
import full_disk
from test_backup import BackupTest
from wharf.v1 import backups_pb2
from wire import management_pb2, messaging_pb2

POINTS = int(os.environ.get("WHARF_POINTS", "20"))  # Moments that are drawn at random.
SEED = int(os.environ.get("WHARF_SEED", str(random.randrange(1 << 32))))
DELETE = messaging_pb2.RECEIVE_MODE_RECEIVE_AND_DELETE
ARCHIVE = ("--archive-bytes", "256MiB")


def micros(time):
    return time.seconds * 1_000_000 + time.nanos // 1000


def as_text(moment):
    """A time in microseconds, as --until takes it."""
    begin = datetime.datetime.fromtimestamp(0, datetime.timezone.utc)
    return (begin + datetime.timedelta(microseconds=moment)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def as_micros(text):
    """A time as wharfd prints it."""
    found = datetime.datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=datetime.timezone.utc)
    return (found - datetime.datetime.fromtimestamp(0, datetime.timezone.utc)) // datetime.timedelta(microseconds=1)


class Load:
    """Sends to orders and to parts, and takes the oldest of passing, until it is ended or the broker is gone."""

    def __init__(self, test, client):
        self._client, self._is_over = client, threading.Event()
        self.sent = {"orders": 0, "parts": 0, "passing": 0}
        self._threads = [threading.Thread(target=self._send, args=(path,)) for path in self.sent]
        self._threads.append(threading.Thread(target=self._take))
        for thread in self._threads:
            thread.start()
        test.addCleanup(self.end)

    def _send(self, path):
        number = 0
        while not self._is_over.is_set():
            try:
                self._client.send(path, *[b"%d" % (number + each) for each in range(5)])
            except Exception:  # pylint: disable=broad-except
                return  # It was killed.
            number += 5
            self.sent[path] = number

    def _take(self):
        while not self._is_over.is_set():
            try:
                self._client.receive("passing", 3, mode=DELETE)
            except Exception:  # pylint: disable=broad-except
                return

    def wait_for(self, test, count):
        before = dict(self.sent)
        test.wait_until(lambda: all(self.sent[path] - before[path] >= count for path in self.sent))

    def end(self):
        self._is_over.set()
        for thread in self._threads:
            thread.join()


def all_of(client, path):
    """Every message of an entity, with the broker time at which it came."""
    found, start = [], 0
    while batch := client.peek(path, start, 250).messages:
        found += [(micros(each.enqueued_time), each.message.body) for each in batch]
        start = batch[-1].sequence_number + 1
    return found


class ArchiveTest(BackupTest):

    def setUp(self):
        super().setUp()
        print(f"WHARF_SEED={SEED}")
        self.random = random.Random(SEED)

    def start_archiving(self, *flags, data=None):
        return self.start_with_backups(*ARCHIVE, *flags, data=data)

    def archive_files(self):
        return sorted(pathlib.Path(self.folder_of_backups, ".archive").glob("*/*.batches"))

    def listed(self):
        return self.backups.stub.List(backups_pb2.ListBackupsRequest(), timeout=wire.TIMEOUT)

    def make_entities(self):
        for name in ("orders", "parts", "passing"):
            self.client.create(name)

    def everything(self):
        return {path: all_of(self.client, path) for path in ("orders", "parts")}

    def draw_moments(self, everything, after, count):
        """Times between a number of orders and the last one; now and then just that of a message."""
        times = [time for time, _ in everything["orders"][after:]]
        drawn = [self.random.randint(times[0], times[-1]) for _ in range(count - count // 4)]
        return drawn + self.random.sample(times, count // 4)

    def restore_to(self, label, *until):
        """How far it says it is, and what is in it: each message of each entity with its time."""
        data = f"{self.folder.name}/restored"
        shutil.rmtree(data, ignore_errors=True)
        ended = restore(str(self.path_of(label)), data, *until)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        commit, at = re.search(r"as of commit (\d+), at (\S+)", ended.stdout).groups()
        daemon = wire.Daemon(data)
        try:
            client = self.connect(daemon)
            found = {}
            for queue in client.management.ListQueues(management_pb2.ListQueuesRequest(), timeout=wire.TIMEOUT).queues:
                found[queue.name] = all_of(client, queue.name)
                check = client.management.CheckEntity(management_pb2.CheckEntityRequest(entity_path=queue.name),
                                                      timeout=wire.TIMEOUT)
                self.assertEqual((list(check.differences), check.fence), ([], ""), queue.name)
        finally:
            daemon.kill()
        return int(commit), at, found

    def assert_refused(self, pattern, label, *until):
        data = f"{self.folder.name}/refused"
        ended = restore(str(self.path_of(label)), data, *until)
        self.assertEqual(ended.returncode, 1, ended.stdout)
        self.assertRegex(ended.stderr, pattern)
        self.assertEqual(len(ended.stderr.splitlines()), 1, ended.stderr)
        self.assertFalse(os.path.exists(data))

    def assert_is_moment(self, found, everything, moment):
        """Exactly what came up to then is there; of what passes, nothing later, and no gap."""
        for path in ("orders", "parts"):
            self.assertEqual(found[path], [each for each in everything[path] if each[0] <= moment], path)
        passing = [int(body) for _, body in found["passing"]]
        self.assertEqual(passing, list(range(passing[0], passing[0] + len(passing))) if passing else [])
        self.assertTrue(all(time <= moment for time, _ in found["passing"]))


class MomentTest(ArchiveTest):

    def test_moments_under_load_are_exactly_what_was_committed_then(self):
        daemon = self.start_archiving()
        self.make_entities()
        load = Load(self, self.client)
        load.wait_for(self, 100)
        self.make("one")
        begin = load.sent["orders"]
        load.wait_for(self, 1000)
        self.make("two")
        load.wait_for(self, 300)
        load.end()
        everything = self.everything()
        listed = self.listed()
        self.assertEqual(daemon.terminate(), 0)

        for moment in self.draw_moments(everything, begin + 5, POINTS):
            commit, _, found = self.restore_to("one", "--until", as_text(moment))
            self.assertGreaterEqual(commit, listed.backups[0].commit_count)
            self.assert_is_moment(found, everything, moment)
        for _ in range(POINTS // 4):
            self.assert_index(everything, "one", listed.backups[0].commit_count, listed.archived[0].last_commit)
        _, _, found = self.restore_to("two", "--until", "latest")
        self.assertEqual({path: found[path] for path in everything}, everything)

    def assert_index(self, everything, label, first, last):
        """Of a commit that is drawn; those that the backup has already are refused, and others are drawn then."""
        wanted = self.random.randint(first + (last - first) // 4, last)
        commit, at, found = self.restore_to(label, "--until-index", str(wanted))
        self.assertEqual(commit, wanted)
        self.assert_is_moment(found, everything, as_micros(at))

    def test_a_kill_under_load_leaves_no_hole(self):  # reliability 12
        daemon = self.start_archiving()
        self.make_entities()
        self.client.send("orders", b"0")
        self.make("one")
        begin, before = 1, {}
        for _ in range(3):
            load = Load(self, self.client)
            load.wait_for(self, 300)
            daemon.kill()
            load.end()
            daemon.start()
            self.client = self.connect(daemon)
            self.backups = BackupCalls(self.client.channel)
            before = self.everything()
        self.client.send("orders", b"last")
        before = self.everything()
        listed = self.listed()
        self.assertEqual(len(listed.archived), 1, listed)
        self.assertEqual(listed.archive_trouble, "")
        self.assertEqual(daemon.terminate(), 0)

        for moment in self.draw_moments(before, begin, max(POINTS // 2, 4)):
            _, _, found = self.restore_to("one", "--until", as_text(moment))
            for path in before:
                self.assertEqual(found[path], [each for each in before[path] if each[0] <= moment], path)
        _, _, found = self.restore_to("one", "--until", "latest")
        self.assertEqual({path: found[path] for path in before}, before)

    def test_large_bodies_topics_and_transactions_come_along(self):
        daemon = self.start_archiving()
        self.make("one")
        self.client.create("orders")
        self.client.topics.create("news")
        self.client.topics.subscribe("news", "me")
        large = os.urandom(600_000)
        self.client.send_large("orders", large)
        self.client.send("news", b"to me")
        self.assertEqual(daemon.terminate(), 0)

        data = f"{self.folder.name}/restored"
        ended = restore(str(self.path_of("one")), data, "--until", "latest")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.start(data=data)

        self.assertEqual(self.client.receive_one("orders").message.body, large)
        self.assertEqual(self.client.receive_one("news/subscriptions/me").message.body, b"to me")

    def test_an_idle_broker_can_be_restored_to_its_backup(self):
        daemon = self.start_archiving()
        self.client.create("orders")
        self.client.send("orders", b"x")
        self.make("one")
        for path in pathlib.Path(self.folder_of_backups).rglob("*"):
            self.assertEqual(path.stat().st_mode & 0o077, 0, path)
        daemon.kill()
        daemon.start()
        daemon.kill()

        _, _, found = self.restore_to("one", "--until", "latest")

        self.assertEqual([body for _, body in found["orders"]], [b"x"])


class HoleTest(ArchiveTest):
    """What is not there is said, in one sentence, and nothing is half done."""

    def fill(self, megabytes):
        for _ in range(megabytes):
            self.client.send("orders", *[os.urandom(100_000) for _ in range(10)])

    def start_with_files(self):
        """An archive of several files, behind a backup."""
        daemon = self.start_with_backups("--archive-bytes", "32MiB")
        self.client.create("orders")
        self.make("one")
        self.fill(20)
        self.assertEqual(daemon.terminate(), 0)
        files = self.archive_files()
        self.assertGreater(len(files), 2)
        return files

    def test_a_file_that_is_missing_is_a_hole(self):
        files = self.start_with_files()
        first = int(files[1].name.split("-")[1].split(".")[0])
        files[1].unlink()

        self.assert_refused(f"has a hole: commit {first} is missing or damaged; up to there it can be restored with "
                            f"--until-index {first - 1}", "one", "--until", "latest")

        commit, _, found = self.restore_to("one", "--until-index", str(first - 1))
        self.assertEqual(commit, first - 1)
        self.assertGreater(len(found["orders"]), 0)

    def test_a_flipped_byte_is_never_applied(self):
        files = self.start_with_files()
        with open(files[1], "r+b") as file:
            file.seek(os.path.getsize(files[1]) // 2)
            byte = file.read(1)
            file.seek(-1, os.SEEK_CUR)
            file.write(bytes([byte[0] ^ 1]))

        self.assert_refused("has a hole: commit .* is missing or damaged", "one", "--until", "latest")

        self.start_with_backups("--archive-bytes", "32MiB")
        self.assertRegex(self.backups.verify("one").trouble, "has a hole: commit")

    def test_that_of_another_store_is_not_taken(self):
        self.start_with_files()
        (mine,) = pathlib.Path(self.folder_of_backups, ".archive").iterdir()
        shutil.copytree(mine, f"{self.folder.name}/copy")
        theirs = f"{self.folder.name}/theirs"
        daemon = self.start_with_backups("--archive-bytes", "32MiB", data=theirs)
        self.client.create("orders")
        self.make("two")
        self.client.send("orders", b"x")
        self.assertEqual(daemon.terminate(), 0)
        other = next(each for each in pathlib.Path(self.folder_of_backups, ".archive").iterdir() if each != mine)
        shutil.rmtree(other)
        shutil.copytree(f"{self.folder.name}/copy", other)

        self.assert_refused("has a hole", "two", "--until", "latest")

    def test_moments_that_it_does_not_have_are_said(self):
        daemon = self.start_archiving()
        self.client.create("orders")
        self.client.send("orders", b"x")
        self.make("one")
        self.client.send("orders", b"y")
        self.assertEqual(daemon.terminate(), 0)

        self.assert_refused("has commit .* already, which is later than 2001-", "one", "--until",
                            "2001-01-01T00:00:00Z")
        self.assert_refused("ends with commit .* before 2101-.* restore that with --until latest", "one", "--until",
                            "2101-01-01T00:00:00Z")
        self.assert_refused("has commit .* already, which is behind commit 1: take an earlier backup", "one",
                            "--until-index", "1")
        self.assert_refused("ends with commit .* before commit 1000000", "one", "--until-index", "1000000")
        ended = restore(str(self.path_of("one")), f"{self.folder.name}/refused", "--until", "yesterday")
        self.assertEqual(ended.returncode, 2)
        self.assertIn("a time as 2026-11-26T15:45:12Z, or latest", ended.stderr)

    def test_a_backup_without_an_archive_is_restored_as_it_is(self):
        daemon = self.start_with_backups()
        self.client.create("orders")
        self.make("one")
        self.assertEqual(daemon.terminate(), 0)
        self.assert_refused("nothing was archived when this backup was made", "one", "--until", "latest")
        # What was committed meanwhile is in no archive: another run begins.
        self.start_archiving()
        self.client.send("orders", b"x")
        self.assertEqual(self.listed().backups[0].archived_commit_count, 0)

    def test_what_was_committed_without_it_is_a_hole(self):
        daemon = self.start_archiving()
        self.client.create("orders")
        self.make("one")
        self.client.send("orders", b"a")
        self.assertEqual(daemon.terminate(), 0)
        daemon = self.start_with_backups()
        self.client.send("orders", b"b")
        self.assertEqual(daemon.terminate(), 0)
        daemon = self.start_archiving()
        self.client.send("orders", b"c")
        self.wait_until(lambda: len(self.listed().archived) == 2)

        first, second = self.listed().archived
        self.assertLess(first.last_commit + 1, second.first_commit)
        self.assertEqual(self.listed().backups[0].archived_commit_count, first.last_commit)
        said = subprocess.run([daemon_test.WHARF, "--address", daemon.address, "backup", "list"], capture_output=True,
                              text=True, timeout=wire.TIMEOUT, check=True).stdout
        self.assertRegex(said, f"hole: commits {first.last_commit + 1} to {second.first_commit - 1} are in no archive")
        self.assertEqual(daemon.terminate(), 0)
        _, _, found = self.restore_to("one", "--until", "latest")
        self.assertEqual([body for _, body in found["orders"]], [b"a"])

    def test_a_copy_of_the_folder_begins_a_run_of_its_own(self):
        daemon = self.start_archiving()
        self.client.create("orders")
        self.make("one")
        self.assertEqual(daemon.terminate(), 0)
        shutil.copytree(self.data, f"{self.folder.name}/copy")
        daemon = self.start_archiving()
        self.client.send("orders", b"a", b"b")
        self.assertEqual(daemon.terminate(), 0)

        daemon = self.start_archiving(data=f"{self.folder.name}/copy")
        self.client.send("orders", b"c")
        self.make("two")
        self.client.send("orders", b"d")
        self.assertEqual(daemon.terminate(), 0)

        _, _, found = self.restore_to("one", "--until", "latest")
        self.assertEqual([body for _, body in found["orders"]], [b"a", b"b"])
        _, _, found = self.restore_to("two", "--until", "latest")
        self.assertEqual([body for _, body in found["orders"]], [b"c", b"d"])

    def test_a_folder_that_cannot_be_used_holds_nobody_up(self):
        os.mkdir(self.folder_of_backups)
        pathlib.Path(self.folder_of_backups, ".archive").write_text("not a folder", "utf-8")
        daemon = self.start_archiving()
        self.client.create("orders")
        self.client.send("orders", b"x")

        self.assertRegex(self.listed().archive_trouble, "cannot make .*/.archive")
        self.make("one")
        self.assertEqual(daemon.terminate(), 0)
        self.assert_refused("nothing was archived when this backup was made", "one", "--until", "latest")

    def test_a_full_disk_of_the_archive_is_a_hole_and_no_error(self):
        if not full_disk.may_mount(f"{self.folder.name}/probe"):
            self.skipTest("may not mount")
        disk = full_disk.SmallDisk(f"{self.folder.name}/small", 64)
        self.addCleanup(lambda: subprocess.run(["umount", "--lazy", disk.path], check=False))
        self.folder_of_backups = f"{disk.path}/backups"
        self.start_with_backups("--archive-bytes", "32MiB")
        self.client.create("orders")
        self.make("one")
        disk.fill()
        self.fill(20)

        self.wait_until(lambda: self.listed().archive_trouble != "")

        self.client.send("orders", b"the broker goes on")
        self.assertRegex(self.listed().archive_trouble, "the disk of the archive is full|cannot write")

    def test_a_disk_of_the_archive_that_does_not_answer_holds_up_no_stop_and_no_start(self):
        held = pathlib.Path(self.folder.name, "held")
        daemon = self.start(flags=("--backup-folder", self.folder_of_backups, *ARCHIVE), env={
            **os.environ, "LD_PRELOAD": os.environ["HELD_DISK"], "WHARF_HELD_DISK": str(held),
            "WHARF_HELD_FOLDER": "/.archive/"})
        self.client.create("orders")
        held.touch()
        self.client.send("orders", b"x")
        self.wait_until(pathlib.Path(f"{held}.waits").exists)
        begin = time.monotonic()

        self.assertEqual(daemon.terminate(), 0)

        self.assertLess(time.monotonic() - begin, 5)
        log = "".join(daemon.log)
        self.assertIn("the disk of the archive does not answer in time, and the stop does not wait for it", log)
        self.assertNotIn("wharfd ends", log)
        begin = time.monotonic()
        daemon.start(env={**os.environ, "LD_PRELOAD": os.environ["HELD_DISK"], "WHARF_HELD_DISK": str(held),
                          "WHARF_HELD_FOLDER": "/backups"})
        self.assertLess(time.monotonic() - begin, 5)
        self.client = self.connect(daemon)
        self.assertEqual(self.client.receive_one("orders").message.body, b"x")
        held.unlink()
        self.assertEqual(daemon.terminate(), 0)

    def test_a_hole_of_a_start_is_counted(self):
        daemon = self.start_archiving("--listen", "operations://127.0.0.1:0")
        self.client.create("orders")
        self.make("one")
        self.assertEqual(daemon.terminate(), 0)
        daemon = self.start_with_backups()
        self.client.send("orders", b"nobody archives it")
        self.assertEqual(daemon.terminate(), 0)
        daemon = self.start_archiving("--listen", "operations://127.0.0.1:0")
        metrics = self.metrics_of(daemon)

        self.assertRegex(metrics, r"\nwharf_archive_holes_total 1\n")
        first, = re.findall(r"\nwharf_archive_missing_commits_total (\d+)\n", metrics)
        self.assertGreater(int(first), 0)
        self.assertRegex("".join(daemon.log),
                         "the archive has a hole from commit .* on: what was not archived before this start cannot")

    def metrics_of(self, daemon):
        (place,) = re.findall(r"operations://(127\.0\.0\.1:\d+)", "".join(daemon.log))[:1]
        with urllib.request.urlopen(f"http://{place}/metrics", timeout=wire.TIMEOUT) as answer:
            return answer.read().decode()

    def test_a_kill_of_a_restore_to_a_moment_leaves_what_is_refused(self):
        self.start_with_files()
        self.assert_killed_restores_are_refused(200, "--until", "latest")
        commit, _, found = self.restore_to("one", "--until", "latest")
        self.assertEqual(len(found["orders"]), 200, commit)

    def test_prune_drops_what_no_backup_needs(self):
        self.start_with_backups("--archive-bytes", "32MiB")
        self.client.create("orders")
        self.make("one")
        self.fill(20)
        self.make("two")
        self.client.send("orders", b"x")
        self.wait_until(lambda: self.listed().archived[-1].last_commit > self.listed().backups[1].commit_count)
        before = self.archive_files()

        self.assertEqual(self.backups.prune(1).trouble, "")

        left = self.archive_files()
        self.assertNotIn(before[0], left)
        self.assertIn(before[-1], left)
        self.assertGreater(self.listed().backups[0].archived_commit_count, 0)

    def test_it_keeps_its_bound(self):
        daemon = self.start_with_backups("--archive-bytes", "16MiB")
        self.client.create("orders")
        self.make("one")
        self.fill(40)
        self.assertEqual(daemon.terminate(), 0)

        self.assertLessEqual(sum(os.path.getsize(file) for file in self.archive_files()), 18 << 20)
        self.assert_refused("has a hole: commit", "one", "--until", "latest")


class ClusterArchiveTest(cluster_nodes.ClusterTest, ArchiveTest):

    def test_a_follower_archives_what_it_has_applied(self):
        self.start_cluster(flags=("--backup-folder", self.folder_of_backups, *ARCHIVE))
        leader = self.leader_of(self.nodes)
        self.client = leader.client
        self.make_entities()
        follower = next(node for node in self.nodes if not node.leads())
        self.backups = BackupCalls(follower.client.channel)
        self.make("one")
        load = Load(self, leader.client)
        load.wait_for(self, 300)
        follower.daemon.kill()
        load.wait_for(self, 100)
        follower.restart()
        load.wait_for(self, 300)
        load.end()
        everything = self.everything()
        self.eventually(lambda: follower.status().applied_index >= leader.status().committed_index)
        self.backups = BackupCalls(follower.client.channel)
        self.assertEqual(len(self.listed().archived), 1, self.listed())
        # Nobody waits for the disk of the archive, and a kill does not either.
        last = max(time for found in everything.values() for time, _ in found)
        self.eventually(lambda: micros(self.listed().archived[-1].last_at) >= last)
        for node in self.nodes:
            node.stop()

        for moment in self.draw_moments(everything, 0, max(POINTS // 4, 3)):
            _, _, found = self.restore_to("one", "--until", as_text(moment))
            self.assert_is_moment(found, everything, moment)
