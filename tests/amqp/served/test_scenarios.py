"""The scenarios that any broker with the semantics of Service Bus passes, by Azure's SDKs, in a time that the test
moves: ../../wire/python/test_conformance.py, with other mouths. Those of transactions these SDKs cannot speak."""

import os
import pathlib
import sys
import tempfile
import unittest
import uuid

import certificates
import daemon_test
import served
import test_node
import wire
from driven_sdk import DrivenSdk, SdkError
from google.protobuf import duration_pb2
from test_served import HAS_SDK
from topic_calls import correlation, everything, path_of, sql
from wire import Value, management_pb2

DEAD = "/$DeadLetterQueue"
MINUTE = 60
# SDKs look at the machine's clock, too: before what the broker says is over, theirs must not say so.
AHEAD = 15 * MINUTE


def of(messages, name):
    return [message[name] for message in messages]


class Scenarios:
    """Of one SDK. All have a broker and a program in common, and entities of their own."""

    # Whether it says what became of a settlement, and not only that it was sent.
    HEARS_SETTLEMENTS = True
    # Sizes of what is left of one that it cleared.
    CLEARED_STATES = []

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="wharf-scenarios-")
        cls.addClassCleanup(folder.cleanup)
        cls.authority = certificates.Authority(folder.name)
        identity = cls.authority.sign("broker", f"IP:{served.OWN_HOST}")
        # Python's SDK speaks TLS alone, and to one port.
        daemon = wire.Daemon(
            f"{folder.name}/data", listen=f"127.0.0.1:0,amqp://127.0.0.1:0,amqp+tls://{served.OWN_HOST}:5671", flags=(
                "--clock=manual", "--tls-cert", str(identity.certificate), "--tls-key", str(identity.key)))
        cls.addClassCleanup(daemon.kill)
        cls.client = wire.Client(daemon.address)
        cls.addClassCleanup(cls.client.close)
        cls.advance(AHEAD)
        cls.sdk = cls.start(daemon)
        cls.addClassCleanup(cls.sdk.end)

    def setUp(self):
        self.q = self._testMethodName + "/q"

    @classmethod
    def advance(cls, seconds):
        cls.client.advance(duration_pb2.Duration(seconds=seconds))

    def after(self, seconds=0):
        return self.client.clock_now().ToMicroseconds() // 1000 + seconds * 1000

    def create(self, **properties):
        self.client.create(self.q, **properties)

    def assert_holds(self, messages, dead_letters=0):
        """So many, when what was settled has come there."""
        def look():
            runtime = self.client.runtime(self.q)
            dead = runtime.dead_letter_message_count
            self.assertEqual((runtime.total_message_count - dead, dead), (messages, dead_letters))
        if self.HEARS_SETTLEMENTS:
            look()
        else:
            daemon_test.wait_for(look, AssertionError)

    def give_back(self, name="session"):
        """Nobody has a session of the queue then, and the broker has heard so."""
        self.sdk.close(name)
        daemon_test.wait_for(lambda: self.assertEqual(
            [session for session in self.client.sessions.list(self.q).sessions if session.HasField("locked_until")],
            []), AssertionError)

    def assert_fails(self, why, call, *arguments, **options):
        with self.assertRaisesRegex(SdkError, why):
            call(*arguments, **options)

    def assert_lost(self, message):
        """Neither does it settle any more, nor can it be renewed."""
        self.assert_fails("MessageLockLost", self.sdk.renew, message)
        if self.HEARS_SETTLEMENTS:
            self.assert_fails("MessageLockLost", self.sdk.complete, message)

    def subscribe(self, *rules, **properties):
        """A topic and its subscription with these rules: their paths."""
        topic = self.q.removesuffix("q") + "t"
        self.client.topics.create(topic)
        path = self.client.topics.subscribe(topic, "s", *rules[:1], **properties)
        for rule in rules[1:]:
            self.client.topics.add_rule(topic, "s", rule)
        return topic, path

    def test_01_send_receive_complete_twice(self):  # CNT-1, SEQ-5, LCK-2, STL-10
        self.create()
        self.sdk.send(self.q, "x")

        message = self.sdk.receive_one(self.q)

        self.assertEqual((message["body"], message["number"], message["count"]), ("x", 1, 0))
        self.assertEqual(message["lockedUntil"], self.after(60))
        self.sdk.complete(message)
        self.assert_holds(0)
        self.assert_fails("[Aa]lready.*[Ss]ettled", self.sdk.complete, message)  # Says the SDK itself.

    def test_01_what_another_completed_is_lost(self):  # STL-10
        self.create()
        self.sdk.send(self.q, "x")
        message = self.sdk.receive_one(self.q)

        self.assertTrue(self.client.complete(self.q, uuid.UUID(message["token"]).bytes))

        self.assert_lost(message)

    def test_02_a_message_that_keeps_failing_is_dead_lettered(self):  # MAX-2, MAX-3, RSN-1, DLQ-9
        self.create(max_delivery_count=3)
        self.sdk.send(self.q, "x")

        counts = []
        for _ in range(3):
            message = self.sdk.receive_one(self.q)
            counts.append(message["count"])
            self.sdk.abandon(message)

        self.assertEqual(counts, [0, 1, 2])
        dead = self.sdk.receive_one(self.q + DEAD)
        self.assertEqual((dead["number"], dead["reason"]), (1, "MaxDeliveryCountExceeded"))
        self.assertEqual(dead["description"], "Message could not be consumed after 3 delivery attempts.")
        self.sdk.receive_nothing(self.q)

    def test_03_a_lock_that_ends_gives_the_message_back_at_the_head(self):  # LCK-6, STA-2
        self.create(lock_duration=wire.seconds(5))
        self.sdk.send(self.q, "first", "second", "third")
        first = self.sdk.receive_one(self.q)

        self.advance(5)

        messages = self.sdk.receive(self.q, 3)
        self.assertEqual(of(messages, "body"), ["first", "second", "third"])
        self.assertEqual(of(messages, "count"), [1, 0, 0])
        self.assert_lost(first)
        for message in messages:
            self.sdk.complete(message)
        self.sdk.receive_nothing(self.q)
        self.assert_holds(0)

    def test_03_a_lock_that_is_renewed_does_not_end(self):  # LCK-8
        self.create(lock_duration=wire.seconds(5))
        self.sdk.send(self.q, "x")
        message = self.sdk.receive_one(self.q)

        self.advance(4)
        self.sdk.renew(message)
        self.advance(4)

        self.sdk.receive_nothing(self.q)
        self.sdk.complete(message)
        self.assert_holds(0)

    def test_04_a_defer_counts_as_a_delivery_that_failed(self):  # CNT-6
        self.create(max_delivery_count=1)
        self.sdk.send(self.q, "x")

        self.sdk.defer(self.sdk.receive_one(self.q))

        dead = self.sdk.receive_one(self.q + DEAD)
        self.assertEqual((dead["body"], dead["reason"]), ("x", "MaxDeliveryCountExceeded"))
        self.assert_fails("MessageNotFound", self.sdk.deferred, self.q, 1)

    def test_05_what_was_deferred_stays_deferred(self):  # STA-4, DEF-1
        self.create()
        self.sdk.send(self.q, "x", "y")
        self.sdk.defer(self.sdk.receive_one(self.q))
        self.sdk.complete(self.sdk.receive_one(self.q))

        (message,) = self.sdk.deferred(self.q, 1)
        self.assertEqual((message["body"], message["count"], message["state"]), ("x", 1, "deferred"))
        self.sdk.abandon(message)

        self.sdk.receive_nothing(self.q)
        (message,) = self.sdk.deferred(self.q, 1)
        self.assertEqual((message["count"], message["state"]), (2, "deferred"))
        self.sdk.complete(message)
        self.assert_fails("MessageNotFound", self.sdk.deferred, self.q, 1)
        self.assert_holds(0)

    def test_06_the_queue_limits_the_time_to_live(self):  # TTL-1, TTL-2, TTL-3, TTL-6, TTL-9
        self.create(default_message_time_to_live=wire.seconds(2))
        self.sdk.send(self.q, {"body": "x", "timeToLive": 3600_000}, "y")

        peeked = self.sdk.peek(self.q)
        self.assertEqual(of(peeked, "expires"), [self.after(2)] * 2)
        self.advance(1)
        self.assertEqual(len(self.sdk.peek(self.q)), 2)
        self.advance(1)

        self.sdk.receive_nothing(self.q)
        self.assertEqual(self.sdk.peek(self.q), [])
        self.assert_holds(0)

    def test_07_a_locked_message_outlives_its_time(self):  # TTL-7, TTL-8, RSN-2
        self.create(default_message_time_to_live=wire.seconds(2), dead_lettering_on_message_expiration=True)
        self.sdk.send(self.q, "completed", "abandoned")
        self.advance(1)
        completed, abandoned = self.sdk.receive(self.q, 2)
        self.advance(2)

        self.sdk.complete(completed)
        self.assertEqual(self.sdk.peek(self.q + DEAD), [])
        self.sdk.abandon(abandoned)

        dead = self.sdk.receive_one(self.q + DEAD)
        self.assertEqual((dead["body"], dead["reason"]), ("abandoned", "TTLExpiredException"))
        self.assertEqual(dead["description"], "The message expired and was dead lettered.")
        self.assert_holds(0, dead_letters=1)

    def test_08_the_life_of_a_scheduled_message_begins_at_its_time(self):  # SCH-5, TTL-11, SEQ-10
        self.create()
        (number,) = self.sdk.schedule(self.q, self.after(3), {"body": "x", "timeToLive": 3000})

        self.sdk.receive_nothing(self.q)
        self.advance(3)
        message = self.sdk.receive_one(self.q)
        self.assertEqual(message["body"], "x")
        self.assertNotEqual(message["number"], number)
        self.assertEqual((message["enqueued"], message["expires"]), (self.after(), self.after(3)))
        self.sdk.abandon(message)
        self.advance(3)
        self.sdk.receive_nothing(self.q)
        self.assert_holds(0)

    def test_08_what_is_cancelled_never_comes(self):  # SCH-7
        self.create()
        first, second = self.sdk.schedule(self.q, self.after(3), "first", "second")

        self.sdk.cancel(self.q, first)
        self.advance(3)

        self.assertEqual(self.sdk.receive_one(self.q)["body"], "second")
        self.sdk.receive_nothing(self.q)
        self.assertNotEqual(first, second)

    def test_09_a_session_expires_as_a_whole(self):  # TTS-1, TTS-5
        self.create(requires_session=True, dead_lettering_on_message_expiration=True)
        self.sdk.send(self.q, {"body": "1", "session": "red"}, {"body": "2", "session": "red", "timeToLive": 1000},
                      {"body": "3", "session": "red"}, {"body": "4", "session": "blue"})

        self.advance(1)

        self.assertEqual(self.sdk.accept(self.q)["session"], "blue")
        dead = self.sdk.receive(self.q + DEAD, 3)
        self.assertEqual(sorted(of(dead, "body")), ["1", "2", "3"])
        self.assertEqual(of(dead, "reason"), ["TTLExpiredException"] * 3)
        self.assertEqual(self.sdk.receive_one("session")["body"], "4")
        self.sdk.close()

    def test_10_a_session_without_messages_is_held_by_one(self):  # SES-2, SES-4
        self.create(requires_session=True)

        accepted = self.sdk.accept(self.q, "red", name="one")

        self.assertEqual(accepted, {"session": "red", "lockedUntil": self.after(60)})
        self.assert_fails("SessionCannotBeLocked", self.sdk.accept, self.q, "red", name="two")
        self.give_back("one")
        self.sdk.accept(self.q, "red", name="two")
        self.sdk.close("two")

    def test_11_only_an_expired_session_counts(self):  # CNT-8, CNT-9
        self.create(requires_session=True)
        self.sdk.send(self.q, {"body": "delivered", "session": "red"}, {"body": "not delivered", "session": "red"})

        self.sdk.accept(self.q, "red")
        self.sdk.receive_one("session")
        self.give_back()
        self.sdk.accept(self.q, "red")
        self.assertEqual(self.sdk.receive_one("session")["count"], 0)
        self.advance(60)

        self.sdk.accept(self.q, "red", name="again")
        messages = self.sdk.receive("again", 2)
        self.assertEqual((of(messages, "body"), of(messages, "count")), (["delivered", "not delivered"], [1, 0]))
        for name in ("session", "again"):
            self.sdk.close(name)

    def test_12_a_state_stays_until_it_is_cleared(self):  # SST-2, SST-3
        self.create(requires_session=True)
        self.sdk.send(self.q, {"body": "x", "session": "red"})
        self.sdk.accept(self.q)
        self.assertIsNone(self.sdk.state())
        self.sdk.set_state("a state")
        self.sdk.complete(self.sdk.receive_one("session"))
        self.give_back()

        self.sdk.accept(self.q, "red")

        self.assertEqual(self.sdk.state(), "a state")
        self.sdk.set_state(None)
        self.assertIsNone(self.sdk.state())
        sizes = [session.state_size for session in self.client.sessions.list_all(self.q).values()]
        self.assertEqual([size for size in sizes if size], self.CLEARED_STATES)

    def test_13_each_rule_with_an_action_makes_a_copy(self):  # RUL-5
        topic, path = self.subscribe(*(everything(f"plain-{number}") for number in range(3)),
                                     everything("red", "SET color = 'red'"), everything("blue", "SET color = 'blue'"))
        self.sdk.send(topic, {"body": "x", "properties": {"kept": 1}})

        messages = self.sdk.receive(path, 3)

        self.assertEqual(of(messages, "body"), ["x"] * 3)
        properties = sorted(of(messages, "properties"), key=str)
        self.assertCountEqual(properties, [{"kept": 1}, {"kept": 1, "color": "red", "RuleName": "red"},
                                           {"kept": 1, "color": "blue", "RuleName": "blue"}])
        self.sdk.receive_nothing(path)

    def test_14_a_topic_without_subscriptions_takes_and_keeps_nothing(self):  # TOP-2
        topic = self.q.removesuffix("q") + "t"
        self.client.topics.create(topic)

        self.sdk.send(topic, "x")

        self.assertEqual(self.client.topics.runtime(topic).size_in_bytes, 0)
        path = self.client.topics.subscribe(topic, "s")
        self.sdk.send(topic, "y")
        self.assertEqual(self.sdk.receive_one(path)["body"], "y")
        self.sdk.receive_nothing(path)

    def test_15_without_a_session_it_is_dead_where_one_is_required(self):  # RSN-4
        topic, path = self.subscribe(requires_session=True)
        self.client.topics.subscribe(topic, "other")

        self.sdk.send(topic, "x")

        dead = self.sdk.receive_one(path + DEAD)
        self.assertEqual((dead["body"], dead["reason"]), ("x", "Session ID is null."))
        self.assertEqual(dead["description"],
                         "Session enabled entity doesn't allow a message whose session identifier is null.")
        self.assertEqual(self.sdk.receive_one(path_of(topic, "other"))["body"], "x")

    def test_16_duplicates_within_the_window_are_dropped(self):  # DUP-1, DUP-4, DUP-5, DUP-6
        self.create(requires_duplicate_detection=True, duplicate_detection_history_time_window=wire.seconds(20))
        message = {"body": "x", "id": "m-1"}
        self.sdk.send(self.q, message)
        self.sdk.send(self.q, message)

        self.assert_holds(1)
        self.sdk.complete(self.sdk.receive_one(self.q))
        self.advance(19)
        self.sdk.send(self.q, message)
        self.sdk.receive_nothing(self.q)
        self.advance(2)
        self.sdk.send(self.q, message)

        again = self.sdk.receive_one(self.q)
        self.assertEqual((again["id"], again["number"]), ("m-1", 2))  # A dropped message takes no number (SEQ-2).
        self.assert_holds(1)

    def test_17_a_chain_forwards_over_four_hops_and_not_over_five(self):  # FWD-9, RSN-5
        a, b, c, d, e, f = (f"{self.q}-{letter}" for letter in "abcdef")
        self.client.create(e)
        for source, target in ((d, e), (c, d), (b, c), (a, b)):
            self.client.create(source, forward_to=target)

        self.sdk.send(a, "x")
        message = self.sdk.receive_one(e)
        self.assertEqual(message["body"], "x")
        self.sdk.complete(message)
        self.sdk.close(e)

        self.client.create(f)
        self.client.update(e, forward_to=f)
        self.sdk.send(a, "y")
        dead = self.sdk.receive_one(e + DEAD)
        self.assertEqual((dead["body"], dead["reason"]), ("y", "MaxTransferHopCountExceeded"))
        self.assertEqual(self.sdk.peek(f), [])

    def test_18_the_dead_letter_queue_counts_nothing(self):  # CNT-12, MAX-5, DLQ-4
        self.create(max_delivery_count=2)
        self.sdk.send(self.q, "x")
        self.sdk.dead_letter(self.sdk.receive_one(self.q))

        for _ in range(50):
            message = self.sdk.receive_one(self.q + DEAD)
            self.assertEqual(message["count"], 0)
            self.sdk.abandon(message)

        message = self.sdk.receive_one(self.q + DEAD)
        if self.HEARS_SETTLEMENTS:
            self.assert_fails("InvalidOperation", self.sdk.dead_letter, message)
        else:
            self.sdk.dead_letter(message)
        (peeked,) = self.sdk.peek(self.q + DEAD)
        self.assertEqual((peeked["number"], peeked["count"]), (1, 0))
        self.assert_holds(0, dead_letters=1)

    def test_21_a_peek_shows_every_state_and_changes_nothing(self):  # PEEK-1, PEEK-2, PEEK-3, PEEK-5, STA-3
        self.create()
        self.sdk.send(self.q, "deferred", "locked", "active")
        self.sdk.defer(self.sdk.receive_one(self.q))
        locked = self.sdk.receive_one(self.q)
        self.sdk.schedule(self.q, self.after(3600), "scheduled")
        self.sdk.send(self.q, "last")
        before = self.client.runtime(self.q)

        messages = self.sdk.peek(self.q)

        self.assertEqual(list(zip(of(messages, "number"), of(messages, "body"), of(messages, "state"))), [
            (1, "deferred", "deferred"), (2, "locked", "active"), (3, "active", "active"),
            (4, "scheduled", "scheduled"), (5, "last", "active")])
        self.assertEqual(of(self.sdk.peek(self.q, count=2), "number"), [1, 2])
        self.assertEqual(of(self.sdk.peek(self.q, start=4), "number"), [4, 5])
        self.assertEqual(self.client.runtime(self.q), before)
        self.sdk.send(self.q, *["x"] * 300)
        self.assertEqual(len(self.sdk.peek(self.q, count=250)), 250)
        self.sdk.complete(locked)

    def test_22_an_idle_queue_is_deleted_unless_something_is_scheduled(self):  # ADI-1, ADI-2, ADI-8
        kept = self.q + "-kept"
        for name in (self.q, kept):
            self.client.create(name, auto_delete_on_idle=wire.seconds(5 * MINUTE))
        self.sdk.send(self.q, "stored")
        self.sdk.schedule(kept, self.after(3600), "scheduled")
        for name in (self.q, kept):
            self.sdk.close(name)

        self.advance(6 * MINUTE)

        self.assert_fails("'.*' could not be found", self.sdk.send, self.q, "too late")
        (scheduled,) = self.sdk.peek(kept)
        self.assertEqual((scheduled["body"], scheduled["state"]), ("scheduled", "scheduled"))

    def test_23_a_queue_that_takes_nothing_still_gives(self):  # STS-3
        self.create()
        self.sdk.send(self.q, "x")
        # What a sender hears that is there already is test_entity_ends.
        self.sdk.close(self.q)
        self.client.update(self.q, status=management_pb2.ENTITY_STATUS_SEND_DISABLED)

        self.assert_fails("MessagingEntityDisabled", self.sdk.send, self.q, "y")

        self.sdk.complete(self.sdk.receive_one(self.q))
        self.assert_holds(0)

    def test_23_a_topic_that_takes_nothing_still_gives(self):  # STS-2, STS-7
        topic, path = self.subscribe()
        self.sdk.send(topic, "x")
        self.sdk.close(topic)
        self.client.topics.update(topic, status=management_pb2.ENTITY_STATUS_DISABLED)

        self.assert_fails("MessagingEntityDisabled", self.sdk.send, topic, "y")

        self.assertEqual(self.sdk.receive_one(path)["body"], "x")
        self.sdk.receive_nothing(path)

    def test_24_a_number_is_not_a_text(self):  # COR-5
        topic, path = self.subscribe(correlation(application_properties={"size": Value(int64_value=2)}))

        self.sdk.send(topic, {"body": "number", "properties": {"size": 2}},
                      {"body": "text", "properties": {"size": "2"}})

        self.assertEqual(self.sdk.receive_one(path)["body"], "number")
        self.sdk.receive_nothing(path)

    def test_25_what_is_missing_is_neither_true_nor_false(self):  # SQL-17
        topic, path = self.subscribe(sql("a = 1 OR b = 2"))
        negated = self.client.topics.subscribe(topic, "negated", sql("NOT (b = 2)"))

        self.sdk.send(topic, {"body": "a", "properties": {"a": 1}}, {"body": "b", "properties": {"a": 1, "b": 3}})

        self.assertEqual(of(self.sdk.receive(path, 2), "body"), ["a", "b"])
        self.assertEqual(self.sdk.receive_one(negated)["body"], "b")
        self.sdk.receive_nothing(negated)


class JavaScript(Scenarios):

    # It has "null" written, and reads that as none.
    CLEARED_STATES = [4]

    @classmethod
    def start(cls, daemon):
        test_node.install()
        return DrivenSdk(["node", "sdk_driver.mjs", served.connection_string(served.amqp_port(daemon))],
                         cwd=test_node.NODE, env={**os.environ, "AZURE_SERVICE_BUS": cls.PACKAGE})


@unittest.skipUnless(HAS_SDK, "the SDK's packages need Node 20")
class ReleasedJavaScript(JavaScript, unittest.TestCase):

    PACKAGE = "@azure/service-bus"


@unittest.skipUnless(HAS_SDK, "the SDK's packages need Node 20")
class NextJavaScript(JavaScript, unittest.TestCase):

    PACKAGE = "@azure/service-bus-beta"


class Python(Scenarios, unittest.TestCase):
    HEARS_SETTLEMENTS = False

    @classmethod
    def start(cls, daemon):
        driver = pathlib.Path(__file__).with_name("sdk_driver.py")
        place = f"Endpoint=sb://{served.OWN_HOST};SharedAccessKeyName=any;SharedAccessKey=any"
        return DrivenSdk([sys.executable, "-B", driver, place, str(cls.authority.certificate)])


if __name__ == "__main__":
    unittest.main()
