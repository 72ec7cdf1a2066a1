"""Queues with priorities, and partitioned ones, also with sessions."""

import unittest

import grpc

import wire
from wire import Message, bodies

URGENT = 9


class PriorityTest(wire.WireTest):

    def test_the_highest_comes_first_and_four_is_the_default(self):  # PRI-1
        name = self.new_queue(enable_priority=True)
        self.assertTrue(self.client.get(name).enable_priority)

        self.client.send(name, Message(body=b"low", priority=3), Message(body=b"plain"),
                         Message(body=b"high", priority=5), Message(body=b"urgent", priority=URGENT))

        received = self.client.receive_all(name, 4)
        self.assertEqual(bodies(received), [b"urgent", b"high", b"plain", b"low"])
        self.assertEqual(received[0].message.priority, URGENT)

    def test_a_higher_one_than_nine_is_refused(self):  # PRI-1
        name = self.new_queue(enable_priority=True)

        self.assert_fails(grpc.StatusCode.OUT_OF_RANGE, "ArgumentOutOfRange", self.client.send, name,
                          Message(priority=10))

    def test_a_queue_has_one_order(self):  # PRI-1, PAR-7
        for other in ("requires_session", "enable_partitioning"):
            self.assert_fails(grpc.StatusCode.INVALID_ARGUMENT, "ArgumentError", self.client.create,
                              self.new_name(), enable_priority=True, **{other: True})


class PartitionTest(wire.WireTest):

    def test_equal_keys_go_to_one_partition_and_come_in_order(self):  # PAR-1..4
        name = self.new_queue(enable_partitioning=True)
        keys = [f"customer-{number % 20}" for number in range(200)]

        sent = self.client.send(name, *[Message(body=str(index).encode(), partition_key=key)
                                        for index, key in enumerate(keys)])

        partitions = {key: result.sequence_number >> 48 for key, result in zip(keys, sent)}
        for key, result in zip(keys, sent):
            self.assertEqual(result.sequence_number >> 48, partitions[key])
        self.assertGreater(len(set(partitions.values())), 4)
        self.assertLessEqual(max(partitions.values()), 15)
        received = self.client.receive_all(name, 200)
        for key in partitions:
            self.assertEqual([int(each.message.body) for each in received if each.message.partition_key == key],
                             [index for index, other in enumerate(keys) if other == key])

    def test_an_atomic_send_has_one_key(self):  # PAR-5
        name = self.new_queue(enable_partitioning=True)

        self.assert_fails(grpc.StatusCode.FAILED_PRECONDITION, "InvalidOperation", self.client.send, name,
                          Message(partition_key="a"), Message(partition_key="b"), atomic=True)

    def test_a_partitioned_queue_forwards_each_key_in_order(self):  # FWD-1, FWD-8
        there = self.new_queue()
        here = self.new_queue(enable_partitioning=True, forward_to=there)
        keys = [f"customer-{number % 20}" for number in range(200)]
        self.client.send(here, *[Message(body=str(index).encode(), partition_key=key)
                                 for index, key in enumerate(keys)])

        received = self.client.receive_all(there, 200)

        for key in set(keys):
            self.assertEqual([int(each.message.body) for each in received if each.message.partition_key == key],
                             [index for index, other in enumerate(keys) if other == key])

    def test_dead_letters_of_partitions_are_forwarded(self):  # FWD-14
        there = self.new_queue()
        here = self.new_queue(enable_partitioning=True, forward_dead_lettered_messages_to=there)
        self.client.send(here, *[Message(partition_key=f"customer-{number}") for number in range(50)])
        tokens = [message.lock_token for message in self.client.receive_all(here, 50)]

        self.assert_settled(self.client.dead_letter(here, *tokens), 50)

        self.assertEqual(len(self.client.receive_all(there, 50)), 50)


class PartitionedSessionTest(wire.SessionTest):

    def test_a_session_is_in_one_partition_and_none_of_them_goes_first(self):  # PAR-1, PAR-4, SES-6
        name = self.new_session_queue(enable_partitioning=True)
        sessions = [f"customer-{number}" for number in range(40)]
        for body in (b"1", b"2"):
            self.send(name, **{session: [body] for session in sessions})

        counts, partitions = [], set()
        for _ in sessions:
            session = self.client.sessions.accept(name)
            messages = self.client.receive(name, 9, session=session.session_lock_token)
            self.assertEqual(bodies(messages), [b"1", b"2"])
            self.assertEqual({message.message.session_id for message in messages}, {session.session_id})
            self.assertEqual(len({message.sequence_number >> 48 for message in messages}), 1)
            counts.append(messages[0].sequence_number & 0xFFFFFFFFFFFF)
            partitions.add(messages[0].sequence_number >> 48)

        self.assertEqual(counts, sorted(counts))
        self.assertGreater(len(partitions), 8)


if __name__ == "__main__":
    unittest.main()
