"""Queues that forward their messages, or their dead letters, to others."""

import unittest

import grpc

import wire
from wire import management_pb2, messaging_pb2

DEAD = "/$DeadLetterQueue"
INVALID = grpc.StatusCode.FAILED_PRECONDITION, "InvalidOperation"
NOT_FOUND = grpc.StatusCode.NOT_FOUND, "MessagingEntityNotFound"


def text_of(message, name):
    return message.message.application_properties[name].string_value


class ForwardingTest(wire.WireTest):

    def test_a_message_goes_on_and_keeps_what_its_sender_said(self):  # FWD-1, FWD-12, SEQ-9, CNT-14
        there = self.new_queue()
        here = self.new_queue(forward_to=there)
        self.client.send(there, b"before")
        self.assert_settled(self.client.complete(there, self.client.receive_one(there).lock_token))
        message = wire.Message(body=b"hello", message_id="m", subject="s", session_id="red",
                               time_to_live=wire.seconds(3600))
        message.application_properties["color"].string_value = "red"

        (sent,) = self.client.send(here, message)

        received = self.client.receive_one(there)
        self.assertEqual((sent.sequence_number, received.sequence_number), (1, 2))
        self.assertEqual((received.enqueued_sequence_number, received.delivery_count), (1, 0))
        self.assertEqual(received.message.SerializeToString(deterministic=True),
                         message.SerializeToString(deterministic=True))
        self.assertFalse(received.HasField("dead_letter_source"))
        self.assertEqual(self.client.runtime(here).total_message_count, 0)

    def test_order_is_kept(self):  # FWD-8
        there = self.new_queue()
        here = self.new_queue(forward_to=there)
        bodies = [b"%d" % i for i in range(3000)]

        for begin in range(0, len(bodies), 100):
            self.client.send(here, *bodies[begin:begin + 100])

        self.assertEqual(wire.bodies(self.client.receive_all(there, len(bodies))), bodies)

    def test_a_large_message_is_forwarded(self):  # FWD-1
        there = self.new_queue(max_message_size_in_kilobytes=8192)
        here = self.new_queue(max_message_size_in_kilobytes=8192, forward_to=there)
        body = bytes(range(256)) * 4000

        self.client.send(here, body)

        self.assertEqual(self.client.receive_one(there).message.body, body)

    def test_receiving_where_messages_are_forwarded_is_refused(self):  # RCV-5, FWD-7, FWD-14, FWD-19
        there = self.new_queue()
        here = self.new_queue(forward_to=there, forward_dead_lettered_messages_to=there)

        for path in (here, here + DEAD):
            with self.subTest(path=path):
                self.assert_fails(*INVALID, self.client.receive, path)
                self.assertEqual(len(self.client.peek(path).messages), 0)
        self.client.update(here, forward_to="")
        self.client.send(here, b"x")
        self.assertEqual(self.client.receive_one(here).message.body, b"x")

    def test_a_stream_ends_when_its_queue_begins_to_forward(self):  # RCV-5
        there = self.new_queue()
        here = self.new_queue()
        stream = wire.ReceiveStream(self.client, here)
        stream.grant(5)
        stream.expect("started")

        self.client.update(here, forward_to=there)

        with self.assertRaises(grpc.RpcError) as caught:
            stream.expect("deliveries")
        self.assert_error(wire.status_of(caught.exception), *INVALID)

    def test_a_target_that_cannot_be_is_refused_and_changes_nothing(self):  # FWD-2, FWD-3, FWD-4
        there = self.new_queue()
        here = self.new_queue(forward_to=there)
        letters = self.new_queue(requires_session=True)
        before = self.client.get(there)

        for field in ("forward_to", "forward_dead_lettered_messages_to"):
            with self.subTest(field=field):
                self.assert_fails(*NOT_FOUND, self.client.update, there, **{field: self.new_name()})
                self.assert_fails(*INVALID, self.client.update, there, **{field: there.upper()})
                self.assert_fails(*INVALID, self.client.update, there, **{field: here + DEAD})
        self.assert_fails(*INVALID, self.client.update, there, forward_to=here)
        self.assert_fails(*INVALID, self.client.update, letters, requires_session=True, forward_to=there)
        self.assertEqual(self.client.get(there), before)
        self.assert_fails(*NOT_FOUND, self.client.create, self.new_name(), forward_to=self.new_name())

    def test_what_the_target_does_not_take_becomes_a_dead_letter(self):  # FWD-11, FWD-18, RSN-8
        there = self.new_queue()
        here = self.new_queue(forward_to=there)
        self.client.update(there, status=management_pb2.ENTITY_STATUS_SEND_DISABLED)
        self.client.send(here, b"disabled")
        self.client.delete(there)
        self.client.send(here, b"missing")

        dead = self.client.receive_all(here + DEAD, 2)

        self.assertEqual([(m.message.body, text_of(m, "DeadLetterReason")) for m in dead],
                         [(b"disabled", "MessagingEntityDisabledException"),
                          (b"missing", "MessagingEntityNotFoundException")])

    def test_dead_letters_go_on(self):  # FWD-14, PRP-20
        failed = self.new_queue()
        orders = self.new_queue(forward_dead_lettered_messages_to=failed)
        self.client.send(orders, b"x")

        self.assert_settled(self.client.dead_letter(orders, self.client.receive_one(orders).lock_token,
                                                    reason="Unreadable"))

        received = self.client.receive_one(failed)
        self.assertEqual((received.dead_letter_source, text_of(received, "DeadLetterReason")), (orders, "Unreadable"))
        self.assertEqual(self.client.runtime(orders).dead_letter_message_count, 0)

    def test_dead_letters_wait_for_a_full_target(self):  # FWD-15
        failed = self.new_queue(max_size_in_megabytes=1)
        self.client.send(failed, bytes(600000))
        self.client.send(failed, bytes(600000))
        orders = self.new_queue(forward_dead_lettered_messages_to=failed)
        self.client.send(orders, b"x")
        self.assert_settled(self.client.dead_letter(orders, self.client.receive_one(orders).lock_token))
        self.assertEqual(self.client.runtime(orders).dead_letter_message_count, 1)

        self.client.purge(failed)

        self.assertEqual(self.client.receive_one(failed).message.body, b"x")

    def test_a_forwarded_message_is_checked_for_its_id(self):  # DUP-9
        there = self.new_queue(requires_duplicate_detection=True)
        here = self.new_queue(forward_to=there)
        messages = [wire.Message(body=b"x", message_id=f"id{i % 5}") for i in range(100)]

        self.client.send(here, *messages)

        self.assertEqual(len(self.client.receive_all(there, 5)), 5)
        self.assertEqual(self.client.runtime(here).total_message_count, 0)
        self.assertEqual(self.client.runtime(there).active_message_count, 5)


if __name__ == "__main__":
    unittest.main()
