"""The scenarios that any broker with the semantics of Service Bus passes, in a time that the test moves."""

import unittest

import grpc

import wire
from wire import management_pb2

DEAD = "/$DeadLetterQueue"
LOCK_LOST = grpc.StatusCode.ABORTED, "MessageLockLost"
NOT_FOUND = grpc.StatusCode.NOT_FOUND, "MessageNotFound"
INVALID = grpc.StatusCode.FAILED_PRECONDITION, "InvalidOperation"
MINUTE = 60


def text_of(message, name):
    return message.message.application_properties[name].string_value


class ConformanceTest(wire.ManualClockTest, wire.SessionTest):

    def setUp(self):
        super().setUp()
        self.name = "orders"

    def create(self, **properties):
        self.client.create(self.name, **properties)

    def test_01_send_receive_complete_twice(self):  # CNT-1, SEQ-5, LCK-2, STL-10
        self.create()
        (sent,) = self.client.send(self.name, b"x")

        message = self.client.receive_one(self.name)

        self.assertEqual((sent.sequence_number, message.sequence_number, message.delivery_count), (1, 1, 0))
        self.assertEqual(message.locked_until, self.after(60))
        self.assert_settled(self.client.complete(self.name, message.lock_token))
        self.assert_fails(*LOCK_LOST, self.client.complete, self.name, message.lock_token)

    def test_02_a_message_that_keeps_failing_is_dead_lettered(self):  # MAX-2, MAX-3, RSN-1, DLQ-9
        self.create(max_delivery_count=3)
        (sent,) = self.client.send(self.name, b"x")

        for _ in range(3):
            self.assert_settled(self.client.abandon(self.name, self.client.receive_one(self.name).lock_token))

        self.assertEqual(list(self.client.receive(self.name)), [])
        (dead,) = self.client.receive(self.name + DEAD)
        self.assertEqual((dead.sequence_number, dead.delivery_count), (sent.sequence_number, 3))
        self.assertEqual(text_of(dead, "DeadLetterReason"), "MaxDeliveryCountExceeded")
        self.assertEqual(text_of(dead, "DeadLetterErrorDescription"),
                         "Message could not be consumed after 3 delivery attempts.")

    def test_03_a_lock_that_ends_gives_the_message_back_at_the_head(self):  # LCK-6, STA-2
        self.create(lock_duration=wire.seconds(5))
        self.client.send(self.name, b"first", b"second", b"third")
        first = self.client.receive_one(self.name)

        self.advance(5)

        messages = self.client.receive(self.name, 3)
        self.assertEqual([(m.message.body, m.delivery_count) for m in messages],
                         [(b"first", 1), (b"second", 0), (b"third", 0)])
        self.assert_fails(*LOCK_LOST, self.client.complete, self.name, first.lock_token)

    def test_04_a_defer_counts_as_a_delivery_that_failed(self):  # CNT-6
        self.create(max_delivery_count=1)
        self.client.send(self.name, b"x")

        self.assert_settled(self.client.defer(self.name, self.client.receive_one(self.name).lock_token))

        runtime = self.client.runtime(self.name)
        self.assertEqual((runtime.deferred_message_count, runtime.dead_letter_message_count), (0, 1))
        (dead,) = self.client.receive(self.name + DEAD)
        self.assertEqual(text_of(dead, "DeadLetterReason"), "MaxDeliveryCountExceeded")

    def test_05_what_was_deferred_stays_deferred(self):  # STA-4, DEF-1, PRP-22
        self.create()
        self.client.send(self.name, b"x", b"y")
        self.client.defer(self.name, self.client.receive_one(self.name).lock_token)

        (message,) = self.client.receive_deferred(self.name, 1)
        self.assertEqual((message.delivery_count, message.state), (1, wire.message_pb2.MESSAGE_STATE_DEFERRED))
        self.assert_settled(self.client.abandon(self.name, message.lock_token))

        self.assertEqual(wire.bodies(self.client.receive(self.name, 5)), [b"y"])
        (message,) = self.client.receive_deferred(self.name, 1)
        self.assertEqual(message.delivery_count, 2)
        self.advance(60)
        self.assertEqual(self.client.runtime(self.name).deferred_message_count, 1)
        (message,) = self.client.receive_deferred(self.name, 1)
        self.assertEqual(message.delivery_count, 3)
        self.assert_settled(self.client.complete(self.name, message.lock_token))
        self.assert_fails(*NOT_FOUND, self.client.receive_deferred, self.name, 1)

    def test_06_the_queue_limits_the_time_to_live(self):  # TTL-1, TTL-2, TTL-3, TTL-6, TTL-9
        self.create(default_message_time_to_live=wire.seconds(2))
        self.client.send(self.name, wire.Message(time_to_live=wire.seconds(3600)), wire.Message())

        for message in self.client.peek(self.name).messages:
            self.assertEqual(message.message.time_to_live.ToSeconds(), 2)
            self.assertEqual(message.expires_at, self.after(2))
        self.advance(1.999999)
        self.assertEqual(self.client.runtime(self.name).active_message_count, 2)
        self.advance(0.000001)

        self.assertEqual(list(self.client.receive(self.name)), [])
        runtime = self.client.runtime(self.name)
        self.assertEqual((runtime.total_message_count, runtime.size_in_bytes), (0, 0))

    def test_07_a_locked_message_outlives_its_time(self):  # TTL-7, TTL-8, RSN-2
        self.create(default_message_time_to_live=wire.seconds(2), dead_lettering_on_message_expiration=True)
        self.client.send(self.name, b"completed", b"abandoned")
        self.advance(1)
        completed, abandoned = self.client.receive(self.name, 2)
        self.advance(2)

        self.assert_settled(self.client.complete(self.name, completed.lock_token))
        self.assertEqual(self.client.runtime(self.name).dead_letter_message_count, 0)
        self.assert_settled(self.client.abandon(self.name, abandoned.lock_token))

        (dead,) = self.client.receive(self.name + DEAD)
        self.assertEqual(dead.message.body, b"abandoned")
        self.assertEqual(text_of(dead, "DeadLetterReason"), "TTLExpiredException")
        self.assertEqual(text_of(dead, "DeadLetterErrorDescription"), "The message expired and was dead lettered.")

    def test_08_the_life_of_a_scheduled_message_begins_at_its_time(self):  # SCH-5, TTL-11, SEQ-10
        self.create()
        (number,) = self.schedule(self.name, 3, wire.Message(body=b"x", time_to_live=wire.seconds(3)))
        self.client.send(self.name, b"before")

        self.assertEqual(wire.bodies(self.client.receive(self.name, 5)), [b"before"])
        self.advance(3)
        (message,) = self.client.receive(self.name, 5)
        self.assertEqual(message.message.body, b"x")
        self.assertNotEqual(message.sequence_number, number)
        self.assertEqual(message.enqueued_time, self.after(0))
        self.assertEqual(message.expires_at, self.after(3))
        self.client.release(self.name, message.lock_token)
        self.advance(3)
        self.assertEqual(list(self.client.receive(self.name)), [])

    def test_09_a_session_expires_as_a_whole(self):  # TTS-1, TTS-5
        self.create(requires_session=True, dead_lettering_on_message_expiration=True)
        self.send(self.name, red=[b"1", wire.Message(body=b"2", time_to_live=wire.seconds(1)), b"3"], blue=[b"4"])

        self.advance(1)

        self.assertEqual(self.client.sessions.accept(self.name).session_id, "blue")
        self.assert_fails(*self.NO_SESSION, self.client.sessions.accept, self.name)
        dead = self.client.receive_all(self.name + DEAD, 3)
        self.assertEqual(sorted(wire.bodies(dead)), [b"1", b"2", b"3"])
        self.assertEqual({text_of(message, "DeadLetterReason") for message in dead}, {"TTLExpiredException"})
        self.assertEqual(self.client.runtime(self.name).active_message_count, 1)

    def test_10_a_session_without_messages_is_held_by_one(self):  # SES-2, SES-4
        self.create(requires_session=True)

        token = self.accept(self.name, "red")

        self.assert_fails(*self.HELD, self.client.sessions.accept, self.name, "red")
        self.client.sessions.release(self.name, token)
        self.accept(self.name, "red")

    def test_11_only_an_expired_session_counts(self):  # CNT-8, CNT-9
        self.create(requires_session=True)
        self.send(self.name, red=[b"delivered", b"not delivered"])

        token = self.accept(self.name, "red")
        self.client.receive(self.name, session=token)
        self.client.sessions.release(self.name, token)
        (message,) = self.client.receive(self.name, session=self.accept(self.name, "red"))
        self.assertEqual(message.delivery_count, 0)
        self.advance(60)

        messages = self.client.receive(self.name, 9, session=self.accept(self.name, "red"))
        self.assertEqual([(m.message.body, m.delivery_count) for m in messages],
                         [(b"delivered", 1), (b"not delivered", 0)])

    def test_12_a_state_stays_until_it_is_cleared(self):  # SST-2, SST-3
        self.create(requires_session=True)
        self.send(self.name, red=[b"x"])
        token = self.accept(self.name)
        self.client.sessions.set_state(self.name, token, b"state")
        (message,) = self.client.receive(self.name, session=token)
        self.assert_settled(self.client.complete(self.name, message.lock_token))
        self.client.sessions.release(self.name, token)

        token = self.accept(self.name, "red")

        self.assertEqual(self.client.sessions.state(self.name, token), b"state")
        self.client.sessions.set_state(self.name, token, None)
        self.assertIsNone(self.client.sessions.state(self.name, token))

    def test_16_duplicates_within_the_window_are_dropped(self):  # DUP-1, DUP-4, DUP-5, DUP-6, RCP-1
        self.create(requires_duplicate_detection=True, duplicate_detection_history_time_window=wire.seconds(20))
        message = wire.Message(body=b"x", message_id="m-1")
        (first,) = self.client.send(self.name, message)
        (second,) = self.client.send(self.name, message)

        self.assertEqual(second.WhichOneof("outcome"), "duplicate_of")
        self.assertEqual(second.duplicate_of, first.sequence_number)
        self.client.complete(self.name, self.client.receive_one(self.name).lock_token)
        self.advance(19)
        self.assertEqual(self.client.send(self.name, message)[0].duplicate_of, first.sequence_number)
        self.assertEqual(self.client.runtime(self.name).total_message_count, 0)
        self.advance(2)
        (third,) = self.client.send(self.name, message)
        self.assertEqual(third.sequence_number, 2)  # A dropped message takes no number (SEQ-2).
        self.assertEqual(self.client.runtime(self.name).active_message_count, 1)

    def test_17_a_chain_forwards_over_four_hops_and_not_over_five(self):  # FWD-9, RSN-5, SEQ-9
        self.client.create("e")
        for source, target in ("de", "cd", "bc", "ab"):
            self.client.create(source, forward_to=target)
        self.client.send("a", b"x")

        message = self.client.receive_one("e")
        self.assertEqual((message.message.body, message.enqueued_sequence_number), (b"x", 1))
        self.assert_settled(self.client.complete("e", message.lock_token))

        self.client.create("f")
        self.client.update("e", forward_to="f")
        self.client.send("a", b"y")
        (dead,) = self.client.receive("e" + DEAD, wait=30)
        self.assertEqual((dead.message.body, text_of(dead, "DeadLetterReason")), (b"y", "MaxTransferHopCountExceeded"))
        self.assertEqual(text_of(dead, "DeadLetterErrorDescription"),
                         "The maximum number of allowed hops when forwarding between queues has been exceeded. "
                         "This value is set to 4.")
        self.assertEqual(self.client.runtime("f").total_message_count, 0)

    def test_18_the_dead_letter_queue_counts_nothing(self):  # CNT-12, MAX-5, DLQ-4
        self.create(max_delivery_count=2)
        self.dead_letter_all(self.name, b"x")

        for _ in range(50):
            message = self.client.receive_one(self.name + DEAD)
            self.assertEqual(message.delivery_count, 0)
            self.assert_settled(self.client.abandon(self.name + DEAD, message.lock_token))

        message = self.client.receive_one(self.name + DEAD)
        self.assert_fails(*INVALID, self.client.dead_letter, self.name + DEAD, message.lock_token)
        self.assert_settled(self.client.complete(self.name + DEAD, message.lock_token))

    def test_21_a_peek_shows_every_state_and_changes_nothing(self):  # PEEK-1, PEEK-2, PEEK-3, PEEK-5, STA-3
        self.create()
        self.client.send(self.name, b"deferred", b"locked", b"active")
        self.client.defer(self.name, self.client.receive_one(self.name).lock_token)
        locked = self.client.receive_one(self.name)
        self.schedule(self.name, 3600, b"scheduled")
        self.client.send(self.name, b"last")
        before = self.client.runtime(self.name)

        messages = self.client.peek(self.name).messages

        state = wire.message_pb2
        self.assertEqual([(m.sequence_number, m.message.body, m.state) for m in messages], [
            (1, b"deferred", state.MESSAGE_STATE_DEFERRED), (2, b"locked", state.MESSAGE_STATE_ACTIVE),
            (3, b"active", state.MESSAGE_STATE_ACTIVE), (4, b"scheduled", state.MESSAGE_STATE_SCHEDULED),
            (5, b"last", state.MESSAGE_STATE_ACTIVE)])
        self.assertEqual(wire.numbers(self.client.peek(self.name, count=2).messages), [1, 2])
        self.assertEqual(wire.numbers(self.client.peek(self.name, start=4).messages), [4, 5])
        self.assertEqual(self.client.runtime(self.name), before)
        self.client.send(self.name, *[b"x"] * 300)
        self.assertEqual(len(self.client.peek(self.name, count=250).messages), 250)
        self.assert_fails(grpc.StatusCode.OUT_OF_RANGE, "ArgumentOutOfRange", self.client.peek, self.name, count=251)
        self.assert_settled(self.client.complete(self.name, locked.lock_token))

    def test_22_an_idle_queue_is_deleted_unless_something_is_scheduled(self):  # ADI-1, ADI-2, ADI-3, ADI-8
        self.create(auto_delete_on_idle=wire.seconds(5 * MINUTE))
        self.client.create("kept", auto_delete_on_idle=wire.seconds(5 * MINUTE))
        self.client.send(self.name, b"stored")
        self.schedule("kept", 3600, b"scheduled")

        self.advance(4 * MINUTE)
        self.assertEqual(self.client.get(self.name).name, self.name)
        self.advance(2 * MINUTE)

        self.assert_fails(grpc.StatusCode.NOT_FOUND, "MessagingEntityNotFound", self.client.get, self.name)
        self.assertEqual(self.client.runtime("kept").scheduled_message_count, 1)

    def test_22_what_is_used_is_not_idle(self):  # ADI-3, ADI-10, ADI-12
        self.create(auto_delete_on_idle=wire.seconds(5 * MINUTE))
        for use in (lambda: self.client.send(self.name, b"x"), lambda: self.client.receive(self.name),
                    lambda: self.client.peek(self.name), lambda: self.client.peek(self.name + DEAD)):
            self.advance(4 * MINUTE)
            use()

        self.advance(4 * MINUTE)
        self.client.get(self.name)  # To look at the queue itself is no use of it.
        self.client.runtime(self.name)
        self.advance(2 * MINUTE)

        self.assert_fails(grpc.StatusCode.NOT_FOUND, "MessagingEntityNotFound", self.client.get, self.name)

    def test_23_a_queue_that_takes_nothing_still_gives(self):  # STS-3
        self.create()
        self.client.send(self.name, b"x")
        self.client.update(self.name, status=management_pb2.ENTITY_STATUS_SEND_DISABLED)

        self.assert_fails(grpc.StatusCode.FAILED_PRECONDITION, "MessagingEntityDisabled",
                          self.client.send, self.name, b"y")

        self.assert_settled(self.client.complete(self.name, self.client.receive_one(self.name).lock_token))


if __name__ == "__main__":
    unittest.main()
