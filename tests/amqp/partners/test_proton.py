"""Proton, an implementation of its own, and our endpoint: each sends, receives, settles and drains, and each dials."""

import os
import socket
import subprocess
import threading
import unittest

from endpoint import PARTNER, TIME, listening
from proton import Delivery, Message
from proton.handlers import MessagingHandler
from proton.reactor import AtMostOnce, Container
from proton.utils import BlockingConnection, LinkDetached, SendException


class OurEndpointAccepts(unittest.TestCase):
    def setUp(self):
        port = listening(self)
        self.connection = BlockingConnection(f"amqp://127.0.0.1:{port}", timeout=TIME, allowed_mechs="ANONYMOUS",
                                             heartbeat=10)
        self.addCleanup(self.connection.close)

    def send(self, address, *bodies):
        sender = self.connection.create_sender(address)
        for body in bodies:
            self.assertEqual(sender.send(Message(body=body)).remote_state, Delivery.ACCEPTED)
        sender.close()

    def test_messages_come_back_as_they_were_sent(self):
        message = Message(id="m1", correlation_id=7, subject="greeting", properties={"a": 1, "b": "two", "c": None},
                          annotations={"x-opt-key": 3}, ttl=60, body={"list": [1, 2.5, "three"], "binary": b"\0\1"})
        sender = self.connection.create_sender("whole")
        sender.send(message)
        receiver = self.connection.create_receiver("whole", credit=1)
        received = receiver.receive(timeout=TIME)
        receiver.accept()
        for field in ("id", "correlation_id", "subject", "properties", "annotations", "ttl", "body"):
            self.assertEqual(getattr(received, field), getattr(message, field), field)

    def test_many_messages_keep_their_order(self):
        bodies = [f"message {i}" for i in range(500)]
        self.send("many", *bodies)
        receiver = self.connection.create_receiver("many", credit=50)
        for body in bodies:
            self.assertEqual(receiver.receive(timeout=TIME).body, body)
            receiver.accept()

    def test_large_messages_take_many_frames_each_way(self):
        bodies = ["x" * size for size in (1, 16_000, 16_384, 100_000, 3_000_000)]
        self.send("large", *bodies)
        receiver = self.connection.create_receiver("large", credit=2)
        for body in bodies:
            self.assertEqual(receiver.receive(timeout=TIME).body, body)
            receiver.accept()

    def test_a_message_that_is_too_large_is_rejected_and_the_link_goes_on(self):
        sender = self.connection.create_sender("rejects")
        with self.assertRaises(SendException):
            sender.send(Message(body="x" * (5 << 20)))
        self.assertEqual(sender.send(Message(body="small")).remote_state, Delivery.ACCEPTED)

    def test_what_is_released_comes_again(self):
        self.send("again", "one")
        receiver = self.connection.create_receiver("again", credit=1)
        self.assertEqual(receiver.receive(timeout=TIME).body, "one")
        receiver.release(delivered=False)
        self.assertEqual(receiver.receive(timeout=TIME).body, "one")
        receiver.release(delivered=True)
        self.assertEqual(receiver.receive(timeout=TIME).body, "one")
        receiver.accept()

    def test_settled_messages_want_no_answer(self):
        sender = self.connection.create_sender("settled", options=AtMostOnce())
        sender.send(Message(body="fire"))
        receiver = self.connection.create_receiver("settled", credit=1, options=AtMostOnce())
        self.assertEqual(receiver.receive(timeout=TIME).body, "fire")

    def test_a_drain_ends_when_there_is_nothing_left(self):
        self.send("drained", "one", "two")
        receiver = self.connection.create_receiver("drained", credit=0)
        receiver.link.drain(10)
        self.connection.wait(lambda: not receiver.link.draining(), timeout=TIME)
        # To receive without credit would give some.
        self.connection.wait(lambda: receiver.fetcher.has_message == 2, timeout=TIME)
        self.assertEqual(receiver.link.credit, 0)
        self.assertEqual([receiver.fetcher.pop().body for _ in range(2)], ["one", "two"])

    def test_a_link_that_is_refused_says_why(self):
        with self.assertRaises(LinkDetached) as caught:
            self.connection.create_sender("nowhere")
        self.assertEqual(caught.exception.condition, "amqp:not-found")
        self.send("somewhere", "the connection goes on")

    def test_links_and_sessions_come_and_go(self):
        for i in range(100):
            self.send(f"queue {i % 3}", f"message {i}")


class Echo(MessagingHandler):
    """Gives what comes to whoever asks."""

    def __init__(self):
        super().__init__(prefetch=10)
        self.port, self.messages, self.ready = 0, [], threading.Event()
        self.receivers = []

    def on_start(self, event):
        self.acceptor = event.container.listen("127.0.0.1:0")
        with socket.socket(fileno=os.dup(self.acceptor._selectable.fileno())) as listener:
            self.port = listener.getsockname()[1]
        self.ready.set()

    def on_link_opening(self, event):
        event.link.source.copy(event.link.remote_source)
        event.link.target.copy(event.link.remote_target)
        if event.link.is_sender:
            self.receivers.append(event.link)

    def on_sendable(self, event):
        self.give()

    def on_message(self, event):
        self.messages.append(event.message)
        self.give()

    def give(self):
        for link in self.receivers:
            while self.messages and link.credit:
                link.send(self.messages.pop(0))

    def on_transport_closed(self, event):
        event.container.stop()


class OurEndpointDials(unittest.TestCase):
    def test_messages_are_sent_and_taken_back(self):
        echo = Echo()
        thread = threading.Thread(target=Container(echo).run, daemon=True)
        thread.start()
        self.assertTrue(echo.ready.wait(TIME))
        dialled = subprocess.run([PARTNER, "dial", str(echo.port), "queue", "200"], timeout=TIME)
        self.assertEqual(dialled.returncode, 0)
        thread.join(TIME)
        self.assertFalse(thread.is_alive())


if __name__ == "__main__":
    unittest.main()
