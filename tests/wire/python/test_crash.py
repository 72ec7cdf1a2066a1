"""What was acknowledged is there after kill -9: messages, locks, settlements, queues."""

import unittest

import grpc

import wire
from wire import Value


class CrashTest(wire.OwnBrokerTest):

    def test_acknowledged_messages_survive(self):  # SND-1
        self.client.create("orders", max_delivery_count=3)
        sent = [wire.Message(body=b"%d" % number, message_id=str(number),
                             application_properties={"n": Value(int64_value=number)}) for number in range(300)]
        for message in sent[:100]:
            self.client.send("orders", message)
        self.client.send("orders", *sent[100:])

        self.kill_and_restart()

        self.assertEqual(self.client.get("orders").max_delivery_count, 3)
        self.assertEqual(self.client.runtime("orders").active_message_count, 300)
        received = self.client.receive_all("orders", 300)
        self.assertEqual([message.message for message in received], sent)
        self.assertEqual([message.sequence_number for message in received], list(range(1, 301)))
        self.assertEqual(self.client.send("orders", b"next")[0].sequence_number, 301)

    def test_a_lock_survives_and_its_token_still_settles(self):  # LCK-11, CNT-5
        self.client.create("orders")
        self.client.send("orders", b"0", b"1", b"2", b"3")
        tokens = [message.lock_token for message in self.client.receive("orders", 3)]

        self.kill_and_restart()

        others = self.client.receive("orders", 10)
        self.assertEqual([message.message.body for message in others], [b"3"])
        self.assertFalse(self.client.renew("orders", tokens[0])[0].HasField("error"))
        self.assert_settled(self.client.complete("orders", tokens[0]))
        self.assert_settled(self.client.abandon("orders", tokens[1]))
        self.assert_settled(self.client.dead_letter("orders", tokens[2], reason="tried"))
        (again,) = self.client.receive("orders", 10)
        self.assertEqual((again.message.body, again.delivery_count), (b"1", 1))
        (dead,) = self.client.receive("orders/$DeadLetterQueue", 10)
        self.assertEqual(dead.message.application_properties["DeadLetterReason"].string_value, "tried")

    def test_what_was_settled_stays_settled(self):  # STL-1, CNT-3, DLQ-7
        self.client.create("orders")
        self.client.send("orders", b"0", b"1", b"2")
        tokens = [message.lock_token for message in self.client.receive("orders", 3)]
        self.client.complete("orders", tokens[0])
        self.client.abandon("orders", tokens[1], why=Value(string_value="busy"))
        self.client.dead_letter("orders", tokens[2])

        self.kill_and_restart()

        (again,) = self.client.receive("orders", 10)
        self.assertEqual((again.message.body, again.delivery_count), (b"1", 1))
        self.assertEqual(again.message.application_properties["why"].string_value, "busy")
        (dead,) = self.client.receive("orders/$DeadLetterQueue", 10)
        self.assertEqual(dead.message.body, b"2")
        self.assert_fails(grpc.StatusCode.ABORTED, "MessageLockLost", self.client.complete, "orders", tokens[0])

    def test_a_deleted_queue_stays_deleted(self):  # EPR-33
        self.client.create("orders")
        self.client.send("orders", b"old")
        self.client.delete("orders")

        self.kill_and_restart()

        self.assert_fails(grpc.StatusCode.NOT_FOUND, "MessagingEntityNotFound", self.client.get, "orders")
        self.client.create("orders")
        self.assertEqual(list(self.client.peek("orders").messages), [])

    def test_killing_it_again_and_again_loses_nothing(self):  # SND-1
        self.client.create("orders")
        for number in range(5):
            self.client.send("orders", b"%d" % number)
            self.kill_and_restart()

        self.assertEqual([message.message.body for message in self.client.receive("orders", 10)],
                         [b"0", b"1", b"2", b"3", b"4"])

    def test_asked_to_end_it_ends_well_and_keeps_locks(self):  # LCK-11
        self.client.create("orders")
        self.client.send("orders", b"x")
        token = self.client.receive_one("orders").lock_token

        self.assertEqual(self.daemon.terminate(), 0)
        self.daemon.start()
        self.client = self.connect()

        self.assert_settled(self.client.complete("orders", token))


if __name__ == "__main__":
    unittest.main()
