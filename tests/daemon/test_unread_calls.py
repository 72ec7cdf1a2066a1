"""Long answers of calls: few are in memory at a time, whoever does not read them, and others go on meanwhile."""

import os
import socket
import subprocess
import unittest

import grpc

import daemon_test
import wire
from daemon_test import wait_for
from http2_connection import Http2Connection
from test_console import PLACES, port_of
from wire import messaging_pb2

MEMORY_MAX = 600 << 10  # KiB that the daemon has at most.
UNREAD_MIN = 32 << 20  # Bytes that a client leaves unread, at least.
BODY_BYTES = 8 << 20
TRACED = 350  # Messages of one id, with 30 KB of properties each: 10 pages.


def close_all(clients):
    for client in clients:
        client.close()


class UnreadCallTest(daemon_test.DaemonTest):

    def setUp(self):
        super().setUp()
        self.daemon = self.start(listen=PLACES)
        self.client.create("orders", max_message_size_in_kilobytes=102400)
        self.client.create("others")

    def trace_request(self, token=""):
        return messaging_pb2.TraceMessageRequest(entity_path="orders", message_id="same", page_token=token)

    def send_traced(self):
        message = wire.Message(message_id="same", body=b"x")
        message.application_properties["text"].string_value = "v" * 30_000
        for _ in range(TRACED // 10):
            self.client.send("orders", *[message] * 10)

    def ask_silently(self, method, request, connections, calls):
        """A client that asks so much and reads nothing; its connections, to be closed."""
        encoded = request.SerializeToString()
        clients = [Http2Connection(self.daemon.address) for _ in range(connections)]
        for client in clients:
            self.addCleanup(client.close)
            for _ in range(calls):
                client.begin(f"/wharf.v1.Messaging/{method}", len(encoded), encoded)
        return clients

    def unread(self):
        return self.client.statistics().memory.stream_bytes

    def assert_bounded(self, method, request, connections, calls):
        clients = self.ask_silently(method, request, connections, calls)
        wait_for(lambda: self.assertGreater(self.unread(), UNREAD_MIN), AssertionError)

        self.assert_others_go_on()
        self.assertLess(self.unread(), 300 << 20)
        self.assertLess(self.daemon.peak_memory(), MEMORY_MAX)
        close_all(clients)

        wait_for(lambda: self.assertEqual(self.unread(), 0), AssertionError)
        getattr(self.client.messaging, method)(request, timeout=wire.TIMEOUT)

    def assert_others_go_on(self):
        for _ in range(50):
            self.client.send("others", b"x")
            (order,) = self.client.receive("others", wait=wire.TIMEOUT)
            self.client.complete("others", order.lock_token)

    def test_places_of_a_message_that_nobody_reads_are_bounded(self):
        self.send_traced()

        self.assert_bounded("TraceMessage", self.trace_request(), connections=20, calls=8)

    def test_bodies_that_nobody_reads_are_bounded(self):
        self.client.send_large("orders", os.urandom(BODY_BYTES))

        request = messaging_pb2.PeekBodyRequest(entity_path="orders", sequence_number=1)
        self.assert_bounded("PeekBody", request, connections=10, calls=300)

    def test_what_is_beyond_is_busy_and_not_done(self):
        self.client.send("orders", *[b"x" * 500_000] * 2)
        clients = self.ask_silently("Peek", messaging_pb2.PeekRequest(entity_path="orders", max_messages=2), 8, 64)
        wait_for(lambda: self.assertGreater(self.unread(), 255 * 1_000_000), AssertionError)  # 256 places.

        def look():
            self.client.peek("orders")

        def receive():
            self.client.receive("orders", 2)

        for ask in (look, receive):
            with self.subTest(ask.__name__):
                self.assert_fails(grpc.StatusCode.UNAVAILABLE, "ServiceBusy", ask)
        self.assert_others_go_on()
        # Who reads nothing keeps no place from others for ever.
        for _ in range(3):
            wait_for(look, grpc.RpcError)
        self.assertGreater(self.unread(), 0)
        close_all(clients)

        locked = self.client.receive_all("orders", 2)
        self.assertEqual([order.delivery_count for order in locked], [0, 0])

    def test_a_thousand_looks_at_once_all_have_their_answer(self):
        self.client.send("orders", b"x" * 100_000)
        request = messaging_pb2.PeekRequest(entity_path="orders")

        under_way = [self.client.messaging.Peek.future(request, timeout=wire.TIMEOUT) for _ in range(1000)]

        for each in under_way:
            self.assertEqual(len(each.result().messages), 1)

    def test_answers_over_http_that_nobody_reads_are_bounded(self):
        self.send_traced()
        port = port_of(self.daemon)
        body = b'{"entityPath": "orders", "messageId": "same"}'
        head = (b"POST /api/v1/Messaging/TraceMessage HTTP/1.1\r\nHost: localhost\r\nX-Wharf-Request: 1\r\n"
                b"Content-Length: %d\r\n\r\n" % len(body))
        clients = []
        for _ in range(300):
            client = socket.socket()
            self.addCleanup(client.close)
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            client.connect(("127.0.0.1", port))
            client.sendall(head + body)
            clients.append(client)

        self.assert_others_go_on()
        answers = [self.status_of(client) for client in clients]

        self.assertEqual(set(answers), {b"200", b"503"})
        self.assertLess(self.daemon.peak_memory(), MEMORY_MAX)

    def status_of(self, client):
        client.settimeout(wire.TIMEOUT)
        head = b""
        while len(head) < 12:
            head += client.recv(12 - len(head))
        return head[9:12]

    def test_a_client_with_gRPC_s_own_limits_traces_a_frequent_id(self):
        """4 MiB of an answer."""
        self.send_traced()
        client = wire.Client(self.daemon.address, [("grpc.max_receive_message_length", 4 << 20)])
        self.addCleanup(client.close)

        found, token = [], ""
        while True:
            page = client.messaging.TraceMessage(self.trace_request(token), timeout=wire.TIMEOUT)
            self.assertLess(page.ByteSize(), 1_200_000)
            self.assertLessEqual(len(page.places), 64)
            found += [place.message.sequence_number for place in page.places]
            token = page.next_page_token
            if not token:
                break

        self.assertEqual(found, list(range(1, TRACED + 1)))

    def test_the_command_line_traces_a_frequent_id(self):
        self.send_traced()

        told = subprocess.run([daemon_test.WHARF, "trace", "same"], capture_output=True, text=True, check=False,
                              timeout=wire.TIMEOUT, env={**os.environ, "WHARF_ADDRESS": self.daemon.address})

        self.assertEqual(told.returncode, 0, told.stderr)
        self.assertEqual(told.stdout.count("orders"), TRACED)


if __name__ == "__main__":
    unittest.main()
