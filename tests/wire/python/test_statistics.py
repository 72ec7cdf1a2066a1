"""What the broker has done since it started: counted before the answer leaves, and only rising.

On a broker that nobody else uses: what other tests locked would come free between two looks.
"""

import time
import unittest

import wire
from wire import messaging_pb2


class StatisticsTest(wire.OwnBrokerTest):

    def difference(self, act):
        """What each counter rose by meanwhile."""
        before = self.client.statistics()
        act()
        after = self.client.statistics()
        return {field.name: getattr(after, field.name) - getattr(before, field.name)
                for field in after.DESCRIPTOR.fields if field.cpp_type == field.CPPTYPE_INT64}

    def test_version_and_start(self):
        statistics = self.client.statistics()

        self.assertRegex(statistics.version, r"^\d+\.\d+\.\d+$")
        self.assertLess(abs(statistics.started_at.ToSeconds() - time.time()), 3600)

    def test_a_send_is_counted_when_its_answer_is_there(self):
        name = self.new_queue()

        rose = self.difference(lambda: self.client.send(name, b"a", b"b", b"c"))

        self.assertEqual(rose["sent_message_count"], 3)
        self.assertEqual((rose["delivered_message_count"], rose["settled_message_count"]), (0, 0))
        self.assertGreaterEqual(rose["turn_count"], 1)
        self.assertGreaterEqual(rose["change_count"], 3)
        self.assertGreaterEqual(rose["commit_count"], rose["sync_count"])
        self.assertGreaterEqual(rose["sync_count"], 1)
        self.assertGreater(rose["synced_bytes"], 0)

    def test_every_end_of_a_delivery_is_counted(self):
        name = self.new_queue()
        self.client.send(name, b"a", b"b", b"c", b"d", b"e")

        def settle_every_way():
            completed, abandoned, dead, released = [message.lock_token for message in self.client.receive(name, 4)]
            self.client.complete(name, completed)
            self.client.abandon(name, abandoned)
            self.client.dead_letter(name, dead)
            self.client.release(name, released)

        rose = self.difference(settle_every_way)
        self.assertEqual((rose["delivered_message_count"], rose["settled_message_count"]), (4, 4))
        self.assertEqual(rose["sent_message_count"], 0)

        rose = self.difference(
            lambda: self.client.receive(name, 10, mode=messaging_pb2.RECEIVE_MODE_RECEIVE_AND_DELETE))
        self.assertEqual((rose["delivered_message_count"], rose["settled_message_count"]), (3, 3))

    def test_what_changes_nothing_needs_no_sync(self):
        name = self.new_queue()

        def look():
            self.client.receive(name)
            self.client.get(name)
            self.client.peek(name)

        rose = self.difference(look)
        self.assertEqual((rose["sync_count"], rose["change_count"]), (0, 0))

    def test_entities_are_those_that_exist(self):
        name = self.new_name()

        self.assertEqual(self.difference(lambda: self.client.create(name))["entity_count"], 1)
        self.assertEqual(self.difference(lambda: self.client.delete(name))["entity_count"], -1)

    def test_how_long_the_next_session_was_looked_for_is_told(self):
        name = self.new_queue(requires_session=True)
        self.client.send(name, wire.message_in("red", b"1"))
        def histogram():
            return next(each for each in self.client.statistics().histograms if each.name == "wharf_accept_next_seconds")
        before = histogram()

        self.client.sessions.accept(name)

        after = histogram()
        self.assertEqual(after.count - before.count, 1)
        self.assertEqual(sum(bucket.count for bucket in after.buckets), after.count)
        self.assertGreaterEqual(after.sum_seconds, before.sum_seconds)


if __name__ == "__main__":
    unittest.main()
