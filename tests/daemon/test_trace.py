"""What it tells to who collects traces: spans of messages, over HTTP or in a file, and never at the cost of clients."""

import http.server
import json
import pathlib
import socket
import ssl
import threading
import time

import grpc

import certificates
import daemon_test
import operations
import wire
from wire import messaging_pb2

TRACE = "0af7651916cd43dd8448eb211c80319c"
PARENT = "b7ad6b7169203331"
SAMPLED = f"00-{TRACE}-{PARENT}-01"


class Collector:
    """A receiver of OTLP over HTTP that writes down what it gets, and answers with this status."""

    def __init__(self, status=200, identity=None):
        self._has_more = threading.Condition()
        self._requests = []
        collector = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):  # pylint: disable=invalid-name
                body = self.rfile.read(int(self.headers["Content-Length"]))
                with collector._has_more:
                    collector._requests.append((self.path, self.headers["Content-Type"], json.loads(body)))
                    collector._has_more.notify_all()
                self.send_response(status)
                self.end_headers()

            def log_message(self, *_):  # pylint: disable=arguments-differ
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self._server.server_address[1]
        self.url = f"{'https' if identity else 'http'}://127.0.0.1:{self.port}"
        if identity:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(identity.certificate, identity.key)
            # Of a handshake that fails only its own thread hears.
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True,
                                                      do_handshake_on_connect=False)
        self._server.handle_error = lambda *_: None
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))
        self._thread.start()

    def close(self):
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def requests(self):
        with self._has_more:
            return list(self._requests)

    def wait_for(self, count):
        """So many spans, in the order of their start."""
        with self._has_more:
            found = self._has_more.wait_for(lambda: len(self._spans()) >= count, wire.TIMEOUT)
            assert found, self._spans()
            return sorted(self._spans(), key=order_of)

    def _spans(self):
        return [span for _, _, request in self._requests for span in spans_of(request)]


def spans_of(request):
    return [span for part in request["resourceSpans"] for scope in part["scopeSpans"] for span in scope["spans"]]


def order_of(span):
    """By its start; those of one turn in the order of a message's way."""
    return int(span["startTimeUnixNano"]), ("send", "wait", "deliver").index(span["name"].split()[0])


def attributes(holder):
    return {each["key"]: each["value"]["stringValue"] for each in holder["attributes"]}


def message(name="m1", **properties):
    """One that says these application properties, "_" for "-"."""
    values = {key.replace("_", "-"): wire.Value(string_value=value) for key, value in properties.items()}
    return wire.Message(body=b"x", message_id=name, application_properties=values)


class TraceTest(daemon_test.DaemonTest):

    def collect(self, status=200, identity=None):
        collector = Collector(status, identity)
        self.addCleanup(collector.close)
        return collector

    def start_with(self, **keys):
        flags = [part for key, value in keys.items() for part in ("--" + key.replace("_", "-"), value)]
        daemon = self.start(listen=operations.PLACES, flags=flags)
        self.port = operations.port_of(daemon)
        return daemon

    def metric(self, series):
        _, _, text = operations.get(self.port, "/metrics")
        (value,) = [line.rsplit(" ", 1)[1] for line in text.splitlines() if line.rsplit(" ", 1)[0] == series]
        return int(value)

    def pass_through(self, path, *messages):
        """Sends, receives and completes them."""
        self.client.send(path, *messages)
        received = self.client.receive_all(path, len(messages))
        self.client.complete(path, *[each.lock_token for each in received])
        return received

    def test_spans_of_a_message_arrive(self):
        collector = self.collect()
        self.start_with(trace_otlp_endpoint=collector.url)
        self.client.create("orders")
        before = time.time_ns()

        self.pass_through("orders", message(traceparent=SAMPLED, tracestate="shop=1"))
        send, wait, delivery = collector.wait_for(3)

        self.assertEqual([span["name"] for span in (send, wait, delivery)],
                         ["send orders", "wait orders", "deliver orders"])
        for span in (send, wait, delivery):
            self.assertEqual((span["traceId"], span["parentSpanId"], span["traceState"]), (TRACE, PARENT, "shop=1"))
            self.assertRegex(span["spanId"], "^[0-9a-f]{16}$")
            self.assertLess(abs(int(span["startTimeUnixNano"]) - before), 60 * 10**9)
            self.assertLessEqual(int(span["startTimeUnixNano"]), int(span["endTimeUnixNano"]))
            self.assertEqual(span["status"], {})
        self.assertEqual(len({span["spanId"] for span in (send, wait, delivery)}), 3)
        self.assertEqual(wait["endTimeUnixNano"], delivery["startTimeUnixNano"])
        self.assertEqual(attributes(delivery), {
            "messaging.system": "wharf", "messaging.destination.name": "orders", "messaging.message.id": "m1",
            "messaging.operation.name": "deliver", "messaging.operation.type": "receive",
            "messaging.servicebus.disposition_status": "complete"})
        for path, kind, request in collector.requests():
            self.assertEqual((path, kind), ("/v1/traces", "application/json"))
            self.assertEqual(attributes(request["resourceSpans"][0]["resource"])["service.name"], "wharfd")
        self.wait_until(lambda: self.metric("wharf_trace_spans_total") == 3)

    def test_only_what_is_recorded_is_told(self):
        collector = self.collect()
        daemon = self.start_with(trace_otlp_endpoint=collector.url)
        self.client.create("orders")

        self.pass_through("orders", message("none"), message("off", traceparent=SAMPLED[:-2] + "00"),
                          message("bad", traceparent=SAMPLED.upper()), message("long", traceparent="0" * 60_000),
                          message("old", Diagnostic_Id=SAMPLED))
        self.assertEqual(daemon.terminate(), 0)  # It delivers what there is.

        told = [attributes(span)["messaging.message.id"] for span in collector.wait_for(3)]
        self.assertEqual(told, ["old"] * 3)

    def test_a_topic_and_a_refusal(self):
        collector = self.collect()
        self.start_with(trace_otlp_endpoint=collector.url + "/in", trace_sample="all")
        self.client.topics.create("sales")
        path = self.client.topics.subscribe("sales", "all")
        self.client.send("sales", message(traceparent=SAMPLED[:-2] + "00"))
        self.client.receive_one(path)

        send, wait = collector.wait_for(2)

        self.assertEqual(attributes(send)["messaging.destination.name"], "sales")
        self.assertEqual(attributes(wait)["messaging.destination.name"], "sales")
        self.assertEqual(attributes(wait)["messaging.destination.subscription.name"], "all")
        with self.assertRaises(grpc.RpcError):
            self.client.send("nowhere", message(traceparent=SAMPLED))
        send = collector.wait_for(3)[-1]
        self.assertEqual((send["name"], send["status"]["code"]), ("send nowhere", 2))
        self.assertEqual(attributes(send)["error.type"], "MessagingEntityNotFound")
        self.assertEqual({where for where, _, _ in collector.requests()}, {"/in"})

    # OTH-4
    def test_what_a_message_says_comes_through_unchanged(self):
        self.start_with(trace_file=f"{self.folder.name}/spans")
        self.client.create("end")
        self.client.create("begin", forward_to="end")
        self.client.topics.create("sales")
        path = self.client.topics.subscribe("sales", "all")
        sent = message(traceparent=SAMPLED, tracestate="shop=1", Diagnostic_Id="|old.1.")

        self.client.send("begin", sent)
        forwarded = self.client.receive_one("end")
        self.client.dead_letter("end", forwarded.lock_token)
        dead = self.client.receive_one("end/$DeadLetterQueue")
        self.client.send("sales", sent)
        copy = self.client.receive_one(path)

        for received in (forwarded, dead, copy):
            properties = received.message.application_properties
            for name, value in sent.application_properties.items():
                self.assertEqual(properties[name], value, name)
        self.assertEqual(set(forwarded.message.application_properties), set(sent.application_properties))

    def test_a_receiver_that_never_answers_holds_nobody_up(self):
        silent = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(silent.close)
        daemon = self.start_with(trace_otlp_endpoint=f"http://127.0.0.1:{silent.getsockname()[1]}")
        self.client.create("orders")
        batch = [message(traceparent=SAMPLED)] * 4000

        while self.metric('wharf_trace_spans_dropped_total{reason="full"}') == 0:
            self.client.send("orders", *batch)
        self.wait_until(lambda: self.metric('wharf_trace_spans_dropped_total{reason="failed"}') > 0)

        self.client.complete("orders", self.client.receive_one("orders").lock_token)
        self.assertEqual(self.metric("wharf_trace_spans_total"), 0)
        begun = time.monotonic()
        self.assertEqual(daemon.terminate(), 0)
        self.assertLess(time.monotonic() - begun, 20)  # Not 2 s for each batch that is left.
        self.assertEqual(len([line for line in daemon.log if "spans are lost: 127.0.0.1:" in line]), 1, daemon.log)

    def test_a_receiver_that_refuses_is_told_of(self):
        collector = self.collect(status=503)
        daemon = self.start_with(trace_otlp_endpoint=collector.url)
        self.client.create("orders")
        self.client.send("orders", message(traceparent=SAMPLED))

        self.wait_until(lambda: self.metric('wharf_trace_spans_dropped_total{reason="failed"}') == 1)

        self.assertEqual(daemon.terminate(), 0)
        (line,) = [line for line in daemon.log if "spans are lost" in line]
        self.assertRegex(line, r"warning 1 spans are lost: 127\.0\.0\.1:\d+: it answers 503 Service Unavailable$")

    def test_spans_leave_under_tls_for_who_is_vouched_for(self):
        authority = certificates.Authority(self.folder.name)
        collector = self.collect(identity=authority.sign("collector"))
        self.start_with(trace_otlp_endpoint=collector.url, trace_otlp_ca=str(authority.certificate))
        self.client.create("orders")

        self.pass_through("orders", message(traceparent=SAMPLED))

        self.assertEqual([span["name"] for span in collector.wait_for(3)],
                         ["send orders", "wait orders", "deliver orders"])
        self.wait_until(lambda: self.metric("wharf_trace_spans_total") == 3)

    def test_nothing_is_told_to_who_is_not_the_one(self):
        authority = certificates.Authority(self.folder.name)
        stranger = certificates.Authority(self.folder.name, "stranger")
        trusted = {"trace_otlp_ca": str(authority.certificate)}
        for number, (identity, keys, why) in enumerate((
                (stranger.sign("other"), trusted, "certificate verify failed"),
                (authority.sign("elsewhere", names="DNS:elsewhere"), trusted, "certificate verify failed"),
                (authority.sign("old", days=-1), trusted, "certificate verify failed"),
                (authority.sign("mine"), {}, "certificate verify failed"),  # Nobody said that it is believed.
                (None, trusted, "wrong version number|packet length|unexpected|record"))):
            collector = self.collect(identity=identity)
            self.data = f"{self.folder.name}/{number}"
            with self.subTest(number=number):
                daemon = self.start_with(trace_otlp_endpoint=f"https://127.0.0.1:{collector.port}", **keys)
                self.client.create("orders")
                self.client.send("orders", message(traceparent=SAMPLED))
                self.wait_until(lambda: self.metric('wharf_trace_spans_dropped_total{reason="failed"}') == 1)
                self.assertEqual(daemon.terminate(), 0)
                (line,) = [line for line in daemon.log if "spans are lost" in line]
                self.assertRegex(line, rf"warning 1 spans are lost: 127\.0\.0\.1:{collector.port}: .*({why})")
                self.assertEqual(collector.requests(), [])

    def test_an_authority_that_is_none_is_said_at_the_start(self):
        nothing = pathlib.Path(self.folder.name, "nothing.pem")
        nothing.write_text("nothing\n", encoding="ascii")
        for name in (str(nothing), "/nowhere/ca.pem"):
            with self.assertRaisesRegex(AssertionError, f"error wharfd ends: .*{name}: it has no certificate in PEM"):
                self.start_with(trace_otlp_endpoint="https://127.0.0.1:1", trace_otlp_ca=name)

    def test_a_file_gets_a_request_a_line(self):
        path = pathlib.Path(self.folder.name) / "spans"
        daemon = self.start_with(trace_file=str(path))
        self.client.create("orders")
        self.pass_through("orders", message("a", traceparent=SAMPLED), message("b", traceparent=SAMPLED))
        self.assertEqual(daemon.terminate(), 0)

        spans = [span for line in path.read_text().splitlines() for span in spans_of(json.loads(line))]

        self.assertEqual(sorted(span["name"] for span in spans),
                         ["deliver orders"] * 2 + ["send orders"] * 2 + ["wait orders"] * 2)
        self.assertEqual({span["traceId"] for span in spans}, {TRACE})
        self.assertEqual(path.stat().st_mode & 0o777, 0o600)

    def test_a_file_that_cannot_be_is_said_at_the_start(self):
        with self.assertRaisesRegex(AssertionError, "error wharfd ends: cannot write spans to /nowhere/spans: No such"):
            self.start_with(trace_file="/nowhere/spans")

    def test_receive_and_delete_is_a_delivery_too(self):
        collector = self.collect()
        self.start_with(trace_otlp_endpoint=collector.url)
        self.client.create("orders")
        self.client.send("orders", message(traceparent=SAMPLED))
        self.client.receive("orders", wait=30, mode=messaging_pb2.RECEIVE_MODE_RECEIVE_AND_DELETE)

        delivery = collector.wait_for(3)[-1]

        self.assertEqual(delivery["name"], "deliver orders")
        self.assertNotIn("messaging.servicebus.disposition_status", attributes(delivery))
