"""wharfd takes messages over 1 MiB over AMQP 1.0, and holds none of them in memory."""

import os
import pathlib
import re
import subprocess
import sys
import unittest

import daemon_test
import served
import wire
from proton import Delivery, Message

HERE = pathlib.Path(__file__).resolve().parent
LARGE = 102400


def peak_bytes(daemon):
    """What the daemon has had in memory at most."""
    told = pathlib.Path(f"/proc/{daemon.pid}/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+) kB", told).group(1)) << 10


class Large(served.ServedTest):

    def begin(self):
        daemon = self.serve()
        self.client.create("q", max_message_size_in_kilobytes=LARGE)
        return daemon

    def test_what_is_sent_comes_back_by_both_doors(self):
        self.begin()
        body = os.urandom((20 << 20) + 7)
        connection = self.dial()
        sender = connection.create_sender("q")
        # A section of data, and a value.
        for inferred in (True, False):
            sent = sender.send(Message(body=body, inferred=inferred, id="large", properties={"a": 1}))
            self.assertEqual(sent.remote_state, Delivery.ACCEPTED)
        receiver = connection.create_receiver("q")
        for inferred in (True, False):
            message = receiver.receive(timeout=wire.TIMEOUT)
            self.assertEqual((message.id, message.properties, message.inferred), ("large", {"a": 1}, inferred))
            self.assertTrue(message.body == body)
            receiver.accept()
        receiver.close()
        self.assertEqual(daemon_test.stored(self.client, "q"), {})
        sender.send(Message(body="é" * (2 << 20)))
        self.assertEqual(connection.create_receiver("q").receive(timeout=wire.TIMEOUT).body, "é" * (2 << 20))

    def test_two_at_once_are_not_held_and_others_go_on(self):
        daemon = self.begin()
        self.client.create("small")
        connection = self.dial()
        senders = [connection.create_sender("q", name=f"large {number}") for number in range(2)]
        small = connection.create_sender("small")
        before = peak_bytes(daemon)
        bodies = [bytes([number]) * (60 << 20) for number in range(2)]
        sent = [sender.link.send(Message(body=body, inferred=True)) for sender, body in zip(senders, bodies)]
        for number in range(20):
            self.assertEqual(small.send(Message(body=b"%d" % number, inferred=True)).remote_state, Delivery.ACCEPTED)
        connection.wait(lambda: all(delivery.remote_state for delivery in sent), timeout=wire.TIMEOUT)
        self.assertEqual([delivery.remote_state for delivery in sent], [Delivery.ACCEPTED] * 2)
        # Of that the store has some 130 MiB for what it writes, whatever that is; both bodies would be as much again.
        self.assertLess(peak_bytes(daemon) - before, 200 << 20)
        receiver = connection.create_receiver("q", credit=2)
        got = [receiver.receive(timeout=wire.TIMEOUT).body for _ in range(2)]
        self.assertTrue(sorted(got) == bodies)

    def test_one_that_is_aborted_or_cut_off_was_never_sent(self):
        self.begin()
        connection = self.dial()
        sender = connection.create_sender("q")
        delivery = sender.link.delivery("half")
        sender.link.stream(Message(body=b"x" * (20 << 20), inferred=True).encode()[:10 << 20])
        connection.wait(lambda: delivery.pending == 0, timeout=wire.TIMEOUT)
        delivery.abort()
        self.assertEqual(sender.send(Message(body=b"behind it", inferred=True)).remote_state, Delivery.ACCEPTED)

        with subprocess.Popen([sys.executable, "-B", HERE / "half_sender.py", str(self.port)], stdout=subprocess.PIPE,
                              text=True) as program:
            self.addCleanup(program.kill)
            self.assertEqual(program.stdout.readline(), "half\n")
            program.kill()
        self.assertEqual(sender.send(Message(body=b"and the other", inferred=True)).remote_state, Delivery.ACCEPTED)

        self.assertEqual(sorted(daemon_test.stored(self.client, "q").values()), [b"and the other", b"behind it"])

    def test_sections_and_lists(self):  # SIZ-8, ENC-3
        self.serve()
        self.client.create("large", max_message_size_in_kilobytes=8192)
        self.tell("sections_story.mjs", str(self.port), steps=("data", "sequences"))

    def test_the_sdk_defers_and_receives_by_number(self):  # DEF-3, SIZ-8
        self.serve()
        self.client.create("large", max_message_size_in_kilobytes=8192)
        self.tell("sdk_large_story.mjs", served.connection_string(self.port),
                  steps=("deferred", "received by its number", "received and deleted", "abandoned, and received again",
                         "sent what does not tell its length"))
        self.assertEqual(daemon_test.stored(self.client, "large"), {})

    def test_what_its_entity_does_not_take_is_rejected(self):
        self.serve()
        self.client.create("q")
        connection = self.dial()
        sender = connection.create_sender("q")
        self.assertEqual(sender.link.remote_max_message_size, 1 << 20)
        sent = sender.link.send(Message(body=b"x" * (2 << 20), inferred=True))
        connection.wait(lambda: sent.remote_state, timeout=wire.TIMEOUT)
        self.assertEqual((sent.remote_state, sent.remote.condition.name),
                         (Delivery.REJECTED, "amqp:link:message-size-exceeded"))
        self.assertEqual(sender.send(Message(body=b"one", inferred=True)).remote_state, Delivery.ACCEPTED)


if __name__ == "__main__":
    unittest.main()
