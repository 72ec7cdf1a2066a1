"""wharfd with Azure's SDK for Python, over TLS with checked certificates and signatures, at the port that it cannot
change: an address of the loopback net is this module's own."""

import ast
import datetime
import pathlib
import unittest

import access_calls
import certificates
import daemon_test
import served
import wire
from azure.servicebus import (AutoLockRenewer, NEXT_AVAILABLE_SESSION, ServiceBusClient, ServiceBusMessage,
                              ServiceBusMessageBatch, ServiceBusReceivedMessage, ServiceBusReceiveMode,
                              ServiceBusReceiver, ServiceBusSender, ServiceBusSession, ServiceBusSubQueue, exceptions)
from azure.servicebus.amqp import AmqpAnnotatedMessage

SOON = 5  # seconds


def now():
    return datetime.datetime.now(datetime.timezone.utc)


class PythonTest(served.ServedTest):

    def setUp(self):
        super().setUp()
        self.authority = certificates.Authority(self.folder.name)
        self.identity = self.authority.sign("broker", f"IP:{served.OWN_HOST}")
        self.serve_tls()
        self.create_what_the_sdk_wants(self.client)

    def serve_tls(self):
        self.daemon = self.serve(f"amqp+tls://{served.OWN_HOST}:5671",
                            flags=("--access=on", "--tls-cert", str(self.identity.certificate),
                                   "--tls-key", str(self.identity.key)))
        root = access_calls.connection_of(pathlib.Path(self.data, "root-connection-string").read_text(encoding="ascii"))
        self.name, self.key = root["SharedAccessKeyName"], root["SharedAccessKey"]
        self.client = access_calls.AccessClient(
            self.client.address, access_calls.make_token("sb://localhost/", self.name, self.key))
        self.addCleanup(self.client.close)

    def place(self, name=None, key=None):
        return (f"Endpoint=sb://{served.OWN_HOST};SharedAccessKeyName={name or self.name};"
                f"SharedAccessKey={key or self.key}")

    def sdk(self, *proof, **options):
        client = ServiceBusClient.from_connection_string(
            self.place(*proof), connection_verify=str(self.authority.certificate), **options)
        self.addCleanup(client.close)
        return client

    # --- sending and settling

    def test_sends_and_settles(self):
        client = self.sdk()
        sender = client.get_queue_sender("q")
        properties = {"a": 1, "b": "two", "c": True, "d": 1.5}
        sender.send_messages(ServiceBusMessage(b"one", subject="first", application_properties=properties))
        sender.send_messages([ServiceBusMessage("two"), ServiceBusMessage("three")])
        batch = sender.create_message_batch()
        batch.add_message(ServiceBusMessage("four", message_id="m4", correlation_id="c", reply_to="r", to="t",
                                            content_type="text/plain", time_to_live=datetime.timedelta(hours=1)))
        self.assertLess(batch.size_in_bytes, batch.max_size_in_bytes)
        sender.send_messages(batch)

        receiver = client.get_queue_receiver("q")
        held = self.receive(receiver, 4)
        one, two, three, four = held
        self.assertEqual([str(message) for message in held], ["one", "two", "three", "four"])
        self.assertEqual(one.subject, "first")
        self.assertEqual({key.decode(): value.decode() if isinstance(value, bytes) else value
                          for key, value in one.application_properties.items()}, properties)
        self.assertEqual((four.message_id, four.correlation_id, four.reply_to, four.to, four.content_type),
                         ("m4", "c", "r", "t", "text/plain"))
        self.assertEqual(four.expires_at_utc - four.enqueued_time_utc, datetime.timedelta(hours=1))
        self.assertEqual(two.sequence_number, one.sequence_number + 1)
        self.assertGreater(one.locked_until_utc, one.enqueued_time_utc)
        receiver.complete_message(one)
        receiver.abandon_message(two)
        receiver.dead_letter_message(three, reason="broken", error_description="really")
        receiver.defer_message(four)

        again, = self.receive(receiver, 1)
        self.assertEqual((str(again), again.delivery_count), ("two", 1))
        receiver.complete_message(again)
        deferred, = receiver.receive_deferred_messages(four.sequence_number)
        self.assertEqual(str(deferred), "four")
        receiver.complete_message(deferred)
        with self.assertRaises(exceptions.MessageNotFoundError), self.sdk(retry_total=0) as impatient:
            impatient.get_queue_receiver("q").receive_deferred_messages(four.sequence_number)
        with client.get_queue_receiver("q", sub_queue=ServiceBusSubQueue.DEAD_LETTER) as dead:
            letter, = self.receive(dead, 1)
            self.assertEqual((str(letter), letter.dead_letter_reason, letter.dead_letter_error_description),
                             ("three", "broken", "really"))
            dead.complete_message(letter)
        with client.get_queue_receiver("q", sub_queue=ServiceBusSubQueue.TRANSFER_DEAD_LETTER) as nothing:
            self.assertEqual(nothing.receive_messages(max_wait_time=1), [])
        self.assertEqual(daemon_test.stored(self.client, "q"), {})

    def test_what_amqp_says_is_kept(self):
        client = self.sdk()
        sender, receiver = client.get_queue_sender("q"), client.get_queue_receiver("q")
        for body in ({"value_body": {"deep": [1, "two"]}}, {"sequence_body": [["a", 2]]}, {"data_body": [b"x", b"y"]}):
            with self.subTest(body=body):
                sender.send_messages(AmqpAnnotatedMessage(
                    **body, footer={"crc": "x"}, annotations={"note": "mine"}, application_properties={"n": 7}))
                message, = self.receive(receiver, 1)
                raw = message.raw_amqp_message
                self.assertEqual(raw.body_type.value, next(iter(body)).removesuffix("_body"))
                self.assertEqual((raw.footer, raw.annotations[b"note"]), ({b"crc": b"x"}, b"mine"))
                receiver.complete_message(message)

    def test_what_the_broker_adds_is_told(self):  # FWD-14
        self.client.create("first", forward_dead_lettered_messages_to="q")
        client = self.sdk()
        at = now().replace(microsecond=0)
        client.get_queue_sender("first").send_messages(ServiceBusMessage(
            b"one", partition_key="p", reply_to_session_id="answers", scheduled_enqueue_time_utc=at,
            time_to_live=datetime.timedelta(hours=1), message_id="m", subject="s", correlation_id="c"))
        first = client.get_queue_receiver("first")
        message, = self.receive(first, 1)
        self.assertEqual((list(message.body), message.partition_key, message.reply_to_session_id,
                          message.scheduled_enqueue_time_utc, message.time_to_live),
                         ([b"one"], "p", "answers", at, datetime.timedelta(hours=1)))
        number = message.sequence_number
        first.dead_letter_message(message, reason="broken")

        receiver = client.get_queue_receiver("q")
        message, = self.receive(receiver, 1)
        self.assertEqual((message.dead_letter_source, message.enqueued_sequence_number, message.dead_letter_reason),
                         ("first", number, "broken"))
        self.assertEqual((list(message.body), message.message_id, message.subject, message.correlation_id,
                          message.partition_key, message.reply_to_session_id),
                         ([b"one"], "m", "s", "c", "p", "answers"))
        self.assert_settled(self.client.complete("q", message.lock_token.bytes))
        self.assertEqual(daemon_test.stored(self.client, "q"), {})

    def test_a_receiver_is_looped_over_and_takes_without_locks(self):
        client = self.sdk()
        with client.get_queue_sender("q", client_identifier="mine") as sender:
            self.assertEqual(sender.client_identifier, "mine")
            sender.send_messages([ServiceBusMessage(str(number)) for number in range(250)])
        with client.get_queue_receiver("q", receive_mode=ServiceBusReceiveMode.RECEIVE_AND_DELETE, max_wait_time=SOON,
                                       prefetch_count=100, client_identifier="mine") as receiver:
            self.assertEqual(receiver.client_identifier, "mine")
            taken = [int(str(receiver.next()))]
            taken += [int(str(message)) for _, message in zip(range(249), receiver)]
        self.assertEqual(taken, list(range(250)))
        self.assertEqual(daemon_test.stored(self.client, "q"), {})

    def test_subscriptions_and_what_is_missing(self):
        client = self.sdk()
        with client.get_topic_sender("t") as sender:
            sender.send_messages(ServiceBusMessage("for all"))
        with client.get_subscription_receiver("t", "s") as receiver:
            message, = self.receive(receiver, 1)
            self.assertEqual(str(message), "for all")
            receiver.complete_message(message)
        with self.assertRaisesRegex(exceptions.ServiceBusError, "'nowhere' could not be found"):
            client.get_queue_sender("nowhere").send_messages(ServiceBusMessage("x"))
        with self.assertRaises(exceptions.MessageSizeExceededError):
            client.get_queue_sender("q").send_messages(ServiceBusMessage(b"x" * (2 << 20)))

    # --- what `$management` is asked

    def test_numbers_and_tokens(self):
        client = self.sdk()
        sender, receiver = client.get_queue_sender("q"), client.get_queue_receiver("q")
        first, second = sender.schedule_messages([ServiceBusMessage("later"), ServiceBusMessage("never")],
                                                 now() + datetime.timedelta(hours=1))
        peeked = receiver.peek_messages(10)
        self.assertEqual([(str(message), message.sequence_number, message.state.name) for message in peeked],
                         [("later", first, "SCHEDULED"), ("never", second, "SCHEDULED")])
        sender.cancel_scheduled_messages([first, second])
        self.assertEqual(receiver.peek_messages(10), [])

        sender.send_messages([ServiceBusMessage("a"), ServiceBusMessage("b")])
        held, other = self.receive(receiver, 2)
        self.assertGreaterEqual(receiver.renew_message_lock(held), held.enqueued_time_utc)
        receiver.complete_message(held)
        # A lock outlives its link: then it is settled by its token.
        receiver.close()
        self.assertEqual(self.client.runtime("q").active_message_count, 1)
        late = client.get_queue_receiver("q")
        self.assertEqual([str(message) for message in late.peek_messages(10, sequence_number=other.sequence_number)],
                         ["b"])
        self.assertEqual(late.receive_messages(max_wait_time=1), [])
        self.assertEqual(late.peek_messages(10, sequence_number=other.sequence_number + 1), [])

    def test_a_large_message_is_received_by_its_number(self):  # DEF-3, SIZ-8
        self.client.create("large", max_message_size_in_kilobytes=8192)
        client = self.sdk()
        body = b"five MiB of a body. " * ((5 << 20) // 20)
        client.get_queue_sender("large").send_messages(ServiceBusMessage(body))
        receiver = client.get_queue_receiver("large")
        held, = self.receive(receiver, 1)
        receiver.defer_message(held)
        again, = receiver.receive_deferred_messages(held.sequence_number)
        self.assertTrue(b"".join(again.body) == body)
        receiver.complete_message(again)
        self.assertEqual(daemon_test.stored(self.client, "large"), {})

    def test_locks_and_sessions_are_renewed_by_themselves(self):
        for queue in ("q", "letters"):
            self.client.update(queue, mask=["lock_duration"], lock_duration=wire.seconds(SOON))
        client = self.sdk()
        client.get_queue_sender("q").send_messages(ServiceBusMessage("held"))
        client.get_queue_sender("letters").send_messages(ServiceBusMessage("held", session_id="anna"))
        receiver, anna = client.get_queue_receiver("q"), client.get_queue_receiver("letters", session_id="anna")
        with AutoLockRenewer() as renewer:
            held, = receiver.receive_messages(max_wait_time=SOON)
            letter, = anna.receive_messages(max_wait_time=SOON)
            renewer.register(receiver, held, max_lock_renewal_duration=60)
            renewer.register(anna, anna.session, max_lock_renewal_duration=60)
            for renewed in (held, anna.session):
                before = renewed.locked_until_utc
                daemon_test.wait_for(lambda: self.assertGreater(renewed.locked_until_utc, before), AssertionError)
        receiver.complete_message(held)
        anna.complete_message(letter)
        anna.close()
        for queue in ("q", "letters"):
            self.assertEqual(daemon_test.stored(self.client, queue), {})

    def test_sessions(self):
        client = self.sdk()
        sender = client.get_queue_sender("letters")
        sender.send_messages([ServiceBusMessage("Dear Anna", session_id="anna"),
                              ServiceBusMessage("Yours, Bert", session_id="anna"),
                              ServiceBusMessage("Dear Carla", session_id="carla")])
        anna = client.get_queue_receiver("letters", session_id="anna")
        dear, yours = self.receive(anna, 2)
        self.assertEqual([str(dear), str(yours), dear.session_id], ["Dear Anna", "Yours, Bert", "anna"])
        session = anna.session
        self.assertEqual(session.session_id, "anna")
        self.assertGreater(session.locked_until_utc, now())
        self.assertIsNone(session.get_state())
        session.set_state("page 2")
        self.assertEqual(session.get_state(), b"page 2")
        self.assertGreater(session.renew_lock(), now())
        with self.assertRaises(exceptions.SessionCannotBeLockedError):
            self.sdk(retry_total=0).get_queue_receiver("letters", session_id="anna").receive_messages()

        anna.complete_message(dear)
        anna.defer_message(yours)
        deferred, = anna.receive_deferred_messages(yours.sequence_number)
        anna.complete_message(deferred)
        self.assertEqual(anna.peek_messages(10), [])
        session.set_state(None)
        self.assertIsNone(session.get_state())
        anna.close()

        following = client.get_queue_receiver("letters", session_id=NEXT_AVAILABLE_SESSION)
        letter, = self.receive(following, 1)
        self.assertEqual((following.session.session_id, str(letter)), ("carla", "Dear Carla"))
        following.complete_message(letter)
        following.close()
        self.assertEqual(daemon_test.stored(self.client, "letters"), {})

    # --- who may, and what comes between

    def test_rights_are_those_of_the_rule(self):
        rule = self.client.make_rule("q", "sender", "Send")
        client = self.sdk("sender", rule.primary_key)
        client.get_queue_sender("q").send_messages(ServiceBusMessage("one"))
        with self.assertRaises(exceptions.ServiceBusAuthorizationError):
            client.get_queue_receiver("q").receive_messages(max_wait_time=SOON)

    def test_goes_on_after_a_kill_and_settles_what_it_held(self):
        client = self.sdk(retry_total=10, retry_backoff_max=1)
        sender, receiver = client.get_queue_sender("q"), client.get_queue_receiver("q")
        sender.send_messages([ServiceBusMessage("held"), ServiceBusMessage("sent")])
        held, = receiver.receive_messages(1, max_wait_time=SOON)

        self.daemon.kill()
        self.serve_tls()

        # This SDK waits for no answer to what it settles over a link, so it must have found that its link is gone.
        self.assertEqual(receiver.peek_messages(1)[0].message_id, held.message_id)
        receiver.complete_message(held)
        sender.send_messages(ServiceBusMessage("after"))
        rest = self.receive(receiver, 2)
        self.assertEqual([str(message) for message in rest], ["sent", "after"])
        for message in rest:
            receiver.complete_message(message)
        receiver.close()
        self.assertEqual(daemon_test.stored(self.client, "q"), {})

    @staticmethod
    def receive(receiver, count):
        messages = []
        while len(messages) < count and (more := receiver.receive_messages(count - len(messages), max_wait_time=SOON)):
            messages += more
        return messages


class NamesTest(unittest.TestCase):

    def test_no_method_is_left_out_above(self):
        written = ast.walk(ast.parse(pathlib.Path(__file__).read_text(encoding="utf-8")))
        used = {node.attr for node in written if isinstance(node, ast.Attribute)}
        for kind in (ServiceBusClient, ServiceBusSender, ServiceBusReceiver, ServiceBusSession, ServiceBusMessageBatch,
                     ServiceBusReceivedMessage, AutoLockRenewer):
            with self.subTest(kind=kind.__name__):
                self.assertEqual({name for name in dir(kind) if not name.startswith("_")} - used, set())


if __name__ == "__main__":
    unittest.main()
