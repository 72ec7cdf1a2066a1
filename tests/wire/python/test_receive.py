"""Receiving, settling, the dead-letter queue, renewing locks and peeking, call by call."""

import unittest

import grpc

import wire
from wire import Value, messaging_pb2

DEAD = "/$DeadLetterQueue"
RECEIVE_AND_DELETE = messaging_pb2.RECEIVE_MODE_RECEIVE_AND_DELETE
LOCK_LOST = grpc.StatusCode.ABORTED, "MessageLockLost"


class ReceiveTest(wire.WireTest):

    def test_an_empty_queue_answers_at_once_with_nothing(self):  # STA-5
        self.assertEqual(list(self.client.receive(self.new_queue())), [])

    def test_a_waiting_receiver_wakes_when_a_message_arrives(self):  # STA-5
        name = self.new_queue()
        request = messaging_pb2.ReceiveRequest(entity_path=name, max_messages=5, max_wait=wire.seconds(50))
        waiting = self.client.messaging.Receive.future(request, timeout=wire.TIMEOUT)
        self.client.get(name)  # The receive went out before it on the same connection.

        self.client.send(name, b"news")

        self.assertEqual([message.message.body for message in waiting.result().messages], [b"news"])

    def test_receivers_are_served_in_the_order_they_came(self):  # STA-6
        name = self.new_queue()
        streams = []
        for _ in range(3):
            stream = wire.ReceiveStream(self.client, name)
            self.addCleanup(stream.cancel)
            stream.expect("started")
            stream.grant(1)
            stream.renew(1, [wire.UNKNOWN_TOKEN])
            stream.expect("renewed")  # The credit before it has arrived.
            streams.append(stream)

        self.client.send(name, b"0", b"1", b"2")

        bodies = [stream.deliveries(1)[0].message.body for stream in streams]
        self.assertEqual(bodies, [b"0", b"1", b"2"])

    def test_messages_come_in_order_and_locked(self):  # STA-1, RCV-2, LCK-2, CNT-1
        name = self.new_queue(lock_duration=wire.seconds(30))
        self.client.send(name, b"0", b"1", b"2")

        messages = self.client.receive(name, 2)

        self.assertEqual([(m.sequence_number, m.message.body, m.delivery_count) for m in messages],
                         [(1, b"0", 0), (2, b"1", 0)])
        self.assertEqual([len(m.lock_token) for m in messages], [16, 16])
        self.assertNotEqual(messages[0].lock_token, messages[1].lock_token)
        self.assertEqual([m.message.body for m in self.client.receive(name, 5)], [b"2"])

    def test_one_answer_brings_all_that_was_asked_for(self):  # STA-5
        name = self.new_queue()
        self.client.send(name, *(b"%d" % number for number in range(1000)))

        messages = self.client.receive(name, 900)

        self.assertEqual([int(message.message.body) for message in messages], list(range(900)))

    def test_receive_and_delete_leaves_nothing(self):  # RCV-1, CNT-13
        name = self.new_queue()
        self.client.send(name, b"0", b"1")

        (message,) = self.client.receive(name, mode=RECEIVE_AND_DELETE)

        self.assertEqual((message.message.body, message.lock_token, message.delivery_count), (b"0", b"", 0))
        self.assertEqual([m.message.body for m in self.client.peek(name).messages], [b"1"])

    def test_complete_removes_for_good(self):  # STL-1, STL-10
        name = self.new_queue()
        self.client.send(name, b"x")
        token = self.client.receive_one(name).lock_token

        self.assert_settled(self.client.complete(name, token))

        self.assertEqual(self.client.runtime(name).total_message_count, 0)
        self.assert_fails(*LOCK_LOST, self.client.complete, name, token)

    def test_abandon_counts_and_returns_to_the_old_place(self):  # STL-2, CNT-3, STA-2, SEQ-8
        name = self.new_queue()
        self.client.send(name, b"first", b"second")
        token = self.client.receive_one(name).lock_token

        self.assert_settled(self.client.abandon(name, token))

        again = self.client.receive_one(name)
        self.assertEqual((again.message.body, again.sequence_number, again.delivery_count), (b"first", 1, 1))
        self.assertNotEqual(again.lock_token, token)

    def test_abandon_may_change_properties(self):  # STL-7
        name = self.new_queue()
        self.client.send(name, wire.Message(
            application_properties={"kept": Value(bool_value=True), "tries": Value(int32_value=0)}))
        token = self.client.receive_one(name).lock_token

        self.client.abandon(name, token, tries=Value(int32_value=1), why=Value(string_value="busy"))

        properties = self.client.receive_one(name).message.application_properties
        self.assertEqual(dict(properties), {
            "kept": Value(bool_value=True), "tries": Value(int32_value=1), "why": Value(string_value="busy")})

    def test_release_does_not_count(self):  # STL-13
        name = self.new_queue()
        self.client.send(name, b"x")

        self.assert_settled(self.client.release(name, self.client.receive_one(name).lock_token))

        self.assertEqual(self.client.receive_one(name).delivery_count, 0)

    def test_a_bad_token_changes_nothing_for_the_others(self):  # STL-12, ERR-4
        name = self.new_queue()
        self.client.send(name, b"0", b"1")
        first, second = (message.lock_token for message in self.client.receive(name, 2))

        results = self.client.complete(name, first, wire.UNKNOWN_TOKEN, second)

        self.assertEqual([result.lock_token for result in results], [first, wire.UNKNOWN_TOKEN, second])
        self.assertEqual([result.HasField("error") for result in results], [False, True, False])
        self.assert_error(results[1].error, *LOCK_LOST)
        self.assertEqual(self.client.runtime(name).total_message_count, 0)

    def test_a_token_is_settled_by_whom_it_may_concern(self):  # LCK-7
        name = self.new_queue()
        self.client.send(name, b"x")
        token = self.client.receive_one(name).lock_token
        self.client.close()
        other = wire.Client()
        self.addCleanup(other.close)

        self.assert_settled(other.complete(name, token))

    def test_renewing_holds_on_with_the_same_token(self):  # LCK-2, LCK-10
        name = self.new_queue(lock_duration=wire.seconds(60))
        self.client.send(name, b"x")
        message = self.client.receive_one(name)
        self.client.update(name, lock_duration=wire.seconds(600))

        (result,) = self.client.renew(name, message.lock_token)

        self.assertEqual(result.lock_token, message.lock_token)
        gained = result.locked_until.ToSeconds() - message.locked_until.ToSeconds()
        self.assertGreaterEqual(gained, 539)
        self.assert_settled(self.client.complete(name, message.lock_token))

    def test_an_unknown_token_cannot_be_renewed_and_harms_no_other(self):  # LCK-4
        name = self.new_queue()
        self.client.send(name, b"x")
        token = self.client.receive_one(name).lock_token

        unknown, known = self.client.renew(name, wire.UNKNOWN_TOKEN, token)

        self.assert_error(unknown.error, *LOCK_LOST)
        self.assertFalse(known.HasField("error"))


class DeadLetterTest(wire.WireTest):

    def test_dead_lettering_moves_the_message_with_its_reason(self):  # STL-4, DLQ-9, DLQ-10, CNT-7, SEQ-7, PRP-20
        name = self.new_queue()
        self.client.send(name, b"other", wire.Message(
            body=b"bad", message_id="m", application_properties={"a": Value(int32_value=1)}))
        _, message = self.client.receive(name, 2)

        self.assert_settled(self.client.dead_letter(
            name, message.lock_token, reason="NoSuchOrder", description="order 7 does not exist",
            properties_to_modify={"a": Value(int32_value=2)}))

        dead = self.client.receive_one(name + DEAD)
        self.assertEqual((dead.message.body, dead.message.message_id), (b"bad", "m"))
        self.assertEqual((dead.sequence_number, dead.delivery_count), (2, 0))
        self.assertEqual(dead.enqueued_time, message.enqueued_time)
        self.assertFalse(dead.HasField("dead_letter_source"))
        self.assertEqual(dict(dead.message.application_properties), {
            "a": Value(int32_value=2),
            "DeadLetterReason": Value(string_value="NoSuchOrder"),
            "DeadLetterErrorDescription": Value(string_value="order 7 does not exist")})

    def test_a_reason_is_not_needed(self):  # RSN-7
        name = self.new_queue()
        self.client.send(name, b"x")

        self.client.dead_letter(name, self.client.receive_one(name).lock_token)

        self.assertEqual(dict(self.client.receive_one(name + DEAD).message.application_properties), {})

    def test_a_reason_has_4096_characters_at_most(self):  # STL-8
        name = self.new_queue()
        self.client.send(name, b"x")
        token = self.client.receive_one(name).lock_token

        for text in ("reason", "description"):
            refusal = self.refusal_of(name, token, **{text: "x" * 4097})
            self.assert_error(refusal, grpc.StatusCode.INVALID_ARGUMENT, "ArgumentError")

        self.assert_settled(self.client.dead_letter(name, token, reason="x" * 4096))

    def test_what_keeps_failing_comes_to_rest(self):  # MAX-2, MAX-3, RSN-1
        name = self.new_queue(max_delivery_count=2)
        self.client.send(name, b"x")

        for expected in (0, 1):
            message = self.client.receive_one(name)
            self.assertEqual(message.delivery_count, expected)
            self.client.abandon(name, message.lock_token)

        self.assertEqual(list(self.client.receive(name)), [])
        dead = self.client.receive_one(name + DEAD)
        self.assertEqual(dead.delivery_count, 2)
        properties = dead.message.application_properties
        self.assertEqual(properties["DeadLetterReason"].string_value, "MaxDeliveryCountExceeded")
        self.assertEqual(properties["DeadLetterErrorDescription"].string_value,
                         "Message could not be consumed after 2 delivery attempts.")

    def test_a_dead_letter_queue_is_a_queue_to_receive_from(self):  # ADR-5, ADR-10, DLQ-4, DLQ-5, CNT-12, MAX-5
        name = self.new_queue(max_delivery_count=1)
        self.client.send(name, b"x")
        self.client.dead_letter(name, self.client.receive_one(name).lock_token)
        dead = name + DEAD.lower()

        for _ in range(3):
            message = self.client.receive_one(dead)
            self.assertEqual(message.delivery_count, 0)
            self.assert_settled(self.client.abandon(dead, message.lock_token))
        token = self.client.receive_one(dead).lock_token
        self.assertFalse(self.client.renew(dead, token)[0].HasField("error"))
        self.assert_error(self.refusal_of(dead, token), grpc.StatusCode.FAILED_PRECONDITION, "InvalidOperation")
        self.assert_settled(self.client.complete(dead, token))

        self.assertEqual(list(self.client.peek(dead).messages), [])

    def refusal_of(self, path, token, **options):
        """The Status of a dead-lettering of one token, which must fail as a call."""
        with self.assertRaises(grpc.RpcError) as caught:
            self.client.dead_letter(path, token, **options)
        return wire.status_of(caught.exception)


class PeekTest(wire.WireTest):

    def test_peek_looks_without_touching(self):  # PEEK-1, PEEK-2, PEEK-7, STA-3
        name = self.new_queue()
        self.client.send(name, b"0", b"1", b"2")
        locked = self.client.receive_one(name)

        seen = self.client.peek(name).messages
        seen_again = self.client.peek(name).messages

        self.assertEqual([m.message.body for m in seen], [b"0", b"1", b"2"])
        self.assertEqual(list(seen), list(seen_again))
        for message in seen:
            self.assertEqual(message.state, wire.message_pb2.MESSAGE_STATE_ACTIVE)
            self.assertEqual((message.lock_token, message.delivery_count), (b"", 0))
        self.assert_settled(self.client.complete(name, locked.lock_token))

    def test_peek_goes_on_where_it_was(self):  # PEEK-3, PEEK-4
        name = self.new_queue()
        self.client.send(name, *(b"%d" % number for number in range(1, 8)))
        for message in self.client.receive(name, 3):
            self.client.complete(name, message.lock_token)

        numbers, start = [], 0
        while True:
            page = self.client.peek(name, start, 3)
            self.assertLessEqual(len(page.messages), 3)
            numbers += [message.sequence_number for message in page.messages]
            if not page.HasField("next_sequence_number"):
                break
            start = page.next_sequence_number

        self.assertEqual(numbers, [4, 5, 6, 7])
        self.assertEqual(list(self.client.peek(name, 1000).messages), [])

    def test_the_dead_letter_queue_is_peeked_on_its_own(self):  # PEEK-2, PEEK-10
        name = self.new_queue()
        self.client.send(name, b"0", b"1")
        self.client.dead_letter(name, self.client.receive_one(name).lock_token)

        self.assertEqual([m.message.body for m in self.client.peek(name).messages], [b"1"])
        self.assertEqual([m.message.body for m in self.client.peek(name + DEAD).messages], [b"0"])


if __name__ == "__main__":
    unittest.main()
