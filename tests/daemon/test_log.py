"""What the daemon says: what became of entities, and nobody else's lines."""

import http.client
import json
import os
import re
import socket
import subprocess
import time
import unittest

import grpc

import access_calls
import cluster_nodes
import daemon_test
import wire
from topic_calls import sql
from wire import management_pb2

BY_WHOM = r", by ipv4:127\.0\.0\.1:\d+ \(tracking id [0-9a-f-]{36}\)$"
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
        self.client.topics.add_rule("sales", "all", sql("color = 'red'", "red"))
        self.client.topics.remove_rule("sales", "all", "red")
        access = access_calls.AccessClient(daemon.address, None)
        self.addCleanup(access.close)
        access.make_rule("orders", "shop", "Listen")
        access.rotate("orders", "shop")
        access.remove_rule("orders", "shop")
        access.make_rule("", "all", "Manage")
        self.client.delete("orders")
        self.client.topics.delete("sales")

        self.client.create("gone")
        with self.assertRaises(grpc.RpcError):  # It is there.
            self.client.create("gone")

        said = self.said(daemon)

        self.assertEqual([re.sub(BY_WHOM, " BY", line) for line in said if "info the " in line], [
            "info the queue 'orders' is made BY",
            "info the queue 'orders' is changed BY",
            "info the queue 'orders' is purged BY",
            "info the queue 'orders' has its dead-letter queue purged BY",
            "info the topic 'sales' is made BY",
            "info the subscription 'sales/Subscriptions/all' is made BY",
            "info the rule 'red' of 'sales/Subscriptions/all' is made BY",
            "info the rule 'red' of 'sales/Subscriptions/all' is removed BY",
            "info the access rule 'shop' of 'orders' is made, with Listen BY",
            "info the access rule 'shop' of 'orders' has another primary key BY",
            "info the access rule 'shop' of 'orders' is removed BY",
            "info the access rule 'all' of the namespace is made, with Manage, Send, Listen BY",
            "info the queue 'orders' is deleted BY",
            "info the topic 'sales' is deleted BY",
            "info the queue 'gone' is made BY"])

    def test_who_it_was_is_a_field_of_json(self):
        daemon = self.start(flags=("--log-format", "json"))
        self.client.create("orders")
        with self.assertRaises(grpc.RpcError):
            self.client.get("orders2")
        self.assertEqual(daemon.terminate(), 0)

        lines = [json.loads(line) for line in daemon.log]

        (made,) = [line for line in lines if line["message"].startswith("the queue 'orders' is made")]
        self.assertEqual(set(made), {"time", "level", "message", "entity", "client", "tracking_id"})
        self.assertEqual(made["entity"], "orders")
        self.assertRegex(made["client"], r"^ipv4:127\.0\.0\.1:\d+$")
        self.assertEqual(made["message"], f"the queue 'orders' is made, by {made['client']} "
                                          f"(tracking id {made['tracking_id']})")
        (ready,) = [line for line in lines if "wharfd ready" in line["message"]]
        self.assertEqual(set(ready), {"time", "level", "message"})

    def test_the_trace_of_a_call_stands_beside_what_it_changed(self):
        daemon = self.start(flags=("--log-format", "json"), listen=f"127.0.0.1:0,console://127.0.0.1:0")
        trace = "0af7651916cd43dd8448eb211c80319c"
        parent = f"00-{trace}-b7ad6b7169203331-00"
        create = self.client.management.CreateQueue
        for name, said in (("grpc", parent), ("bad", parent.upper()), ("none", "")):
            create(management_pb2.CreateQueueRequest(queue={"name": name}), timeout=wire.TIMEOUT,
                   metadata=[("traceparent", said)] if said else [])
        console = http.client.HTTPConnection(*self.place_of(daemon, "console"), timeout=wire.TIMEOUT)
        self.addCleanup(console.close)
        console.request("POST", "/api/v1/Management/CreateQueue", '{"queue": {"name": "json"}}',
                        {"X-Wharf-Request": "1", "Content-Type": "application/json", "Traceparent": parent})
        self.assertEqual(console.getresponse().status, 200)
        subprocess.run([daemon_test.WHARF, "--address", daemon.address, "queue", "create", "wharf"], check=True,
                       stdout=subprocess.DEVNULL, env={**os.environ, "TRACEPARENT": parent})
        self.assertEqual(daemon.terminate(), 0)

        lines = [json.loads(line) for line in daemon.log]
        made = {line["entity"]: line for line in lines if " is made, by " in line["message"]}
        self.assertEqual({name: line.get("trace_id") for name, line in made.items()},
                         {"grpc": trace, "bad": None, "none": None, "json": trace, "wharf": trace})
        self.assertTrue(made["grpc"]["message"].endswith(f", trace {trace})"))

    @staticmethod
    def place_of(daemon, kind):
        """The host and the port where it listens."""
        (ready,) = [line for line in daemon.log if "wharfd ready on " in line]
        return re.search(rf"{kind}://(127\.0\.0\.1):(\d+)", ready).groups()

    def test_what_took_long_is_told_with_its_parts(self):
        begin = time.monotonic()
        daemon = self.start(flags=("--slow-operation", "1ms", "--log-format", "json"))
        self.client.create("orders")
        for _ in range(20):  # Not all of them in a millisecond, on any machine.
            self.client.send("orders", *[b"x" * 100_000] * 100)
        self.assertEqual(daemon.terminate(), 0)
        elapsed = time.monotonic() - begin

        slow = [line for line in map(json.loads, daemon.log) if " took " in line["message"]]

        self.assertGreater(len(slow), 0)
        self.assertLessEqual(len(slow), 1 + elapsed, "a line a second")
        for line in slow:
            self.assertRegex(line["message"], r"^a \w+Request on 'orders' from ipv4:\S+ took [\d.]+ m?s: waited [\d.]+ "
                             r"[mu]?s for its turn, planned in [\d.]+ [mu]?s, synced in [\d.]+ [mu]?s, told in [\d.]+ "
                             r"[mu]?s \(tracking id [0-9a-f-]{36}\)( \(and \d+ more like it before\))?$")
            self.assertEqual((line["level"], line["entity"]), ("warning", "orders"))

    def test_what_is_quick_is_not_told(self):
        daemon = self.start(flags=("--slow-operation", "1h"))
        self.client.create("orders")
        self.client.send("orders", *[b"x" * 100_000] * 100)
        self.assertEqual([line for line in self.said(daemon) if " took " in line], [])

    def test_thousands_of_entities_do_not_fill_it(self):
        daemon = self.start()
        for number in range(1100):
            self.client.create(f"q{number}")

        said = self.said(daemon)

        self.assertEqual(len([line for line in said if " is made" in line]), 1000)
        self.assertEqual(len([line for line in said if "1000 changes of entities" in line]), 1)

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

    def test_a_folder_whose_name_has_two_lines_is_told_on_one(self):
        self.data += "\n2026-11-27T08:00:00.000Z info wharfd stopped"
        daemon = self.start()
        self.client.create("orders")

        said = self.said(daemon)

        self.assertEqual(said.count("info wharfd stopped"), 1)
        self.assertEqual(sum("\\x0a2026-11-27T08:00:00.000Z info wharfd stopped" in line for line in said), 2)
        self.assertTrue(os.path.isdir(self.data))

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

    def test_a_folder_that_is_opened_anew_is_no_stop_to_a_supervisor(self):
        """systemd would kill half a minute later what said that it stops."""
        data = f"{self.folder.name}/n1"
        self.assertEqual(wire.Daemon(data).terminate(), 0)
        path = f"{self.folder.name}/notify"
        node = ("--node", "n1", "--peer-listen", f"127.0.0.1:{cluster_nodes.free_port()}", "--insecure")
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as ear:
            ear.bind(path)
            ear.settimeout(wire.TIMEOUT)
            listen = f"127.0.0.1:{cluster_nodes.free_port()}"
            daemon = wire.Daemon(data, listen=listen, flags=node, env={**os.environ, "NOTIFY_SOCKET": path})
            self.addCleanup(daemon.kill)
            self.assertRegex(ear.recv(1000).decode(), "^READY=1\n")

            # A broker's folder becomes that of a cluster.
            subprocess.run([daemon_test.WHARF, "--address", daemon.address, "cluster", "init"], check=True,
                           capture_output=True, timeout=wire.TIMEOUT)

            self.assertRegex(ear.recv(1000).decode(), "^READY=1\n")
            self.assertEqual(daemon.terminate(), 0)
            self.assertRegex(ear.recv(1000).decode(), "^STOPPING=1\n")

    def test_a_supervisor_that_asks_for_it_hears_all_the_time_that_the_broker_lives(self):
        path = f"{self.folder.name}/notify"
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as ear:
            ear.bind(path)
            ear.settimeout(wire.TIMEOUT)
            self.start(env={**os.environ, "NOTIFY_SOCKET": path, "WATCHDOG_USEC": "200000"})

            # Also while it opens its folder, if that takes a while.
            heard = []
            while "READY" not in heard or heard.count("WATCHDOG") < 5:
                heard.append(ear.recv(1000).decode().split("=")[0])
            self.assertEqual(set(heard), {"READY", "WATCHDOG"})


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
