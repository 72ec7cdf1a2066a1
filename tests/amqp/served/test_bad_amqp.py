"""Whatever a client of AMQP says, wharfd tells it what that was and what it costs, no more than it must; it writes one
line about it, and others go on."""

import contextlib
import itertools
import re
import ssl
import unittest

import daemon_test
import raw_amqp as raw
import served
import wire
from proton import Delivery, Described, Message, timestamp, uint, ulong
from raw_amqp import AMQP, ATTACH, BEGIN, CLOSE, DETACH, DISPOSITION, END, FLOW, OPEN, OUTCOME, SASL, TRANSFER

FRAMING, DECODE = "amqp:connection:framing-error", "amqp:decode-error"
ARGUMENT, UNKNOWN = "com.microsoft:argument-error", "amqp:transaction:unknown-id"
STATE, FIELD = "amqp:illegal-state", "amqp:invalid-field"


def request(operation="com.microsoft:peek-message", body=None, **options):
    return Message(id=1, reply_to="answers", properties={"operation": operation, **options}, body=body).encode()


def junk(size):
    return bytes(number * 151 % 256 for number in range(size))


def in_transactions(body):
    return raw.deliver(raw.encoded(Described(ulong(0x77), body)))


# What cannot begin. Before the end our header is heard, if anything.
BEGINNINGS = [
    ("HTTP", b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"),
    ("TLS", b"\x16\3\1\2\0" + junk(512)),
    ("AMQP 0-9-1", b"AMQP\0\0\x09\1"),
    ("a version to come", b"AMQP\3\1\0\1"),
    ("junk for SASL", SASL + b"\0\0\0\4junk"),
    ("a frame of SASL of 65535 bytes", SASL + b"\0\0\xff\xff\2\1\0\0"),
    ("a frame of AMQP for one of SASL", SASL + raw.say(OPEN, "raw")),
    ("an outcome from who asks", SASL + raw.say(OUTCOME, 0)),
    ("a mechanism that is not offered", SASL + raw.init("DIGEST-MD5")),
    ("a key that is none", SASL + raw.init("PLAIN")),
    ("SASL twice", SASL + raw.init() + raw.init()),
    ("a frame for the second header", SASL + raw.init() + raw.say(OPEN, "raw")),
]
# What is left unsaid.
BROKEN_OFF = (b"", b"AMQP\3", SASL + raw.init()[:9], SASL + raw.init() + AMQP + raw.say(OPEN, "raw")[:20])


# What is wrong, what came before, what is said, and of the answer its code and words that stand in it.
SAID = [
    # Frames, and what opens a connection.
    ("a size of three", "enter", b"\0\0\0\3\2\0\0\0", CLOSE, FRAMING),
    ("a size of four billion", "enter", b"\xff\xff\xff\xff\2\0\0\0", CLOSE, FRAMING),
    ("a body within the head", "enter", b"\0\0\0\x09\1\0\0\0\x45", CLOSE, FRAMING),
    ("a body behind the end", "enter", b"\0\0\0\x09\3\0\0\0\x45", CLOSE, FRAMING),
    ("a frame of another type", "enter", raw.frame(b"\x45", kind=7), CLOSE, FRAMING),
    ("no performative", "enter", raw.frame(b"\x45"), CLOSE, DECODE),
    ("an unknown performative", "enter", raw.say(0x1a), CLOSE, DECODE),
    ("junk", "enter", raw.frame(junk(4000)), CLOSE, DECODE),
    ("a second open", "enter", raw.say(OPEN, "again"), CLOSE, STATE),
    ("SASL once more", "enter", raw.init(), CLOSE, FRAMING),
    ("an attach before begin", "enter", raw.sends_to("q"), CLOSE, STATE),
    ("an end before begin", "enter", raw.say(END), CLOSE, STATE),
    ("a begin of the wrong types", "enter", raw.say(BEGIN, True, "x"), CLOSE, DECODE),
    ("a frame that may be 100 bytes", "start", raw.say(OPEN, "raw", None, uint(100)), CLOSE, FIELD),
    ("a client that wants to hear us each millisecond", "start", raw.say(OPEN, "raw", None, None, None, uint(1)), CLOSE,
     "com.microsoft:argument-out-of-range"),
    ("a flow of no session", "enter", raw.credit(0, 1), CLOSE, STATE),
    ("bytes behind a begin", "enter", raw.say(BEGIN, None, uint(0), uint(1), uint(1), payload=b"x"), CLOSE, DECODE),
    ("a begin with twenty fields", "enter", raw.say(BEGIN, None, uint(0), uint(1), uint(1), *[None] * 16), CLOSE,
     DECODE),
    ("an answer to nobody's begin", "enter", raw.say(BEGIN, 7, uint(0), uint(1), uint(1)), CLOSE, DECODE),
    ("a bomb of depth", "enter", raw.frame(b"\0\x53\x10\xd0\0\0\x10\0\0\0\0\1" + b"\0" * 4096), CLOSE, DECODE),
    ("a bomb of count", "enter", raw.frame(b"\0\x53\x10\xc0\x12\x08\xa1\1c\x40\x40\x40\x40\x40\x40\xf0\0\0\0\5"
                                           b"\xff\xff\xff\xff\x40"), CLOSE, DECODE),
    # Sessions and links.
    ("a channel that is in use", "begin", raw.begin(), CLOSE, STATE),
    ("a handle in use", "attach", raw.sends_to("q", name="another"), END, "amqp:session:handle-in-use"),
    ("a handle of no link", "attach", raw.deliver(raw.data(b"x"), handle=5), END, "amqp:session:unattached-handle"),
    ("credit for no link", "attach", raw.credit(5, 1), END, "amqp:session:unattached-handle"),
    ("a name that is no text", "begin", raw.frame(b"\0\x53\x12\xc0\4\1\xa1\1\xff"), END, DECODE),
    ("a name that is too long", "begin", raw.sends_to("q", name="n" * 1025), END, FIELD),
    ("a role that is a number", "begin", raw.say(ATTACH, "s", uint(0), uint(1)), END, DECODE),
    ("an end of no link", "attach", raw.say(DETACH, uint(7), True), END, "amqp:session:unattached-handle"),
    ("credit that is a text", "attach", raw.say(FLOW, uint(0), uint(1), uint(0), uint(1), uint(1), uint(0), "many"),
     END, DECODE),
    ("a flow without a window", "attach", raw.say(FLOW, uint(0)), END, DECODE),
    ("a session of a queue without sessions", "begin", raw.wants_session("q", "anna"), DETACH, "amqp:"),
    ("a link to nowhere", "begin", raw.sends_to("nowhere"), DETACH, "amqp:not-found"),
    ("an address that is no name", "begin", raw.sends_to("a//b\0"), DETACH, "amqp:"),
    ("a link from nothing to nothing", "begin", raw.say(ATTACH, "s", uint(0), False, None, None, None, None, None, None,
                                                        uint(0)), DETACH, "amqp:"),
    ("a receiver of a topic", "begin", raw.receives_from("t"), DETACH, "amqp:not-allowed"),
    ("a sender to dead letters", "begin", raw.sends_to("q/$DeadLetterQueue"), DETACH, "amqp:not-allowed"),
    ("a sender that does not say where it begins", "begin", raw.say(
        ATTACH, "s", uint(0), False, None, None, raw.described(0x28), raw.described(0x29, "q")), DETACH, FIELD),
    # Deliveries.
    ("a transfer to who sends", "attach", raw.deliver(raw.data(b"x"), handle=1), DETACH, "amqp:not-allowed"),
    ("no delivery-id", "attach", raw.deliver(raw.data(b"x"), number=None), DETACH, FIELD),
    ("no delivery-tag", "attach", raw.deliver(raw.data(b"x"), tag=None), DETACH, FIELD),
    ("a delivery-tag of 33 bytes", "attach", raw.deliver(raw.data(b"x"), tag=b"t" * 33), DETACH, FIELD),
    ("delivery-ids out of order", "attach", raw.deliver(raw.data(b"x")) + raw.deliver(raw.data(b"x"), number=2), END,
     FIELD),
    ("a range that ends before it begins", "attach", raw.say(DISPOSITION, True, uint(0), uint(0xffffffff)), END, FIELD),
    ("a delivery before there is credit", "begin", raw.sends_to("q") + raw.deliver(raw.data(b"x")), DETACH,
     "amqp:link:transfer-limit-exceeded"),
    ("a delivery that is resumed", "attach", raw.say(
        TRANSFER, uint(0), uint(0), b"t", uint(0), False, False, None, None, True, payload=raw.data(b"x")), DETACH,
     "amqp:not-implemented"),
    ("a delivery that becomes another", "attach", raw.deliver(raw.data(b"x"), more=True) + raw.deliver(b"", number=1),
     DETACH, FIELD),
    ("no section for a body", "attach", raw.deliver(raw.encoded(raw.described(0x73, "id"))), DISPOSITION, ARGUMENT),
    ("properties twice", "attach", raw.deliver(2 * raw.encoded(raw.described(0x73, "id")) + raw.data(b"x")),
     DISPOSITION, ARGUMENT),
    ("properties behind the body", "attach", raw.deliver(raw.data(b"x") + raw.encoded(raw.described(0x73, "id"))),
     DISPOSITION, ARGUMENT),
    ("two kinds of bodies", "attach", raw.deliver(raw.data(b"x") + raw.encoded(Described(ulong(0x77), "x"))),
     DISPOSITION, ARGUMENT),
    ("a section that nobody knows", "attach", raw.deliver(raw.encoded(raw.described(0x99)) + raw.data(b"x")),
     DISPOSITION, ARGUMENT),
    ("a property that is no text", "attach", raw.deliver(b"\0\x53\x74\xc1\7\2\xa1\1a\xa1\1\xff" + raw.data(b"x")),
     DISPOSITION, ARGUMENT),
    ("a bomb of depth in a body", "attach", raw.deliver(b"\0\x53\x77" + b"\xc0\xff\1" * 60), DISPOSITION, ARGUMENT),
    ("a message of junk", "attach", raw.deliver(junk(100)), DISPOSITION, ARGUMENT),
    ("a message that is cut off", "attach", raw.deliver(raw.data(b"x" * 100)[:50]), DISPOSITION, ARGUMENT),
    ("no message at all", "attach", raw.deliver(b""), DISPOSITION, ARGUMENT),
    ("an empty batch", "attach", raw.deliver(b"", message_format=raw.BATCH), DISPOSITION, ARGUMENT),
    ("a batch of nothing but a header", "attach", raw.deliver(raw.encoded(raw.described(0x70)),
                                                              message_format=raw.BATCH), DISPOSITION, ARGUMENT),
    ("a batch of junk", "attach", raw.deliver(raw.data(b"x") + raw.data(junk(50)), message_format=raw.BATCH),
     DISPOSITION, ARGUMENT),
    ("a message of 5 MiB", "attach", b"".join(
        raw.deliver(junk(60_000), number=0, more=part < 80) for part in range(81)), DISPOSITION,
     "amqp:link:message-size-exceeded"),
    ("a message in no transaction", "attach", raw.deliver(raw.data(b"x"), state=raw.described(0x34, b"none")),
     DISPOSITION, "amqp:transaction:unknown-id"),
    # Requests: to `$management`, to `$cbs` and to who coordinates transactions.
    ("a request of junk", "ask", raw.deliver(junk(100)), DISPOSITION, ARGUMENT),
    ("a request without a body", "ask", raw.deliver(request()), DISPOSITION, ARGUMENT),
    ("a request whose body is a text", "ask", raw.deliver(request("com.microsoft:renew-lock", "all")), TRANSFER, 400),
    ("a request that asks for nothing", "ask", raw.deliver(Message(id=1, reply_to="answers", body={}).encode()),
     TRANSFER, 501),
    ("a request that is not known", "ask", raw.deliver(request("com.microsoft:dance", {})), TRANSFER, 501),
    ("a request with much to repeat", "ask", raw.deliver(request(body={}, more="x" * 5000)), DISPOSITION, ARGUMENT),
    ("tokens that are none", "ask", raw.deliver(request("com.microsoft:renew-lock", {"lock-tokens": ["x", 1]})),
     TRANSFER, 400),
    ("a message that cannot be scheduled", "ask", raw.deliver(request("com.microsoft:schedule-message", {"messages": [
        {"message": junk(100), "message-id": "m"}]})), TRANSFER, 400),
    ("numbers that are none", "ask", raw.deliver(request("com.microsoft:receive-by-sequence-number", {
        "sequence-numbers": ["one"], "receiver-settle-mode": uint(1)})), TRANSFER, 404),
    ("the state of no session", "ask", raw.deliver(request("com.microsoft:get-session-state", {})), TRANSFER, 400),
    ("a lock that is renewed twice", "ask", raw.deliver(request("com.microsoft:renew-lock", {"lock-tokens": []})),
     TRANSFER, 400),
    ("fewer than none", "ask", raw.deliver(request("com.microsoft:batch-delete-messages", {
        "message-count": -1, "enqueued-time-utc": timestamp(0)})), TRANSFER, 400),
    ("junk for a token", "prove", raw.deliver(junk(100)), DISPOSITION, "amqp:"),
    ("a token of no body", "prove", raw.deliver(request("put-token")), DISPOSITION, "amqp:"),
    ("junk to coordinate", "coordinate", raw.deliver(junk(100)), DISPOSITION, ARGUMENT),
    ("a discharge of nothing", "coordinate", in_transactions(raw.described(0x32, b"none", False)), DISPOSITION,
     UNKNOWN),
    ("neither declare nor discharge", "coordinate", in_transactions("declare"), DISPOSITION, ARGUMENT),
]


def told(heard):
    """What the answer says is wrong: a status number, or words."""
    if heard.code != TRANSFER:
        return str(heard.fields)
    answer = Message()
    answer.decode(heard.payload)
    return answer.properties["statusCode"]


class BadAmqp(served.ServedTest):

    def setUp(self):
        super().setUp()
        self.daemon = self.serve_over_tls()
        self.client.create("q")
        self.client.topics.create("t")
        self.client.create("witness")
        self.witness = self.dial(heartbeat=None)
        self.sender = self.witness.create_sender("witness")
        self.receiver = self.witness.create_receiver("witness", credit=1)
        context = ssl.create_default_context(cafile=self.authority.certificate)
        self.places = {"plain": (self.port, None), "TLS": (self.tls_port, context)}

    def tearDown(self):
        self.witness.close()
        self.assertEqual(self.daemon.terminate(), 0)
        self.assertEqual([line for line in self.daemon.log if " error " in line], [])

    def assert_others_go_on(self):
        self.assertEqual(self.sender.send(Message(body=b"x", inferred=True)).remote_state, Delivery.ACCEPTED)
        self.assertEqual(self.receiver.receive(timeout=wire.TIMEOUT).body, b"x")
        self.receiver.accept()

    def told_until(self, level, last):
        """How many things the lines of a level tell of or count, up to the first one in which `last` stands; and the
        number in that."""
        told = 0
        for line in self.daemon.log:
            if f" {level} AMQP client " in line:
                told += 1 + sum(map(int, re.findall(r" \(and (\d+) more like it", line)))
                if found := re.search(last, line):
                    return told, int(found.group(1))
        raise LookupError(last)

    def assert_lines(self, faults):
        """One for each thing that was wrong. What is left out, for there is one in a while, the next line counts; so
        more goes wrong until there is such a line, of each of the two levels."""
        told = 0
        for level, before, said, code, last in (
                ("warning", "enter", lambda number: (100_000 + number).to_bytes(4, "big") + b"\2\0\0\0", CLOSE,
                 r"a frame of 1(\d{5}) bytes"),
                ("info", "begin", lambda number: raw.sends_to(f"none-{number}"), DETACH, r"'none-(\d+)\\'")):
            numbers = itertools.count(1)

            def provoke():
                with raw.RawClient(self.port) as client:
                    getattr(client, before)()
                    client.say(said(next(numbers)))
                    client.hear(code)
                return self.told_until(level, last)
            all_of_it, provoked = daemon_test.wait_for(provoke, LookupError)
            told += all_of_it - provoked
        self.assertEqual(told, faults)

    def test_what_is_no_beginning(self):
        for place, (port, context) in self.places.items():
            for what, said in BEGINNINGS:
                with self.subTest(what=what, place=place), raw.RawClient(port, context) as client:
                    client.say(said)
                    self.assertIn(client.hear_end()[:8], (SASL, b""))
                self.assert_others_go_on()
            for said in BROKEN_OFF:
                with raw.RawClient(port, context) as client:
                    client.say(said)
                self.assert_others_go_on()
        self.assert_lines(2 * len(BEGINNINGS))

    def test_what_is_wrong_is_told_and_costs_no_more_than_it_must(self):
        for place, (port, context) in self.places.items():
            for what, before, said, code, words in SAID:
                with self.subTest(what=what, place=place), raw.RawClient(port, context) as client:
                    getattr(client, before)()
                    client.say(said)
                    heard = client.hear(CLOSE, END, DETACH, DISPOSITION if code == DISPOSITION else TRANSFER)
                    self.assertEqual(heard.code, code, heard)
                    (self.assertIn if isinstance(words, str) else self.assertEqual)(words, told(heard))
                self.assert_others_go_on()
        self.assert_lines(2 * len(SAID))

    def test_a_range_of_everything_settles_what_there_is(self):
        with raw.RawClient(self.port) as client:
            client.attach()
            self.client.send("q", b"one", b"two")
            client.say(raw.credit(1, 2))
            for _ in range(2):
                client.hear(TRANSFER)
            client.say(raw.say(DISPOSITION, True, uint(0), uint(0x7fffffff), False, raw.described(0x24)))
            self.assertEqual(client.hear(DISPOSITION, DETACH, END, CLOSE).code, DISPOSITION)
            self.assert_others_go_on()
        self.assertEqual(self.client.runtime("q").active_message_count, 0)

    def test_what_is_not_tls_at_the_port_for_it(self):
        for what, said in (("HTTP", BEGINNINGS[0][1]), ("SASL", SASL + raw.init()), ("junk", junk(5000))):
            with self.subTest(what=what), raw.RawClient(self.tls_port) as client:
                client.say(said)
                self.assertNotIn(SASL, client.hear_end())
            self.assert_others_go_on()

    def test_who_says_a_part_and_stays(self):
        with contextlib.ExitStack() as stack:
            for port, context in self.places.values():
                for said in BROKEN_OFF * 10:
                    stack.enter_context(raw.RawClient(port, context)).say(said)
            # Of these not even TLS has begun.
            for _ in range(10):
                stack.enter_context(raw.RawClient(self.tls_port)).say(b"\x16\3\1")
            self.assert_others_go_on()

    def test_who_wants_everything_and_reads_nothing(self):
        body = bytes(100_000)
        for _ in range(10):
            self.client.send("q", *[body] * 10)
        with raw.RawClient(self.port, received=4096) as client:
            client.attach()
            client.say(raw.credit(1, 1_000_000))
            # One is read, so the others are on their way.
            client.hear(TRANSFER)
            self.assert_others_go_on()
        # What never left goes to others, and has not failed.
        self.assertEqual({message.delivery_count for message in self.client.receive_all("q", 20)}, {0})

    def test_the_last_channel_is_the_one_that_was_answered(self):
        with raw.RawClient(self.port) as client:
            last = client.enter().fields[3]
            client.say(raw.begin(last))
            self.assertEqual(client.hear(BEGIN).fields[0], last)
            client.say(raw.begin(last + 1))
            self.assertIn(FRAMING, str(client.hear(CLOSE)))
        self.assert_others_go_on()

    def test_a_hundred_thousand_flows(self):
        with raw.RawClient(self.port) as client:
            client.attach()
            for _ in range(20):
                client.say((raw.credit(1, 7) + raw.credit(1, 0)) * 2500)
                self.assert_others_go_on()
            client.say(raw.credit(1, 0, echo=True))
            client.hear(FLOW)
            self.client.send("q", b"one", b"two")
            client.say(raw.credit(1, 1))
            heard = client.hear(TRANSFER, CLOSE)
            self.assertEqual((heard.code, heard.payload[-3:]), (TRANSFER, b"one"))
            # No more than the last of them gave.
            client.say(raw.credit(1, 1, echo=True))
            self.assertEqual(client.hear(FLOW, TRANSFER, CLOSE).code, FLOW)

    def test_sessions_that_begin_and_end_for_long(self):
        with raw.RawClient(self.port) as client:
            client.enter()
            for number in range(1000):
                client.say(raw.begin(number % 7), raw.sends_to("q", channel=number % 7),
                           raw.say(END, channel=number % 7))
                self.assertEqual(client.hear(END, CLOSE).code, END)
            self.assert_others_go_on()
        daemon_test.wait_for(lambda: self.assertEqual(self.metric("wharf_amqp_open_links"), 2), AssertionError)


if __name__ == "__main__":
    unittest.main()
