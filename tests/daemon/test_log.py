"""What the daemon says: what became of entities, and nobody else's lines."""

import os
import re
import socket
import unittest

import grpc

import daemon_test
import wire
from wire import management_pb2

LINE = r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z (debug|info|warning|error) "


class LogTest(daemon_test.DaemonTest):

    def said(self, daemon):
        """All that was said, after the end: level and sentence of each line."""
        self.assertEqual(daemon.terminate(), 0)
        for line in daemon.log:
            self.assertRegex(line, LINE)
        return [re.sub(r"^\S+ ", "", line.rstrip("\n")) for line in daemon.log]

    def test_what_became_of_entities(self):
        daemon = self.start()
        self.client.create("orders")
        self.client.update("orders", max_delivery_count=3)
        self.client.management.Purge(management_pb2.PurgeRequest(entity_path="orders"), timeout=wire.TIMEOUT)
        self.client.management.Purge(management_pb2.PurgeRequest(entity_path="orders/$DeadLetterQueue"),
                                    timeout=wire.TIMEOUT)
        self.client.topics.create("sales")
        self.client.topics.subscribe("sales", "all")
        self.client.delete("orders")
        self.client.topics.delete("sales")

        said = self.said(daemon)

        self.assertEqual([line for line in said if "info the " in line], [
            "info the queue 'orders' is made",
            "info the queue 'orders' is changed",
            "info the queue 'orders' is purged",
            "info the queue 'orders' has its dead-letter queue purged",
            "info the topic 'sales' is made",
            "info the subscription 'sales/Subscriptions/all' is made",
            "info the queue 'orders' is deleted",
            "info the topic 'sales' is deleted"])

    def test_thousands_of_entities_do_not_fill_it(self):
        daemon = self.start()
        for number in range(1100):
            self.client.create(f"q{number}")

        said = self.said(daemon)

        self.assertEqual(len([line for line in said if line.endswith("is made")]), 1000)
        self.assertEqual(len([line for line in said if "1000 entities were made" in line]), 1)

    def test_debug_tells_more(self):
        for level, is_more in (("info", False), ("debug", True)):
            daemon = self.start(flags=("--log-level", level))
            with self.assertRaises(grpc.RpcError):
                self.client.get("no\x1b[31msuch")

            said = self.said(daemon)

            self.assertEqual(any(line.startswith("debug a client connects from 127.0.0.1:") for line in said), is_more)
            refused = [line for line in said if line.startswith("debug a wharf.v1.GetQueueRequest from ")]
            self.assertEqual(len(refused), 1 if is_more else 0)
            self.assertNotIn("\x1b", "".join(said))

    def test_what_clients_send_does_not_fill_it(self):
        """gRPC and protobuf have much to say of what is no request; we say nothing, or a line a second."""
        for level in ("info", "debug"):
            daemon = self.start(flags=("--log-level", level))
            self.client.create("orders")
            send = self.client.channel.unary_unary("/wharf.v1.Messaging/Send")
            bad = b"\x0a\x06orders\x12\x04\x0a\x02\xff\xfe" + b"\x0a\x02\xff\xfe"  # A path that is not UTF-8.
            for _ in range(50):
                with self.assertRaises(grpc.RpcError):
                    send(bad, timeout=wire.TIMEOUT)
                with socket.create_connection(tuple(daemon.address.rsplit(":", 1)), wire.TIMEOUT) as plug:
                    plug.sendall(b"GET / HTTP/1.1\r\n\r\n")
                    plug.recv(1000)
            self.client.delete("orders")

            said = self.said(daemon)

            of_libraries = [line for line in said if "protobuf: " in line or "gRPC: " in line]
            self.assertLessEqual(len(of_libraries), 0 if level == "info" else 30, of_libraries)
            if level == "info":
                self.assertEqual([line for line in said if "wire_format" in line or "chttp2" in line], [])

    def test_a_supervisor_hears_when_it_serves_and_when_it_stops(self):
        path = f"{self.folder.name}/notify"
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as ear:
            ear.bind(path)
            ear.settimeout(wire.TIMEOUT)
            daemon = self.start(env={**os.environ, "NOTIFY_SOCKET": path})

            self.assertEqual(ear.recv(1000).decode(), f"READY=1\nSTATUS=Serving on {daemon.address}")
            self.assertEqual(daemon.terminate(), 0)
            self.assertRegex(ear.recv(1000).decode(), "^STOPPING=1\n")


class RequestSizeTest(daemon_test.DaemonTest):

    def test_a_request_that_is_too_large_is_told_so(self):
        """Up to 32 MiB in our words; beyond that gRPC does not read it."""
        self.start()
        self.client.create("orders")

        def request(mebibytes):
            messages = [wire.as_message(bytes((1 << 20) - 100))] * mebibytes
            return wire.messaging_pb2.SendRequest(entity_path="orders", messages=messages)

        for mebibytes in (17, 31):
            self.assert_fails(grpc.StatusCode.INVALID_ARGUMENT, "MessageSizeExceeded", self.client.messaging.Send,
                              request(mebibytes), timeout=wire.TIMEOUT)
            stream = wire.Stream(self.client.messaging.SendStream)
            stream.write(wire.messaging_pb2.SendStreamRequest(send=request(mebibytes)))
            self.assert_fails(grpc.StatusCode.INVALID_ARGUMENT, "MessageSizeExceeded", stream.read)
            stream.writes_done()
        with self.assertRaises(grpc.RpcError) as caught:
            self.client.messaging.Send(request(33), timeout=wire.TIMEOUT)
        self.assertEqual(caught.exception.code(), grpc.StatusCode.RESOURCE_EXHAUSTED)
        self.assertEqual(len(self.client.messaging.Send(request(15), timeout=wire.TIMEOUT).results), 15)
        self.assertEqual(self.client.runtime("orders").total_message_count, 15)


if __name__ == "__main__":
    unittest.main()
