"""Queues: create, look at, change, list and delete them."""

import unittest

import grpc

import wire
from wire import management_pb2


class ManagementTest(wire.WireTest):

    def test_a_new_queue_has_the_defaults_of_service_bus(self):  # EPR-2, EPR-3, EPR-4, EPR-11, EPR-13, MAX-1
        name = self.new_name()

        queue = self.client.create(name)

        self.assertEqual(queue.name, name)
        self.assertEqual(queue.lock_duration.ToSeconds(), 60)
        self.assertEqual(queue.max_size_in_megabytes, 1024)
        self.assertEqual(queue.max_message_size_in_kilobytes, 1024)
        self.assertEqual(queue.max_delivery_count, 10)
        self.assertEqual(queue.status, management_pb2.ENTITY_STATUS_ACTIVE)
        self.assertFalse(queue.requires_session or queue.requires_duplicate_detection)
        self.assertFalse(queue.HasField("default_message_time_to_live"))
        self.assertEqual(self.client.get(name), queue)

    def test_what_was_asked_for_is_what_one_gets(self):  # EPR-2, EPR-11, EPR-18
        name = self.new_name()

        self.client.create(name, lock_duration=wire.seconds(30), max_delivery_count=3, user_metadata="Wharf, Größe")

        queue = self.client.get(name)
        self.assertEqual(queue.lock_duration.ToSeconds(), 30)
        self.assertEqual(queue.max_delivery_count, 3)
        self.assertEqual(queue.user_metadata, "Wharf, Größe")

    def test_names_are_compared_without_case_and_keep_it(self):  # ADR-10
        name = self.new_queue()

        self.assertEqual(self.client.get(name.upper()).name, name)
        self.assertEqual(len(self.client.send(name.upper(), b"x")), 1)
        self.assertEqual(self.client.receive_one(name).message.body, b"x")

    def test_a_backslash_counts_as_a_slash(self):  # NAM-1
        name = self.new_queue()

        self.assertEqual(self.client.get(name.replace("/", "\\")).name, name)

    def test_a_second_queue_of_the_same_name_is_refused(self):  # EPR-34, ERR-2
        name = self.new_queue()

        info = self.assert_fails(
            grpc.StatusCode.ALREADY_EXISTS, "MessagingEntityAlreadyExists", self.client.create, name.upper())

        self.assertEqual(info.metadata["entity_path"].lower(), name.lower())
        self.assertEqual(info.metadata["is_transient"], "false")

    def test_bad_names_are_refused(self):  # NAM-1, ERR-15
        for name in ("", "/", "-a", "a-", "a//b", "a?b", "a#b", "a@b", "a*b", "a b", "$a", "ü", "a" * 261):
            with self.subTest(name=name):
                self.assert_fails(grpc.StatusCode.INVALID_ARGUMENT, "ArgumentError", self.client.create, name)

    def test_an_update_replaces_everything(self):  # EPR-30
        name = self.new_queue(lock_duration=wire.seconds(30), max_delivery_count=3)

        updated = self.client.update(name, max_delivery_count=4)

        self.assertEqual(updated.max_delivery_count, 4)
        self.assertEqual(updated.lock_duration.ToSeconds(), 60)
        self.assertEqual(self.client.get(name), updated)

    def test_what_is_fixed_at_creation_cannot_be_updated(self):  # EPR-31
        name = self.new_queue()

        with self.assertRaises(grpc.RpcError) as caught:
            self.client.update(name, requires_session=True)

        self.assertIn("session", caught.exception.details())
        self.assert_error(wire.status_of(caught.exception), grpc.StatusCode.INVALID_ARGUMENT, "ArgumentError")

    def test_values_outside_their_range_are_refused(self):  # EPR-2, EPR-11, ERR-16
        for properties in ({"lock_duration": wire.seconds(4)}, {"max_delivery_count": 0}, {"max_delivery_count": -1}):
            with self.subTest(properties=properties):
                self.assert_fails(grpc.StatusCode.OUT_OF_RANGE, "ArgumentOutOfRange",
                                  self.client.create, self.new_name(), **properties)

    def test_listing_goes_page_by_page_in_the_order_of_names(self):
        names = sorted((self.new_queue() for _ in range(5)), key=str.lower)

        listed, token = [], ""
        while True:
            page = self.client.management.ListQueues(
                management_pb2.ListQueuesRequest(page_size=2, page_token=token), timeout=wire.TIMEOUT)
            self.assertLessEqual(len(page.queues), 2)
            self.assertEqual([queue.name for queue in page.queues], [runtime.name for runtime in page.runtime])
            listed += [queue.name for queue in page.queues]
            token = page.next_page_token
            if not token:
                break

        self.assertEqual(listed, sorted(listed, key=str.lower))
        self.assertEqual([name for name in listed if name in names], names)

    def test_a_deleted_queue_is_gone_with_its_messages(self):  # EPR-33, ERR-1
        name = self.new_queue()
        self.client.send(name, b"old")

        self.client.delete(name)

        for call in (self.client.get, self.client.delete, self.client.runtime, self.client.receive, self.client.peek):
            self.assert_fails(grpc.StatusCode.NOT_FOUND, "MessagingEntityNotFound", call, name)
        self.client.create(name)
        self.assertEqual(list(self.client.peek(name).messages), [])
        self.assertEqual(self.client.send(name, b"new")[0].sequence_number, 1)

    def test_a_waiting_receiver_hears_that_its_queue_was_deleted(self):
        name = self.new_queue()
        stream = wire.ReceiveStream(self.client, name)
        self.addCleanup(stream.cancel)
        stream.grant(1)
        stream.expect("started")

        self.client.delete(name)

        self.assert_fails(grpc.StatusCode.NOT_FOUND, "MessagingEntityNotFound", stream.read)

    def test_counters_are_exact(self):  # RTP-1, RTP-2, RTP-6, RTP-11
        name = self.new_queue()
        self.client.send(name, b"a", b"b", b"c", b"d")
        first, second, _ = self.client.receive(name, 3)
        self.client.complete(name, first.lock_token)
        self.client.dead_letter(name, second.lock_token)

        runtime = self.client.runtime(name)

        self.assertEqual(runtime.active_message_count, 2)
        self.assertEqual(runtime.locked_message_count, 1)
        self.assertEqual(runtime.dead_letter_message_count, 1)
        self.assertEqual(runtime.total_message_count, 3)
        self.assertGreater(runtime.size_in_bytes, 0)
        self.assertGreaterEqual(runtime.updated_at.ToNanoseconds(), runtime.created_at.ToNanoseconds())

    def test_status_forbids_sending_or_receiving_and_keeps_the_messages(self):  # STS-2, STS-3, STS-4, STS-6, STS-9
        disabled = grpc.StatusCode.FAILED_PRECONDITION, "MessagingEntityDisabled"
        name = self.new_queue()
        self.client.send(name, b"a", b"b")
        locked = self.client.receive_one(name)

        self.client.update(name, status=management_pb2.ENTITY_STATUS_SEND_DISABLED)
        self.assert_fails(*disabled, self.client.send, name, b"x")
        kept = self.client.receive_one(name)
        self.client.update(name, status=management_pb2.ENTITY_STATUS_RECEIVE_DISABLED)
        self.assert_fails(*disabled, self.client.receive, name)
        self.client.send(name, b"c")
        self.client.update(name, status=management_pb2.ENTITY_STATUS_DISABLED)
        self.assert_fails(*disabled, self.client.send, name, b"x")
        self.assert_fails(*disabled, self.client.receive, name)

        self.assert_settled(self.client.complete(name, locked.lock_token, kept.lock_token), 2)
        self.assertEqual([message.message.body for message in self.client.peek(name).messages], [b"c"])


if __name__ == "__main__":
    unittest.main()
