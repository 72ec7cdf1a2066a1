"""Large messages in every state: scheduled, deferred, resting, dead, expired, purged, sent back."""

import unittest

import grpc

import test_large
import wire
from wire import Message, messaging_pb2

DEAD = "/$DeadLetterQueue"
TOO_LARGE = grpc.StatusCode.INVALID_ARGUMENT, "MessageSizeExceeded"
BODY = test_large.body_of(3 * test_large.MIB)


class LargeStatesTest(wire.ManualClockTest):

    def setUp(self):
        super().setUp()
        self.client.create("orders", max_message_size_in_kilobytes=102400)

    def send_large(self, path="orders", **properties):
        sender = test_large.LargeSender(self.client)
        sender.large(1, path, BODY, Message(**properties))
        ((_, result),) = sender.results()
        return result

    def receive_large(self, path="orders"):
        """The next message of a stream, which must have the body; its lock token."""
        receiver = test_large.LargeReceiver(self.client, path)
        self.addCleanup(receiver.cancel)
        receiver.expect("started")
        receiver.grant(1)
        message, body = receiver.delivery()
        self.assertTrue(body == BODY)
        return message

    def peeked_body(self, number, path="orders"):
        body, at = b"", 0
        while at is not None:
            piece = self.client.messaging.PeekBody(messaging_pb2.PeekBodyRequest(
                entity_path=path, sequence_number=number, from_byte=at), timeout=wire.TIMEOUT)
            body += piece.data
            at = piece.next_byte if piece.HasField("next_byte") else None
        return body

    def assert_nothing_left(self):
        runtime = self.client.runtime("orders")
        self.assertEqual((runtime.total_message_count, runtime.size_in_bytes), (0, 0))

    def test_scheduled(self):  # SCH-5, SCX-1
        first, second = (self.send_large(scheduled_enqueue_time=self.after(10)).sequence_number for _ in range(2))

        listed = self.client.list_scheduled("orders").messages
        self.assertEqual([(m.sequence_number, m.message.body) for m in listed], [(first, b""), (second, b"")])
        self.client.cancel_scheduled("orders", second)
        self.client.reschedule("orders", self.after(20), first)
        self.kill_and_restart()
        self.advance(20)

        self.assert_settled(self.client.complete("orders", self.receive_large().lock_token))
        self.assert_nothing_left()

    def test_deferred(self):  # DEF-1, DFX-1
        self.send_large()
        self.assert_settled(self.client.defer("orders", self.receive_large().lock_token))

        self.assert_fails(*TOO_LARGE, self.client.receive_deferred, "orders", 1)
        self.assertEqual(self.client.runtime("orders").deferred_message_count, 1)
        self.kill_and_restart()
        self.client.undefer("orders", 1)

        message = self.receive_large()
        self.assertEqual(message.delivery_count, 1)
        self.assert_settled(self.client.complete("orders", message.lock_token))
        self.assert_nothing_left()

    def test_deferred_by_number(self):  # DEF-3, SIZ-8
        for _ in range(2):
            self.send_large()
            self.assert_settled(self.client.defer("orders", self.receive_large().lock_token))

        self.assert_fails(*TOO_LARGE, self.client.receive_deferred, "orders", 1, 2, takes_large=True)
        self.assert_fails(*TOO_LARGE, self.client.receive_deferred, "orders", 1, takes_large=True,
                          mode=messaging_pb2.RECEIVE_MODE_RECEIVE_AND_DELETE)
        (message,) = self.client.receive_deferred("orders", 1, takes_large=True)
        self.assertEqual((message.message.body, message.sequence_number), (b"", 1))
        self.assertTrue(self.peeked_body(1) == BODY)
        self.kill_and_restart()
        self.assertTrue(self.peeked_body(1) == BODY)
        self.assert_settled(self.client.complete("orders", message.lock_token))
        self.client.undefer("orders", 2)
        self.assert_settled(self.client.complete("orders", self.receive_large().lock_token))
        self.assert_nothing_left()

    def test_resting(self):  # RTY-2
        self.send_large()
        self.client.abandon_for("orders", self.receive_large().lock_token, delay=wire.seconds(10))
        self.kill_and_restart()
        self.advance(10)

        self.assert_settled(self.client.complete("orders", self.receive_large().lock_token))
        self.assert_nothing_left()

    def test_by_number(self):  # ONE-1
        self.send_large()
        self.send_large()

        self.assert_fails(*TOO_LARGE, self.client.receive_number, "orders", 1)
        self.client.settle_number("orders", 1, complete=messaging_pb2.Complete())
        self.client.settle_number("orders", 2, dead_letter=messaging_pb2.DeadLetter(reason="Bad"))

        self.assert_settled(self.client.complete("orders" + DEAD, self.receive_large("orders" + DEAD).lock_token))
        self.assert_nothing_left()

    def test_expired(self):  # TTL-9
        self.client.update("orders", max_message_size_in_kilobytes=102400, dead_lettering_on_message_expiration=True)
        self.send_large(time_to_live=wire.seconds(10))
        self.advance(10)

        self.assert_settled(self.client.complete("orders" + DEAD, self.receive_large("orders" + DEAD).lock_token))
        self.assert_nothing_left()

    def test_sent_back_and_over_a_crash(self):  # RDR-1
        self.client.create("others", max_message_size_in_kilobytes=102400)
        self.client.create("small")
        self.send_large()
        self.client.dead_letter("orders", self.receive_large().lock_token)

        job = self.client.end_of(self.client.redrive("orders" + DEAD, target="small"))
        self.assertEqual((job.done_count, job.left_count), (0, 1))
        job = self.client.end_of(self.client.redrive("orders" + DEAD, target="others"))
        self.assertEqual((job.done_count, job.left_count), (1, 0))
        self.client.delete("orders")
        self.kill_and_restart()

        self.assert_settled(self.client.complete("others", self.receive_large("others").lock_token))
        self.assertEqual(self.client.runtime("others").size_in_bytes, 0)

    def test_purged_and_deleted(self):  # PRG-1, BDL-1
        self.send_large()
        self.send_large(scheduled_enqueue_time=self.after(10))
        self.assertEqual(self.client.purge("orders", include_scheduled=True), 2)
        self.assert_nothing_left()

        self.send_large()
        self.send_large()
        self.assertEqual(self.client.delete_messages("orders", 1), 1)
        self.assertEqual(self.client.end_of(self.client.delete_selected("orders")).done_count, 1)
        self.assert_nothing_left()

    def test_duplicates(self):  # DUP-4
        self.client.create("unique", requires_duplicate_detection=True, max_message_size_in_kilobytes=102400)
        self.assertEqual(self.send_large("unique", message_id="a").sequence_number, 1)

        self.assertEqual(self.send_large("unique", message_id="a").duplicate_of, 1)

        self.assertEqual(self.client.send("unique", Message(message_id="a"))[0].duplicate_of, 1)
        self.assertEqual(self.client.runtime("unique").active_message_count, 1)
        self.kill_and_restart()
        self.assertEqual(self.send_large("unique", message_id="a").duplicate_of, 1)


if __name__ == "__main__":
    unittest.main()
