"""Single messages out of order, and the oldest ones deleted."""

import unittest

import grpc

import wire
from wire import messaging_pb2

DEAD = "/$DeadLetterQueue"
RECEIVE_AND_DELETE = messaging_pb2.RECEIVE_MODE_RECEIVE_AND_DELETE
NOT_FOUND = grpc.StatusCode.NOT_FOUND, "MessageNotFound"
INVALID = grpc.StatusCode.FAILED_PRECONDITION, "InvalidOperation"
COMPLETE = {"complete": messaging_pb2.Complete()}


class ByNumberTest(wire.ManualClockTest):

    def setUp(self):
        super().setUp()
        self.client.create("orders")

    def test_one_is_received_out_of_order(self):  # ONE-1
        self.client.send("orders", b"1", b"2", b"3")

        (message,) = self.client.receive_number("orders", 2)

        self.assertEqual((message.message.body, message.delivery_count, len(message.lock_token)), (b"2", 0, 16))
        self.assertEqual(wire.bodies(self.client.receive("orders", 5)), [b"1", b"3"])
        self.assert_settled(self.client.abandon("orders", message.lock_token))
        (again,) = self.client.receive("orders")
        self.assertEqual((again.sequence_number, again.delivery_count), (2, 1))

    def test_received_and_deleted_it_is_gone(self):  # ONE-1, RCV-1
        self.client.send("orders", b"1", b"2")

        (message,) = self.client.receive_number("orders", 2, mode=RECEIVE_AND_DELETE)

        self.assertEqual((message.message.body, message.lock_token), (b"2", b""))
        self.assertEqual(wire.numbers(self.client.peek("orders").messages), [1])

    def test_one_that_rests_can_be_received(self):  # ONE-1, RTY-2
        self.client.send("orders", b"1")
        self.client.abandon_for("orders", self.client.receive_one("orders").lock_token, delay=wire.seconds(100))

        (message,) = self.client.receive_number("orders", 1)

        self.assertEqual(message.delivery_count, 1)
        self.assert_settled(self.client.complete("orders", message.lock_token))
        self.advance(100)
        self.assertEqual(self.client.runtime("orders").total_message_count, 0)

    def test_received_out_of_order_it_may_rest_after_an_abandon(self):  # ONE-1, RTY-1
        self.client.send("orders", b"1", b"2")
        (message,) = self.client.receive_number("orders", 2)

        self.assert_settled(self.client.abandon_for("orders", message.lock_token, delay=wire.seconds(10)))

        self.assertEqual(self.client.runtime("orders").delayed_message_count, 1)
        self.assertEqual(wire.numbers(self.client.receive("orders", 5)), [1])
        self.advance(10)
        self.assertEqual(wire.numbers(self.client.receive("orders", 5)), [2])

    def test_a_locked_or_deferred_one_is_refused(self):  # ONE-1
        self.client.send("orders", b"1", b"2")
        deferred, locked = self.client.receive("orders", 2)
        self.client.defer("orders", deferred.lock_token)

        for number in (1, 2):
            self.assert_fails(*INVALID, self.client.receive_number, "orders", number)
        self.assert_fails(*INVALID, lambda: self.client.settle_number("orders", 2, **COMPLETE))

        self.assert_settled(self.client.complete("orders", locked.lock_token))

    def test_one_that_is_not_there(self):
        self.client.send("orders", b"1")
        for number in (0, 2, 1 << 48, (1 << 63) - 1):
            self.assert_fails(*NOT_FOUND, self.client.receive_number, "orders", number)
            self.assert_fails(*NOT_FOUND, lambda: self.client.settle_number("orders", number, **COMPLETE))
        self.assertEqual(self.client.runtime("orders").active_message_count, 1)

    def test_one_is_completed(self):  # ONE-1
        self.client.send("orders", b"1", b"2", b"3")

        self.client.settle_number("orders", 2, **COMPLETE)

        self.assertEqual(wire.bodies(self.client.receive("orders", 5)), [b"1", b"3"])

    def test_a_deferred_one_is_completed(self):  # ONE-1
        self.client.send("orders", b"1")
        self.client.defer("orders", self.client.receive_one("orders").lock_token)

        self.client.settle_number("orders", 1, **COMPLETE)

        self.assertEqual(self.client.runtime("orders").total_message_count, 0)

    def test_one_is_dead_lettered(self):  # ONE-1, DLQ-9, DLQ-10
        self.client.send("orders", b"1", b"2")

        self.client.settle_number("orders", 2, dead_letter=messaging_pb2.DeadLetter(reason="Bad", description="worse"))

        (dead,) = self.client.receive("orders" + DEAD)
        self.assertEqual((dead.sequence_number, dead.message.body), (2, b"2"))
        self.assertEqual(dead.message.application_properties["DeadLetterReason"].string_value, "Bad")
        self.assertEqual(dead.message.application_properties["DeadLetterErrorDescription"].string_value, "worse")

    def test_a_dead_letter_is_completed_and_not_dead_lettered_again(self):  # DLQ-4
        (number,) = self.dead_letter_all("orders", b"x")

        self.assert_fails(*INVALID, lambda: self.client.settle_number(
            "orders" + DEAD, number, dead_letter=messaging_pb2.DeadLetter()))
        self.client.settle_number("orders" + DEAD, number, **COMPLETE)

        self.assertEqual(self.client.runtime("orders").total_message_count, 0)

    def test_the_oldest_are_deleted(self):  # BDL-1, BDL-2
        self.client.send("orders", *[b"x"] * 10)

        self.assertEqual(self.client.delete_messages("orders", 4), 4)
        self.assertEqual(wire.numbers(self.client.peek("orders").messages), [5, 6, 7, 8, 9, 10])
        self.assertEqual(self.client.delete_messages("orders", 4000), 6)
        self.assertEqual(self.client.delete_messages("orders", 4000), 0)
        self.assertEqual(self.client.runtime("orders").size_in_bytes, 0)

    def test_only_those_before_a_time(self):  # BDL-1
        self.client.send("orders", b"1", b"2")
        self.advance(10)
        self.client.send("orders", b"3")

        self.assertEqual(self.client.delete_messages("orders", 10, self.after(-10)), 0)
        self.assertEqual(self.client.delete_messages("orders", 10, self.after(0)), 2)

        self.assertEqual(wire.numbers(self.client.peek("orders").messages), [3])

    def test_what_does_not_wait_stays(self):  # BDL-4, BDL-6
        self.client.send("orders", b"1", b"2", b"3", b"4")
        deferred, locked, delayed = self.client.receive("orders", 3)
        self.client.defer("orders", deferred.lock_token)
        self.client.abandon_for("orders", delayed.lock_token, delay=wire.seconds(100))
        self.schedule("orders", 100, b"5")

        self.assertEqual(self.client.delete_messages("orders", 100), 2)  # One that waits, one that rests.

        self.assertEqual(wire.numbers(self.client.peek("orders").messages), [1, 2, 5])
        self.assert_settled(self.client.complete("orders", locked.lock_token))

    def test_in_a_dead_letter_queue(self):  # BDL-5
        self.dead_letter_all("orders", b"1", b"2")
        self.client.send("orders", b"3")

        self.assertEqual(self.client.delete_messages("orders" + DEAD, 100), 2)

        self.assertEqual(self.client.runtime("orders").total_message_count, 1)


if __name__ == "__main__":
    unittest.main()
