"""Killed in the middle of a large message, the daemon neither keeps half of it nor its chunks."""

import os
import subprocess
import unittest

import daemon_test
import wire
from wire import messaging_pb2

CHUNK = 256 << 10
SIZE = 40 * CHUNK


class LargeTest(daemon_test.DaemonTest):

    def rows(self):
        """What is left in the folder of a daemon that has ended."""
        counted = subprocess.run([os.environ["COUNT_ROWS"], self.data], stdout=subprocess.PIPE, text=True,
                                 timeout=wire.TIMEOUT, check=True)
        return counted.stdout.strip()

    def write(self, stream, **request):
        stream.write(messaging_pb2.SendStreamRequest(request_id=1, **request))

    def begin(self, chunks):
        """A send stream with a large message of which so many chunks were given; they are on disk."""
        stream = wire.Stream(self.client.messaging.SendStream)
        self.addCleanup(stream.cancel)
        header = messaging_pb2.LargeMessageHeader(entity_path="orders", body_size=SIZE)
        before = self.client.statistics().synced_bytes
        self.write(stream, header=header)
        for _ in range(chunks):
            self.write(stream, chunk=messaging_pb2.MessageChunk(data=b"x" * CHUNK))
        while self.client.statistics().synced_bytes < before + chunks * CHUNK:
            pass
        return stream

    def create(self):
        self.client.create("orders", max_message_size_in_kilobytes=102400)

    def test_what_a_kill_left_of_an_upload_goes_at_the_next_start(self):  # SND-1, reliability 8
        daemon = self.start()
        self.create()
        self.begin(10)
        daemon.kill()
        self.assertEqual(self.rows(), "bodies=10 loose=1")

        daemon = self.start()
        self.assertEqual(self.client.runtime("orders").active_message_count, 0)
        daemon.terminate()

        self.assertEqual(self.rows(), "bodies=0 loose=0")

    def test_asked_to_stop_in_the_middle_it_ends_and_leaves_nothing(self):
        daemon = self.start()
        self.create()
        self.begin(10)

        self.assertEqual(daemon.terminate(), 0)

        self.assertEqual(self.rows(), "bodies=0 loose=0")

    def test_what_was_acknowledged_is_whole_after_a_kill(self):  # SND-1
        daemon = self.start()
        self.create()
        stream = self.begin(40)
        self.assertEqual(stream.read().results[0].sequence_number, 1)
        daemon.kill()
        self.assertEqual(self.rows(), "bodies=40 loose=0")

        self.start()
        receiver = wire.ReceiveStream(self.client, "orders")
        self.addCleanup(receiver.cancel)
        receiver.expect("started")
        receiver.grant(1)
        left = receiver.expect("header").body_size
        while left > 0:
            left -= len(receiver.expect("chunk").data)

    def test_taken_without_a_lock_and_killed_halfway_its_chunks_go_at_the_next_start(self):  # RCV-1
        daemon = self.start()
        self.create()
        self.begin(40).read()
        receiver = wire.ReceiveStream(self.client, "orders", mode=messaging_pb2.RECEIVE_MODE_RECEIVE_AND_DELETE)
        self.addCleanup(receiver.cancel)
        receiver.expect("started")
        receiver.grant(1)
        receiver.expect("header")
        daemon.kill()
        self.assertIn(self.rows(), ("bodies=40 loose=1", "bodies=0 loose=0"))

        daemon = self.start()
        self.assertEqual(self.client.runtime("orders").active_message_count, 0)
        daemon.terminate()

        self.assertEqual(self.rows(), "bodies=0 loose=0")


if __name__ == "__main__":
    unittest.main()
