"""The streams of the gRPC API as WebSockets of JSON: what they carry, who may have one, and how they end."""

import base64
import ssl
import time

import access_calls
import daemon_test
import test_access
import test_clients
import test_console
import wire
from access_calls import make_token
from json_stream import JsonStream
from test_console import PLACES, ConsoleTest, port_of
from web_socket import CLOSE, PING, PONG, TEXT, Refused

CHUNK = 256 * 1024
UNAUTHENTICATED, UNAVAILABLE, INVALID_ARGUMENT = 4016, 4014, 4003


def text_of(body):
    return base64.b64encode(body).decode()


def send_of(number, *bodies, path="q"):
    return {"requestId": str(number), "send": {"entityPath": path, "messages": [{"body": text_of(body)} for body in bodies]}}


class StreamTest(ConsoleTest):

    def setUp(self):
        super().setUp()
        self.serve()
        self.client.create("q")

    def open(self, method, **fields):
        stream = JsonStream(self.port, f"Messaging/{method}", **fields)
        self.addCleanup(stream.close)
        return stream

    def receiver(self, **start):
        stream = self.open("ReceiveStream")
        stream.say({"start": {"entityPath": "q", **start}})
        self.assertIn("started", stream.hear())
        return stream

    def next_of(self, receiver, kind):
        while True:
            heard = receiver.hear()
            self.assertIsInstance(heard, dict)
            if kind in heard:
                return heard[kind]

    def test_what_a_stream_sends_another_receives_and_settles(self):
        sender, receiver = self.open("SendStream"), self.receiver()
        receiver.say({"grant": {"messages": 10}})
        for number in range(1, 4):
            sender.say(send_of(number, b"body %d" % number))
        self.assertEqual([sender.hear()["requestId"] for _ in range(3)], ["1", "2", "3"])

        messages = []
        while len(messages) < 3:
            messages += self.next_of(receiver, "deliveries")["messages"]
        self.assertEqual([base64.b64decode(message["message"]["body"]) for message in messages],
                         [b"body 1", b"body 2", b"body 3"])
        receiver.say({"settle": {"requestId": "9", "settlement": {
            "lockTokens": [message["lockToken"] for message in messages], "complete": {}}}})
        settled = self.next_of(receiver, "settled")
        self.assertEqual((settled["requestId"], settled["settled"]), ("9", 3))
        self.assertEqual(self.client.runtime("q").total_message_count, 0)

    def test_a_large_message_goes_in_chunks_both_ways(self):
        self.client.create("large", max_message_size_in_kilobytes=102400)
        body = bytes(range(256)) * (5 * CHUNK // 256) + b"end"
        sender = self.open("SendStream")
        sender.say({"requestId": "1", "header": {
            "entityPath": "large", "message": {"messageId": "m"}, "bodySize": str(len(body))}})
        for at in range(0, len(body), CHUNK):
            sender.say({"requestId": "1", "chunk": {"data": text_of(body[at:at + CHUNK])}})
        receipt = sender.hear()
        self.assertEqual(receipt["results"][0]["sequenceNumber"], "1")

        receiver = self.receiver(entityPath="large", mode="RECEIVE_MODE_RECEIVE_AND_DELETE")
        receiver.say({"grant": {"messages": 1}})
        self.assertEqual(self.next_of(receiver, "header")["message"]["message"]["messageId"], "m")
        heard = b""
        while len(heard) < len(body):
            heard += base64.b64decode(self.next_of(receiver, "chunk")["data"])
        self.assertEqual(heard, body)

    def test_an_empty_text_ends_the_requests_and_all_of_them_are_answered(self):
        sender = self.open("SendStream")
        for number in range(100):
            sender.say(send_of(number, b"x"))
        sender.end_requests()

        self.assertEqual([sender.hear()["requestId"] for _ in range(100)], [str(number) for number in range(100)])
        self.assertEqual(sender.hear_end(), (None, 1000))

    def test_a_text_that_is_no_request_ends_it_behind_the_answers(self):
        for wrong, place in ((b"{", "it breaks off"), (b'{"requestIt": 1}', "requestIt: there is no such field"),
                             (b'{"send": {"messages": [{"body": "!"}]}}', "send.messages[0].body")):
            with self.subTest(wrong):
                sender = self.open("SendStream")
                sender.say(send_of(1, b"x"))
                sender.say(wrong)
                self.assertEqual(sender.hear()["requestId"], "1")
                error, code = sender.hear_end()
                self.assertIn(place, error["message"])
                self.assertEqual((error["code"], code), ("ArgumentError", INVALID_ARGUMENT))

    def test_an_error_of_the_broker_ends_it_in_its_words(self):
        receiver = self.open("ReceiveStream")
        receiver.say({"start": {"entityPath": "none"}})
        error, code = receiver.hear_end()
        self.assertEqual((error["code"], error["status"], code), ("MessagingEntityNotFound", "NOT_FOUND", 4005))
        self.assertRegex(error["trackingId"], r"^[0-9a-f-]{36}$")

    def test_what_is_no_stream_is_told_what_it_should_be(self):
        answer = self.ask("Messaging/SendStream", {})
        self.assertEqual((answer.status, answer.headers["Upgrade"]), (426, "websocket"))
        with self.assertRaises(Refused) as raised:
            self.open("SendStream", Sec_WebSocket_Protocol="amqp")
        self.assertEqual(raised.exception.status, 400)
        with self.assertRaises(Refused) as raised:
            self.open("Send")
        self.assertEqual(raised.exception.status, 405)
        self.assertNotIn("Sec-WebSocket-Protocol", self.open("SendStream", Sec_WebSocket_Protocol=None).head)

    def test_a_ping_is_answered_while_a_stream_waits(self):
        receiver = self.receiver()
        receiver.send(b"there?", PING)
        self.assertEqual(receiver.receive(), (PONG, b"there?"))
        receiver.send(b"\x03\xe8", CLOSE)
        self.assertEqual(receiver.receive(), (CLOSE, b"\x03\xe8"))

    def test_a_client_that_goes_ends_its_stream(self):
        """Else it would get the next message, whenever that comes; how soon it ends is nobody's promise."""
        def round_of_one():
            self.client.create("one")
            receiver = self.receiver(entityPath="one")
            receiver.say({"grant": {"messages": 1}})
            receiver.send(b"p", PING)
            self.assertEqual(receiver.receive(), (PONG, b"p"))
            receiver.close()
            self.client.create("another")  # A turn of the broker.
            self.client.delete("another")
            self.client.send("one", b"x")
            received = self.client.receive("one")
            self.client.delete("one")
            self.assertEqual(len(received), 1)
        daemon_test.wait_for(round_of_one, AssertionError)

    def test_a_slow_reader_is_waited_for_with_bounded_memory(self):
        """Two hundred MiB wait for one that reads nothing; the others go on."""
        self.client.create("much")
        for _ in range(20):
            self.client.send("much", *[b"y" * 500_000] * 10)
        before = self.daemon.peak_memory()
        slow = [self.receiver(entityPath="much") for _ in range(20)]
        for stream in slow:
            stream.say({"grant": {"messages": 1000}})
        quick = self.receiver()
        quick.say({"grant": {"messages": 1}})
        self.client.send("q", b"x")
        self.assertEqual(len(self.next_of(quick, "deliveries")["messages"]), 1)
        self.assertLess(self.daemon.peak_memory() - before, 400 * 1024)

    def test_a_stop_ends_a_stream_with_its_reason(self):
        sender, receiver = self.open("SendStream"), self.receiver()
        sender.say(send_of(1, b"x"))
        self.assertEqual(sender.hear()["requestId"], "1")
        began = time.monotonic()
        self.assertEqual(self.daemon.terminate(), 0)
        self.assertLess(time.monotonic() - began, 5)
        for stream in (sender, receiver):
            error, code = stream.hear_end()
            self.assertEqual((error["code"], error["outcome"], code),
                             ("ServiceCommunicationProblem", "not-done", UNAVAILABLE))


class StreamRightsTest(test_access.AccessTest):

    def setUp(self):
        super().setUp()
        self.start_on(listen=PLACES)
        self.port = port_of(self.daemon)
        self.root.create("q")

    def open(self, method, **fields):
        stream = JsonStream(self.port, f"Messaging/{method}", **fields)
        self.addCleanup(stream.close)
        return stream

    def test_a_page_brings_its_session_among_the_sub_protocols(self):
        rule = self.root.make_rule("q", "sender", "Send")
        session = test_console.ask(self.port, "session", {"keyName": "sender", "key": rule.primary_key,
                                                          "entityPath": "q"}).json["session"]
        own = f"http://127.0.0.1:{self.port}"
        host = {"Host": f"127.0.0.1:{self.port}"}
        sender = self.open("SendStream", Origin=own, **host,
                           Sec_WebSocket_Protocol=f"wharf.v1.json, wharf.session.{session}")
        self.assertIn("Sec-WebSocket-Protocol: wharf.v1.json\r\n", sender.head)
        sender.say(send_of(1, b"x"))
        self.assertEqual(sender.hear()["results"][0]["sequenceNumber"], "1")

        for fields in ({"Origin": "http://evil.example", **host}, {"Origin": own, "Host": "evil.example"}):
            with self.assertRaises(Refused) as raised:
                self.open("SendStream", Sec_WebSocket_Protocol=f"wharf.v1.json, wharf.session.{session}", **fields)
            self.assertEqual(raised.exception.status, 403)
        for protocols in ("wharf.v1.json", f"wharf.v1.json, wharf.session.{session[:-1]}"):
            with self.assertRaises(Refused) as raised:
                self.open("SendStream", Sec_WebSocket_Protocol=protocols)
            self.assertEqual(raised.exception.status, 401)

    def test_who_signs_out_has_no_stream_any_more(self):
        session = test_console.ask(self.port, "session", {
            "keyName": "RootManageSharedAccessKey", "key": self.root_key()}).json["session"]
        receiver = self.open("ReceiveStream", Sec_WebSocket_Protocol=f"wharf.v1.json, wharf.session.{session}")
        receiver.say({"start": {"entityPath": "q"}})
        self.assertIn("started", receiver.hear())
        test_console.ask(self.port, "session", method="DELETE", headers={"Authorization": f"Session {session}"})
        error, code = receiver.hear_end()
        self.assertEqual((error["code"], code), ("Unauthorized", UNAUTHENTICATED))

    def test_a_stream_ends_within_a_second_after_its_key(self):
        rule = self.root.make_rule("q", "l", "Listen")
        receiver = self.open("ReceiveStream", Authorization=make_token("sb://host/q", "l", rule.primary_key))
        receiver.say({"start": {"entityPath": "q"}})
        self.assertIn("started", receiver.hear())

        self.root.rotate("q", "l")
        rotated = time.monotonic()

        error, code = receiver.hear_end()
        self.assertEqual((error["code"], code), ("Unauthorized", UNAUTHENTICATED))
        self.assertLess(time.monotonic() - rotated, 2.0)


class StreamMatrixTest(test_access.Matrix):

    def test_both_streams_asked_as_everybody(self):
        self.start_on("--clock=manual", listen=PLACES)
        port = port_of(self.daemon)
        streams = {name: line for name, line in access_calls.METHODS.items() if "Stream" in name}
        self.assertEqual(len(streams), 3)
        self.ask_everything(lambda *call: access_calls.ask_json_stream(port, *call), streams)


class StreamOverTlsTest(test_clients.ClientsTest):

    def test_a_cookie_is_enough_for_the_console_s_own_page(self):
        self.start_with("certificate:CN=shop -> #shop", flags=("--listen", "console+tls://127.0.0.1:0"))
        port = port_of(self.daemon, "console+tls")
        context = ssl.create_default_context(cafile=str(self.authority.certificate))
        own = f"https://localhost:{port}"
        given = {"keyName": "RootManageSharedAccessKey", "key": self.root_key}
        answer = test_console.ask(port, "session", given, context=context, headers={"Origin": f"https://127.0.0.1:{port}"})
        cookie = answer.headers["Set-Cookie"].split("; ")[0]
        fields = {"Host": f"localhost:{port}", "Cookie": cookie}
        self.root.create("q")

        with JsonStream(port, "Messaging/SendStream", context, Origin=own, **fields) as sender:
            sender.say(send_of(1, b"x"))
            self.assertEqual(sender.hear()["results"][0]["sequenceNumber"], "1")
        with self.assertRaises(Refused) as raised:
            JsonStream(port, "Messaging/SendStream", context, Origin="https://evil.example", **fields)
        self.assertEqual(raised.exception.status, 403)
