"""full_disk: what the tests of a full disk share: a small disk, senders that go on, another program that fills it."""

import errno
import os
import resource
import signal
import subprocess
import threading
import time

import grpc

import wire
from wire import messaging_pb2

MIB = 1 << 20
LIMIT = 60  # seconds; only a broken broker takes so long to make room


def may_mount(folder):
    os.mkdir(folder)
    mount = subprocess.run(["mount", "-t", "tmpfs", "tmpfs", folder], capture_output=True, check=False)
    return mount.returncode == 0 and subprocess.run(["umount", folder], check=True).returncode == 0


class SmallDisk:
    """A file system of a few MiB."""

    def __init__(self, folder, megabytes):
        self.path = folder
        os.mkdir(folder)
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", folder], check=True)

    def free(self):
        space = os.statvfs(self.path)
        return space.f_bavail * space.f_frsize

    def fill(self):
        """As another program that takes all there is, to the last page."""
        with open(f"{self.path}/filler", "ab", buffering=0) as filler:
            for piece in (bytes(MIB), bytes(4096)):
                try:
                    while filler.write(piece) == len(piece):
                        pass
                except OSError as error:
                    if error.errno != errno.ENOSPC:
                        raise

    def fill_to(self, megabytes):
        """As another program that leaves so much."""
        with open(f"{self.path}/filler", "ab", buffering=0) as filler:
            while self.free() > megabytes * MIB:
                filler.write(bytes(MIB // 4))

    def make_room(self):
        os.unlink(f"{self.path}/filler")

    def remove(self):
        subprocess.run(["umount", "--lazy", self.path], check=True)


class SmallFiles:
    """No file may grow beyond a few MiB: a disk that fails without being full."""

    def __init__(self, folder):
        self.path = folder
        os.mkdir(folder)

        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (8 * MIB, resource.RLIM_INFINITY))
        self.limits = {"preexec_fn": limit, "restore_signals": False}


class Senders:
    """Threads that send lists of messages until they are stopped or the broker is gone; refused ones try again."""

    def __init__(self, client, path, body_bytes, callers=3):
        self._client, self._path, self._body_bytes = client, path, body_bytes
        self._per_call = max(1, min(1000, 2 * MIB // (body_bytes + 100)))
        self._lock = threading.Lock()
        self._next = 0
        self._is_stopping = threading.Event()
        self.acknowledged = set()  # The first bytes of each body, which are its name.
        self.unknown = set()
        self.refusal = None  # What the first refused call was told.
        self.is_refused = threading.Event()
        self.is_taken_again = threading.Event()
        self._threads = [threading.Thread(target=self._run) for _ in range(callers)]
        for thread in self._threads:
            thread.start()

    def stop(self):
        self._is_stopping.set()
        for thread in self._threads:
            thread.join(LIMIT)

    def is_alive(self):
        return any(thread.is_alive() for thread in self._threads)

    def _names(self):
        with self._lock:
            first, self._next = self._next, self._next + self._per_call
        return [b"%012d" % number for number in range(first, first + self._per_call)]

    def _run(self):
        while not self._is_stopping.is_set():
            names = self._names()
            was_refused = self.is_refused.is_set()
            try:
                results = self._client.send(self._path, *[name.ljust(self._body_bytes, b"x") for name in names])
            except grpc.RpcError as error:
                if not self._note_failure(names, error):
                    return
                continue
            with self._lock:
                self.acknowledged.update(
                    name for name, result in zip(names, results) if not result.HasField("error"))
            if was_refused:
                self.is_taken_again.set()

    def _note_failure(self, names, error):
        """Whether to go on."""
        if error.code() == grpc.StatusCode.RESOURCE_EXHAUSTED:
            with self._lock:
                self.refusal = self.refusal or error.details()
            self.is_refused.set()
            time.sleep(0.05)
            return True
        with self._lock:
            self.unknown.update(names)
        return False


def drain(client, path, until=lambda: False):
    """Receives what is there, or until enough is; answers the names."""
    names = []
    while not until():
        messages = client.receive(path, 4000, mode=messaging_pb2.RECEIVE_MODE_RECEIVE_AND_DELETE)
        if not messages:
            break
        names += [message.message.body[:12] for message in messages]
    return names


def wait_for(condition, what):
    end = time.monotonic() + LIMIT
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"waited {LIMIT} s for {what}")
        time.sleep(0.05)


def state_name(client):
    disk = client.statistics().disk
    return wire.management_pb2.DiskStatus.State.Name(disk.state)
