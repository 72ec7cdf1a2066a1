"""What the tests of the daemon share: data folders, daemons, refusals, clients that never stop sending."""

import os
import re
import shutil
import subprocess
import tempfile
import threading
import time

import grpc

import wire
from wire import messaging_pb2

WHARF = os.path.join(os.path.dirname(os.environ["WHARFD"]), "wharf")  # The command line, built beside it.

# Seconds between two looks: looking without a pause takes the processor from what is waited for.
LOOK_AGAIN_AFTER = 0.01


class DaemonTest(wire.WireTest):
    """A test with a data folder and daemons of its own."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="wharf-daemon-")
        self.addCleanup(self.folder.cleanup)
        self.data = f"{self.folder.name}/data"

    def start(self, data=None, **options):
        """A daemon, and `self.client` connected to it."""
        daemon = wire.Daemon(data or self.data, **options)
        self.addCleanup(daemon.kill)
        self.client = self.connect(daemon)
        return daemon

    def connect(self, daemon):
        client = wire.Client(daemon.address)
        self.addCleanup(client.close)
        return client

    def assert_refuses(self, pattern, data=None, listen="127.0.0.1:0", code=1, wharfd=None, **popen):
        """wharfd must end by itself, with this exit code and one sentence that matches; answers it."""
        data = self.data if data is None else data
        ended = subprocess.run([wharfd or os.environ["WHARFD"], "--data", data, "--listen", listen],
                               stderr=subprocess.PIPE, text=True, timeout=wire.TIMEOUT, check=False, **popen)
        return self.assert_sentence(ended.returncode, ended.stderr.splitlines(), pattern, code)

    def assert_refuses_nobody(self, pattern, **options):
        """As assert_refuses, for the user of that name, who may not see where wharfd stands, but our folder."""
        os.chmod(self.folder.name, 0o777)
        wharfd = shutil.copy(os.environ["WHARFD"], self.folder.name)
        return self.assert_refuses(pattern, wharfd=wharfd, user="nobody", **options)

    def assert_sentence(self, returned, log, pattern, code=1):
        self.assertEqual(returned, code, log)
        (last,) = [line for line in log if " error " in line or "wharfd ends" in line]
        self.assertEqual(last, log[-1])
        self.assertRegex(last, rf"error wharfd ends: .*{pattern}")
        for line in log:  # Nobody else's lines.
            self.assertRegex(line, r"^\d{4}-\d\d-\d\dT\S+Z (debug|info|warning|error) ")
        return last


def wait_for(call, error):
    """Calls until that does not raise `error` any more: for what comes a moment after something else."""
    deadline = time.monotonic() + wire.TIMEOUT
    while True:
        try:
            return call()
        except error:
            if time.monotonic() > deadline:
                raise
        time.sleep(LOOK_AGAIN_AFTER)


def wait_for_line(daemon, pattern):
    """The first line of its log in which the pattern stands. The log comes through a pipe, and so a moment after what
    a client hears."""
    return wait_for(lambda: next(line for line in daemon.log if re.search(pattern, line)), StopIteration)


def outcome_of(error):
    """Of what a call asked for, or a stream and had no answer to: "not-done" or "unknown"."""
    assert error.code() in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED), error
    if "grpc-status-details-bin" in dict(error.trailing_metadata() or ()):
        outcome = wire.error_info(wire.status_of(error)).metadata["outcome"]
        assert outcome in ("not-done", "unknown"), outcome
        return outcome
    # What gRPC itself reports, a lost connection or one that was closed, leaves the outcome open; but not where there
    # was no connection, or what came while it was closed was not taken.
    is_known = "failed to connect" in error.details().lower() or error.details() == "CANCELLED"
    return "not-done" if is_known else "unknown"


class Load:
    """Threads that send without a pause until the broker is gone; they remember what they were told."""

    def __init__(self, client, path, body=b"", callers=2):
        self._client, self._path, self._body = client, path, body
        self._lock = threading.Lock()
        self._numbers = iter(range(1 << 62))
        self._enough = threading.Event()
        self._wanted = None
        self.acknowledged = {}  # Body by sequence number.
        self.refused = set()  # Bodies for which the broker said that nothing was done.
        self.unknown = set()  # Bodies that may be there or not.
        self._threads = [threading.Thread(target=self._call) for _ in range(callers)]
        self._threads.append(threading.Thread(target=self._stream))
        for thread in self._threads:
            thread.start()

    def wait_for(self, acknowledged):
        with self._lock:
            self._wanted = acknowledged
        self._note({})
        if not self._enough.wait(wire.TIMEOUT):
            raise AssertionError(f"only {len(self.acknowledged)} sends were acknowledged")

    def join(self):
        for thread in self._threads:
            thread.join(wire.TIMEOUT)
            if thread.is_alive():
                raise AssertionError("a send is never answered")

    def _next(self):
        with self._lock:
            return b"%d " % next(self._numbers) + self._body

    def _note(self, acknowledged):
        with self._lock:
            self.acknowledged.update(acknowledged)
            if self._wanted is not None and len(self.acknowledged) >= self._wanted:
                self._enough.set()

    def _call(self):
        while True:
            body = self._next()
            try:
                (result,) = self._client.send(self._path, body)
            except grpc.RpcError as error:
                return self._note_failure(error, body)
            self._note({result.sequence_number: body})

    def _note_failure(self, error, *bodies):
        known = self.refused if outcome_of(error) == "not-done" else self.unknown
        known.update(bodies)

    def _stream(self):
        """Always sixteen requests under way."""
        under_way = {}
        stream = wire.Stream(self._client.messaging.SendStream)

        def write():
            number, body = len(under_way), self._next()
            number = int(body.split()[0])
            under_way[number] = body
            stream.write(messaging_pb2.SendStreamRequest(request_id=number, send=messaging_pb2.SendRequest(
                entity_path=self._path, messages=[wire.as_message(body)])))

        for _ in range(16):
            write()
        try:
            while True:
                receipt = stream.read()
                body = under_way.pop(receipt.request_id)
                (result,) = receipt.results
                if result.HasField("error"):
                    outcome = wire.error_info(result.error).metadata["outcome"]
                    (self.refused if outcome == "not-done" else self.unknown).add(body)
                else:
                    self._note({result.sequence_number: body})
                    write()
        except StopIteration:
            self.unknown.update(under_way.values())
        except grpc.RpcError as error:
            self._note_failure(error, *under_way.values())
        stream.writes_done()


def stored(client, path):
    """Every message of the queue: body by sequence number."""
    messages, start = {}, 0
    while True:
        page = client.peek(path, start)
        messages.update((message.sequence_number, message.message.body) for message in page.messages)
        if not page.HasField("next_sequence_number"):
            return messages
        start = page.next_sequence_number
