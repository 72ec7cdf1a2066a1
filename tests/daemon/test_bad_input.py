"""Input of every sort: whatever a client sends, the daemon answers in words of its own and goes on."""

import os
import random
import pathlib
import socket
import time
import unittest

import grpc

import daemon_test
import wire
from wire import management_pb2, messaging_pb2, sessions_pb2

SEED = int(os.environ.get("WHARF_SEED", random.SystemRandom().randrange(1 << 32)))
ROUNDS = 60
ITEMS_MAX = 4500  # In a request.
UNREAD_MAX = 8 << 10  # KiB of answers that a stream keeps for a client that does not read

SERVICES = (messaging_pb2.DESCRIPTOR.services_by_name["Messaging"],
            sessions_pb2.DESCRIPTOR.services_by_name["Sessions"],
            management_pb2.DESCRIPTOR.services_by_name["Management"])
STREAMS = {
    "Messaging/SendStream": messaging_pb2.SendStreamRequest,
    "Messaging/ReceiveStream": messaging_pb2.ReceiveStreamRequest,
}
# Every other call of the API, with the type of its request.
UNARY = {f"{service.name}/{method.name}": method.input_type._concrete_class
         for service in SERVICES for method in service.methods if f"{service.name}/{method.name}" not in STREAMS}
# How a call may end: never INTERNAL or UNKNOWN, which would be a failure of the broker.
GOOD_ENDS = {
    grpc.StatusCode.OK, grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.OUT_OF_RANGE, grpc.StatusCode.NOT_FOUND,
    grpc.StatusCode.ALREADY_EXISTS, grpc.StatusCode.FAILED_PRECONDITION, grpc.StatusCode.ABORTED,
    grpc.StatusCode.RESOURCE_EXHAUSTED, grpc.StatusCode.UNIMPLEMENTED, grpc.StatusCode.DEADLINE_EXCEEDED,
    grpc.StatusCode.CANCELLED,
}


class Chance:
    """Messages of any type with values that a schema allows and nobody expects."""

    def __init__(self, seed):
        self._random = random.Random(seed)
        self.session = b""  # A token that is held, now and then to be used.

    def fill(self, message, depth=0):
        for field in message.DESCRIPTOR.fields:
            if self._random.random() < 0.3 or depth > 5:
                continue
            if field.message_type and field.message_type.GetOptions().map_entry:
                self._fill_map(getattr(message, field.name), field.message_type, depth)
            elif field.label == field.LABEL_REPEATED:
                self._fill_list(getattr(message, field.name), field, depth)
            elif field.message_type:
                getattr(message, field.name).SetInParent()
                self.fill(getattr(message, field.name), depth + 1)
            else:
                setattr(message, field.name, self._value(field))
        return message

    def _fill_list(self, values, field, depth):
        for _ in range(self._random.choice((1, 2, 5))):
            if field.message_type:
                self.fill(values.add(), depth + 1)
            else:
                values.append(self._value(field))

    def _fill_map(self, values, entry, depth):
        key = self._value(entry.fields_by_name["key"])
        if entry.fields_by_name["value"].message_type:
            self.fill(values[key], depth + 1)
        else:
            values[key] = self._value(entry.fields_by_name["value"])

    def _value(self, field):
        choose = self._random.choice
        if field.name == "sql_filter" and self._random.random() < 0.8:
            return self._filter()
        if field.name in ("entity_path", "name") and self._random.random() < 0.8:
            return choose(("orders", "orders/$DeadLetterQueue", "ORDERS", "letters", "letters"))
        kinds = {
            field.CPPTYPE_INT32: lambda: choose((0, 1, -1, 2**31 - 1, -2**31)),
            field.CPPTYPE_UINT32: lambda: choose((0, 1, 4501, 2**32 - 1)),
            field.CPPTYPE_INT64: lambda: choose((0, 1, -1, 2**48, 2**63 - 1, -2**63)),
            field.CPPTYPE_UINT64: lambda: choose((0, 1, 2**63, 2**64 - 1)),
            field.CPPTYPE_FLOAT: lambda: choose((0.0, -0.0, float("inf"), float("nan"), 1e-45)),
            field.CPPTYPE_DOUBLE: lambda: choose((0.0, -0.0, float("inf"), float("nan"), 5e-324)),
            field.CPPTYPE_BOOL: lambda: choose((False, True)),
            field.CPPTYPE_ENUM: lambda: choose((0, 1, 99, -1)),
            field.CPPTYPE_STRING: lambda: self._text() if field.type == field.TYPE_STRING else self._bytes(),
        }
        return kinds[field.cpp_type]()

    def _text(self):
        return self._random.choice(("", "x", "\0", "ü" * 200, "/", "$DeadLetterQueue", "a/" * 150, "%s%n{}", "x" * 70000))

    def _filter(self):
        return self._random.choice((
            "1=1", "a = 1", "sys.State = 0", "1 / 0 = 1", "a LIKE '%' ESCAPE ''", "newid() <> newid()", "NOT a IS NULL",
            "sys.Nothing = 1", "a = ", "'", "[", "-" * 1023 + "1", "(" * 1024, "a" * 1025, "\u00fc" * 1024,
            "property('sys.x') = 1", "a = @b", "1 = 1;", "SET a = 1", "'" + "%_" * 500 + "' LIKE '" + "%" * 10 + "'"))

    def _bytes(self):
        return self._random.choice((
            b"", b"x", bytes(16), self._random.randbytes(16), self.session, b"\xff" * 17, bytes(300000)))


class BadInputTest(daemon_test.DaemonTest):

    def setUp(self):
        super().setUp()
        self.daemon = self.start()
        self.fill_queue()

    def fill_queue(self):
        """A queue with a message of every kind, and one with sessions, whatever became of the last ones."""
        self.end_of(lambda: self.client.delete("orders"))
        self.client.create("orders")
        self.client.send("orders", *[b"x"] * 5)
        dead, deferred, delayed, _ = self.client.receive("orders", 4)
        self.client.dead_letter("orders", dead.lock_token)
        self.client.defer("orders", deferred.lock_token)
        self.client.abandon_for("orders", delayed.lock_token, delay=wire.seconds(1000))
        self.client.send("orders", wire.Message(scheduled_enqueue_time={"seconds": 253_000_000_000}))
        self.end_of(lambda: self.client.delete("letters"))
        self.client.create("letters", requires_session=True)
        self.client.send("letters", *[wire.message_in(session, b"x") for session in ("x", "x", "red", "blue")])
        self.session = self.client.sessions.accept("letters", "red").session_lock_token

    def assert_well(self):
        """It lives, serves new connections, and has not complained of itself."""
        client = self.connect(self.daemon)
        client.create("afterwards")
        self.assertEqual(client.send("afterwards", b"x")[0].sequence_number, 1)
        self.assertEqual(client.receive_one("afterwards").message.body, b"x")
        self.assertEqual(self.daemon.terminate(), 0)
        self.assertEqual([line for line in self.daemon.log if " error " in line], [])

    def end_of(self, call):
        try:
            call()
            return grpc.StatusCode.OK
        except grpc.RpcError as error:
            return error.code()

    def test_bytes_that_are_no_http(self):
        host, port = self.daemon.address.rsplit(":", 1)
        preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
        for garbage in (b"", b"\0", b"GET / HTTP/1.1\r\n\r\n", b"\x16\x03\x01\x02\0" + bytes(512), preface[:10], preface,
                        preface + b"\xff" * 9, preface + b"\0\0\0\4\0\0\0\0\0" + os.urandom(4096),
                        preface + b"\0\x40\0\1\4\0\0\0\1" + bytes(16384), os.urandom(1 << 16)):
            with self.subTest(garbage=garbage[:40]), socket.create_connection((host, int(port)), wire.TIMEOUT) as plug:
                try:
                    plug.sendall(garbage)
                    plug.shutdown(socket.SHUT_WR)
                    while plug.recv(4096):
                        pass
                except OSError:
                    pass  # It need not listen to the end.

        self.assert_well()

    def test_half_a_request_and_then_nothing(self):
        half = socket.create_connection(tuple(self.daemon.address.rsplit(":", 1)), wire.TIMEOUT)
        self.addCleanup(half.close)
        half.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0")

        self.assert_well()

    def test_bytes_that_are_no_message(self):
        chance = random.Random(SEED)
        print(f"seed {SEED}")
        for method in UNARY:
            call = self.client.channel.unary_unary(f"/wharf.v1.{method}")
            for length in (1, 2, 10, 1000, 100000):
                end = self.end_of(lambda: call(chance.randbytes(length), timeout=wire.TIMEOUT))
                self.assertIn(end, GOOD_ENDS, method)

        self.assert_well()

    def test_texts_that_are_no_filter(self):
        words = ("a", "sys.State", "sys.", "=", "<>", "(", ")", "AND", "OR", "NOT", "NULL", "IS", "LIKE", "ESCAPE", "IN",
                 ",", "'x'", "'", '"', "[", "]", "1", "1e999", "9" * 30, "/", "0", "-", "@p", "newid()", "property(",
                 "\0", "\u00fc", ";")
        chance = random.Random(SEED)
        print(f"seed {SEED}")
        refused = 0
        for _ in range(ROUNDS * 10):
            text = chance.choice(("", " ")).join(chance.choices(words, k=chance.choice((1, 3, 5, 9, 400))))
            ends = {self.end_of(lambda: self.client.peek("orders", sql=text)),
                    self.end_of(lambda: self.client.delete_selected(
                        "orders/$DeadLetterQueue", selection={"sql_filter": text}, dry_run=True))}
            self.assertLessEqual(ends, {grpc.StatusCode.OK, grpc.StatusCode.INVALID_ARGUMENT,
                                        grpc.StatusCode.RESOURCE_EXHAUSTED}, text)
            refused += grpc.StatusCode.INVALID_ARGUMENT in ends
        self.assertGreater(refused, ROUNDS)

        self.assert_well()

    def test_filters_that_take_long(self):
        """What they may cost is bounded, and others go on."""
        self.client.send("orders", *[wire.Message(application_properties={
            "a": wire.Value(string_value="ab" * 8000)})] * 40)
        texts = ["a LIKE '" + "%a_b" * 250 + "c'", "a LIKE a", "a + a + a + a + a = 'x'",
                 " OR ".join(["a LIKE '%b%c%'"] * 50), " OR ".join(["a = ''"] * 100), "NOT " * 250 + "a = 'x'",
                 "(" * 500 + "1=1" + ")" * 500]
        for text in texts:
            self.client.send("orders", b"x")
            start, pages = 0, 0
            while start is not None:
                self.assertLessEqual(len(text), 1024)
                page = self.client.peek("orders", start, sql=text)
                start = page.next_sequence_number if page.HasField("next_sequence_number") else None
                pages += 1
            self.assertLess(pages, 100, text[:40])

        self.assert_well()

    def test_messages_that_nobody_expects(self):
        chance = Chance(SEED)
        print(f"seed {SEED}")
        for method, request in UNARY.items():
            self.fill_queue()
            chance.session = self.session
            call = self.client.channel.unary_unary(f"/wharf.v1.{method}", request.SerializeToString)
            for _ in range(ROUNDS):
                message = chance.fill(request())
                if method in ("Messaging/Receive", "Sessions/AcceptSession"):
                    message.ClearField("max_wait")  # Nobody has the time.
                end = self.end_of(lambda: call(message, timeout=wire.TIMEOUT))
                self.assertIn(end, GOOD_ENDS, f"{method}: {str(message)[:2000]}")

        self.assert_well()

    def test_streams_of_messages_that_nobody_expects(self):
        chance = Chance(SEED)
        print(f"seed {SEED}")
        for method, request in STREAMS.items():
            self.fill_queue()
            chance.session = self.session
            call = self.client.channel.stream_stream(f"/wharf.v1.{method}", request.SerializeToString)
            for _ in range(ROUNDS):
                requests = [chance.fill(request()) for _ in range(5)]
                end = self.end_of(lambda: list(call(iter(requests), timeout=wire.TIMEOUT)))
                self.assertIn(end, GOOD_ENDS, f"{method}: {str(requests)[:2000]}")

        self.assert_well()

    def test_verbs_in_an_order_that_makes_no_sense(self):
        Start, Credit = messaging_pb2.ReceiveStart, messaging_pb2.ReceiveCredit
        start = {"start": Start(entity_path="orders")}
        sessions = {"start": Start(entity_path="letters", many_sessions=messaging_pb2.ManySessions())}
        drain, stop = {"drain": messaging_pb2.ReceiveDrain()}, {"stop": messaging_pb2.ReceiveStop()}
        for verbs in ([drain], [stop], [{"grant": Credit(messages=1)}], [{}], [start, start], [start, {}],
                      [start, stop, stop, drain, drain], [start, {"revoke": Credit(messages=2**32 - 1)}, drain],
                      [start, *[{"grant": Credit(messages=2**32 - 1, bytes=2**64 - 1)}] * 3, drain, stop],
                      [sessions, stop, {"grant": Credit(messages=9)}, drain], [sessions, start], [sessions, sessions],
                      [sessions, {"grant": Credit(messages=9, bytes=0)}, drain, {"revoke": Credit(messages=9)}, stop]):
            requests = [messaging_pb2.ReceiveStreamRequest(**verb) for verb in verbs]
            end = self.end_of(lambda: list(self.client.messaging.ReceiveStream(iter(requests), timeout=wire.TIMEOUT)))
            self.assertIn(end, GOOD_ENDS, verbs)

        header = messaging_pb2.LargeMessageHeader(entity_path="orders", message=wire.as_message(b""), body_size=2 << 20)
        chunk = messaging_pb2.MessageChunk(data=bytes(1000))
        send = messaging_pb2.SendRequest(entity_path="orders", messages=[wire.as_message(b"x")])
        negative = messaging_pb2.LargeMessageHeader(entity_path="orders", body_size=-1)
        for parts in ([{"chunk": chunk}], [{"header": header}], [{"header": header}, {"header": header}],
                      [{"header": header}, {"send": send}], [{"header": negative}, {"chunk": chunk}], [{}],
                      [{"header": header}, *[{"chunk": messaging_pb2.MessageChunk()}] * 3]):
            requests = [messaging_pb2.SendStreamRequest(**part) for part in parts]
            end = self.end_of(lambda: list(self.client.messaging.SendStream(iter(requests), timeout=wire.TIMEOUT)))
            self.assertIn(end, GOOD_ENDS, parts)

        self.assert_well()

    def assert_ends_as_one(self, stream):
        """Behind the answer to the request before."""
        self.assertLess(stream.read().ByteSize(), 1000)
        with self.assertRaises(grpc.RpcError) as caught:
            stream.read()
        stream.writes_done()
        self.assertEqual(caught.exception.code(), grpc.StatusCode.OUT_OF_RANGE)
        info = wire.error_info(wire.status_of(caught.exception))
        self.assertEqual((info.reason, info.metadata["outcome"]), ("ArgumentOutOfRange", "not-done"))
        self.assertIn("at most 4500", caught.exception.details())

    def test_more_items_than_a_request_may_have_end_a_stream(self):
        """They are refused as one: not each of them, which would be a hundred times what was sent."""
        for many in (ITEMS_MAX + 1, 400_000):
            for refused in (lambda stream, tokens: stream.settle(2, tokens, complete=messaging_pb2.Complete()),
                            lambda stream, tokens: stream.renew(2, tokens)):
                stream = wire.ReceiveStream(self.client, "orders")
                stream.expect("started")
                stream.settle(1, [wire.UNKNOWN_TOKEN], complete=messaging_pb2.Complete())
                refused(stream, [b"x"] * many)
                self.assert_ends_as_one(stream)

        for many in (ITEMS_MAX + 1, 60_000):
            stream = wire.Stream(self.client.messaging.SendStream)
            for count in (1, many):
                stream.write(send_of("orders", count))
            self.assert_ends_as_one(stream)

        self.assert_well()

    def test_as_many_as_it_may_have_do_not(self):
        stream = wire.ReceiveStream(self.client, "orders")
        stream.settle(1, [b"x"] * ITEMS_MAX, complete=messaging_pb2.Complete())
        stream.renew(2, [b"x"] * ITEMS_MAX)
        stream.expect("started")
        self.assertEqual(len(stream.expect("settled").failures), ITEMS_MAX)
        self.assertEqual(len(stream.expect("renewed").results), ITEMS_MAX)
        stream.cancel()

        self.assert_well()

    def assert_unread_answers_are_bounded(self, method, requests):
        """Ten times as many answers as a stream keeps; they all come when they are read."""
        peak = self.daemon.peak_memory()
        stream = wire.Stream(self.client.channel.stream_stream(  # The answers as bytes.
            f"/wharf.v1.Messaging/{method}", lambda request: request.SerializeToString()))
        for request in requests:
            stream.write(request)
        wait_until_idle(self.daemon)

        self.assertLess(self.daemon.peak_memory() - peak, 6 * UNREAD_MAX)
        answers = [stream.read() for _ in range(len(requests))]
        self.assertGreater(sum(map(len, answers)) >> 10, 10 * UNREAD_MAX)
        self.assertLess(self.daemon.peak_memory() - peak, 6 * UNREAD_MAX)
        stream.cancel()

    def test_answers_that_nobody_reads_are_bounded(self):
        start = messaging_pb2.ReceiveStreamRequest(start=messaging_pb2.ReceiveStart(entity_path="orders"))
        tokens = [b"x"] * ITEMS_MAX
        settle = messaging_pb2.ReceiveStreamRequest(settle=messaging_pb2.StreamSettle(
            settlement=messaging_pb2.Settlement(lock_tokens=tokens, complete=messaging_pb2.Complete())))
        renew = messaging_pb2.ReceiveStreamRequest(renew_lock=messaging_pb2.StreamRenewLock(lock_tokens=tokens))
        self.assert_unread_answers_are_bounded("ReceiveStream", [start, *[settle, renew] * 45])
        self.assert_unread_answers_are_bounded("SendStream", [send_of("nowhere", ITEMS_MAX)] * 80)

        self.assert_well()


def send_of(path, count):
    """A request of a stream with so many empty messages."""
    return messaging_pb2.SendStreamRequest(
        send=messaging_pb2.SendRequest(entity_path=path, messages=[wire.Message()] * count))


def wait_until_idle(daemon):
    """It has done what it does as long as nobody reads."""
    used = None
    while used != (now := processor_ticks(daemon)):
        used = now
        time.sleep(1)


def processor_ticks(daemon):
    fields = pathlib.Path(f"/proc/{daemon.pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) // 20  # It looks after itself now and then.


if __name__ == "__main__":
    unittest.main()
