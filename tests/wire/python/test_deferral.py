"""Messages that are set aside, and received by their numbers only."""

import unittest

import grpc

import wire
from wire import Value, messaging_pb2

DEAD = "/$DeadLetterQueue"
RECEIVE_AND_DELETE = messaging_pb2.RECEIVE_MODE_RECEIVE_AND_DELETE
NOT_FOUND = grpc.StatusCode.NOT_FOUND, "MessageNotFound"


class DeferralTest(wire.ManualClockTest):

    def deferred(self, *values, **properties):
        """A new queue in which these messages are deferred, numbered from 1."""
        self.client.create("orders", **properties)
        self.client.send("orders", *values)
        for message in self.client.receive_all("orders", len(values)):
            self.assert_settled(self.client.defer("orders", message.lock_token))

    def test_they_come_in_the_order_asked_for(self):  # DEF-1, DEF-3
        self.deferred(b"1", b"2", b"3")

        self.assertEqual(wire.numbers(self.client.receive_deferred("orders", 3, 1)), [3, 1])

        self.assertEqual(self.client.runtime("orders").locked_message_count, 2)

    def test_all_of_them_or_none(self):  # DEF-3
        self.deferred(b"1", b"2")
        self.client.send("orders", b"3")
        (locked,) = self.client.receive_deferred("orders", 2)

        for others in ((1, 2), (1, 3), (1, 99), (1, 0), (99,)):
            with self.subTest(numbers=others):
                self.assert_fails(*NOT_FOUND, self.client.receive_deferred, "orders", *others)

        runtime = self.client.runtime("orders")
        self.assertEqual((runtime.locked_message_count, runtime.deferred_message_count), (1, 1))
        self.assert_settled(self.client.complete("orders", locked.lock_token))

    def test_none_asked_for_is_none_received(self):
        self.deferred(b"1")

        self.assertEqual(list(self.client.receive_deferred("orders")), [])

    def test_receive_and_delete(self):  # RCV-1
        self.deferred(b"1", b"2")

        (message,) = self.client.receive_deferred("orders", 2, mode=RECEIVE_AND_DELETE)

        self.assertEqual((message.message.body, message.lock_token), (b"2", b""))
        self.assertEqual(self.client.runtime("orders").total_message_count, 1)

    def test_release_does_not_count(self):  # STL-13, STA-4
        self.deferred(b"1")
        (message,) = self.client.receive_deferred("orders", 1)

        self.assert_settled(self.client.release("orders", message.lock_token))

        (message,) = self.client.receive_deferred("orders", 1)
        self.assertEqual(message.delivery_count, 1)

    def test_a_defer_may_change_properties(self):  # STL-7
        self.client.create("orders")
        self.client.send("orders", b"1")
        token = self.client.receive_one("orders").lock_token

        self.assert_settled(self.client.defer("orders", token, why=Value(string_value="later")))

        (message,) = self.client.receive_deferred("orders", 1)
        self.assertEqual(message.message.application_properties["why"].string_value, "later")

    def test_undefer_makes_them_available_at_their_places(self):  # DFX-1, STA-2
        self.deferred(b"1", b"2")
        self.client.send("orders", b"3")

        self.assert_fails(*NOT_FOUND, self.client.undefer, "orders", 1, 3)
        self.assertEqual(self.client.runtime("orders").deferred_message_count, 2)
        self.client.undefer("orders", 2, 1)

        messages = self.client.receive("orders", 5)
        self.assertEqual([(m.sequence_number, m.delivery_count) for m in messages], [(1, 1), (2, 1), (3, 0)])
        self.assertEqual(messages[0].state, wire.message_pb2.MESSAGE_STATE_ACTIVE)

    def test_one_that_has_expired_is_dead_lettered_when_it_is_asked_for(self):  # TTL-14
        self.deferred(b"1", default_message_time_to_live=wire.seconds(10),
                      dead_lettering_on_message_expiration=True)
        self.advance(20)
        self.assertEqual(self.client.runtime("orders").deferred_message_count, 1)

        self.assert_fails(*NOT_FOUND, self.client.receive_deferred, "orders", 1)

        runtime = self.client.runtime("orders")
        self.assertEqual((runtime.deferred_message_count, runtime.dead_letter_message_count), (0, 1))

    def test_deferral_in_a_dead_letter_queue(self):  # DLQ-5
        self.client.create("orders")
        (number,) = self.dead_letter_all("orders", b"x")
        token = self.client.receive_one("orders" + DEAD).lock_token

        self.assert_settled(self.client.defer("orders" + DEAD, token))

        self.assertEqual(list(self.client.receive("orders" + DEAD)), [])
        (message,) = self.client.receive_deferred("orders" + DEAD, number)
        self.assertEqual(message.message.body, b"x")

    def test_they_survive_a_crash(self):  # DEF-1, LCK-11
        self.deferred(b"1", b"2")
        (locked,) = self.client.receive_deferred("orders", 2)

        self.kill_and_restart()

        self.assertEqual(list(self.client.receive("orders")), [])
        self.assert_settled(self.client.abandon("orders", locked.lock_token))
        self.assertEqual(wire.numbers(self.client.receive_deferred("orders", 1, 2)), [1, 2])

    def test_a_cancelled_call_locks_nothing(self):  # LCK-14
        self.deferred(*[b"x" * 1000] * 500)
        request = messaging_pb2.ReceiveDeferredRequest(entity_path="orders", sequence_numbers=range(1, 501))
        for _ in range(20):
            call = self.client.messaging.ReceiveDeferred.future(request, timeout=wire.TIMEOUT)
            call.cancel()  # Its answer may have been faster.

        # What a late call has locked is given back as soon as it notices; what had been answered stays locked.
        self.assertEqual(len(self.received_after(20, *range(1, 501))), 500)

    def received_after(self, calls, *numbers):
        """What so many calls may still lock, each once, is received when they are done with it."""
        for _ in range(calls):
            self.advance(60)
            try:
                return self.client.receive_deferred("orders", *numbers)
            except grpc.RpcError as error:
                self.assertEqual((error.code(), wire.error_info(wire.status_of(error)).reason), NOT_FOUND)
        self.advance(60)
        return self.client.receive_deferred("orders", *numbers)


if __name__ == "__main__":
    unittest.main()
