"""Queues with priorities, and partitioned ones."""

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


if __name__ == "__main__":
    unittest.main()
