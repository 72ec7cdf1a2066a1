"""Changes of entities: by a mask, with an etag; and how entities are addressed."""

import grpc

import wire
from topic_calls import everything, sql
from wire import management_pb2

INVALID = grpc.StatusCode.FAILED_PRECONDITION, "InvalidOperation"
ARGUMENT = grpc.StatusCode.INVALID_ARGUMENT, "ArgumentError"
RANGE = grpc.StatusCode.OUT_OF_RANGE, "ArgumentOutOfRange"
NOT_FOUND = grpc.StatusCode.NOT_FOUND, "MessagingEntityNotFound"
LOST = grpc.StatusCode.ABORTED, "MessageLockLost"


class MaskTest(wire.WireTest):
    def test_only_what_the_mask_names_changes(self):  # EPR-30
        name = self.new_queue(requires_session=True, max_delivery_count=3, user_metadata="kept")

        changed = self.client.update(name, mask=["status"], status=management_pb2.ENTITY_STATUS_DISABLED)

        self.assertEqual((changed.status, changed.requires_session, changed.max_delivery_count, changed.user_metadata),
                         (management_pb2.ENTITY_STATUS_DISABLED, True, 3, "kept"))
        self.assertEqual(self.client.get(name), changed)

    def test_a_field_that_is_named_and_absent_returns_to_its_default(self):
        name = self.new_queue(max_delivery_count=3, lock_duration=wire.seconds(7),
                              retry_policy=management_pb2.RetryPolicy(base=wire.seconds(2)))

        changed = self.client.update(name, mask=["max_delivery_count", "retry_policy"])

        self.assertEqual((changed.max_delivery_count, changed.lock_duration.seconds), (10, 7))
        self.assertFalse(changed.HasField("retry_policy"))

    def test_a_part_of_the_retry_policy_can_be_named(self):
        policy = management_pb2.RetryPolicy(base=wire.seconds(2), jitter=0.5)
        name = self.new_queue(retry_policy=policy)

        changed = self.client.update(name, mask=["retry_policy.base"],
                                     retry_policy=management_pb2.RetryPolicy(base=wire.seconds(3)))

        self.assertEqual((changed.retry_policy.base.seconds, changed.retry_policy.jitter), (3, 0.5))

    def test_without_a_mask_all_is_replaced(self):  # EPR-30
        name = self.new_queue(max_delivery_count=3, user_metadata="gone")

        for mask in (None, ["*"]):
            changed = self.client.update(name, mask=mask)
            self.assertEqual((changed.max_delivery_count, changed.user_metadata), (10, ""))

    def test_a_mask_must_name_properties(self):
        name = self.new_queue(max_delivery_count=3)

        for mask in (["colour"], [], ["status", "retry_policy.colour"]):
            self.assert_fails(*ARGUMENT, self.client.update, name, mask=mask)

        self.assertEqual(self.client.get(name).max_delivery_count, 3)

    def test_what_is_fixed_cannot_be_named_otherwise(self):  # EPR-31
        name, other = self.new_queue(), self.new_queue(user_metadata="mine")

        self.assert_fails(*ARGUMENT, self.client.update, name, mask=["requires_session"], requires_session=True)
        for mask in (None, ["name"]):
            self.assert_fails(*ARGUMENT, self.client.update, name, mask=mask, name=other)
        self.assertEqual(self.client.get(other).user_metadata, "mine")
        self.client.update(name, mask=["name"], name=name.upper())

    def test_topics_and_subscriptions_too(self):
        topic = self.new_name()
        self.client.topics.create(topic, user_metadata="kept")
        self.client.topics.create_subscription(topic, "s", max_delivery_count=4)

        changed = self.client.topics.update(
            topic, mask=wire.as_mask(["max_size_in_megabytes"]), max_size_in_megabytes=7)
        self.assertEqual((changed.max_size_in_megabytes, changed.user_metadata), (7, "kept"))
        changed = self.client.topics.update_subscription(
            topic, "s", mask=wire.as_mask(["lock_duration"]), lock_duration=wire.seconds(9))
        self.assertEqual((changed.lock_duration.seconds, changed.max_delivery_count), (9, 4))


class EtagTest(wire.WireTest):
    def test_an_update_of_what_changed_meanwhile_is_refused(self):
        name = self.new_queue()
        read = self.client.get(name).etag
        self.client.update(name, mask=["user_metadata"], user_metadata="theirs")

        self.assert_fails(*INVALID, self.client.update, name, mask=["max_delivery_count"], max_delivery_count=3,
                          etag=read)
        self.assertEqual(self.client.get(name).max_delivery_count, 10)

        now = self.client.get(name).etag
        self.client.update(name, mask=["max_delivery_count"], max_delivery_count=3, etag=now)
        self.assertEqual(self.client.get(name).max_delivery_count, 3)

    def test_it_is_that_of_the_description(self):
        name = self.new_queue()
        read = self.client.get(name).etag
        self.client.send(name, b"x")

        self.assertEqual(self.client.get(name).etag, read)
        self.client.update(name, max_delivery_count=3)
        self.assertNotEqual(self.client.get(name).etag, read)
        self.assertEqual(self.client.update(name).etag, read)

    def test_a_queue_that_was_made_anew_has_another(self):
        name = self.new_queue()
        read = self.client.get(name).etag
        self.client.delete(name)
        self.client.create(name)

        self.assert_fails(*INVALID, self.client.update, name, etag=read)

    def test_a_deletion_of_what_changed_meanwhile_is_refused(self):
        topic, topics = self.new_name(), self.client.topics
        topics.create(topic)
        topics.subscribe(topic, "s", everything("r", "SET a = 1"))
        queue = self.new_queue()
        for get, change, delete in (
                (lambda: topics.get_rule(topic, "s", "r"),
                 lambda: topics.update_rule(topic, "s", everything("r", "SET a = 2")),
                 lambda etag: topics.remove_rule(topic, "s", "r", etag)),
                (lambda: topics.get_subscription(topic, "s"),
                 lambda: topics.update_subscription(topic, "s", max_delivery_count=3),
                 lambda etag: topics.delete_subscription(topic, "s", etag)),
                (lambda: topics.get(topic), lambda: topics.update(topic, max_size_in_megabytes=3),
                 lambda etag: topics.delete(topic, etag)),
                (lambda: self.client.get(queue), lambda: self.client.update(queue, max_delivery_count=3),
                 lambda etag: self.client.delete(queue, etag))):
            read = get().etag
            change()
            self.assertNotEqual(get().etag, read)
            self.assert_fails(*INVALID, delete, read)
            delete(get().etag)
            self.assert_fails(*NOT_FOUND, get)

    def test_a_rule_is_updated_if_it_is_as_it_was(self):
        topic, topics = self.new_name(), self.client.topics
        topics.create(topic)
        # In whatever order they are written.
        parameters = {f"p{number}": wire.Value(int64_value=number) for number in range(40)}
        topics.subscribe(topic, "s", sql("a = 1", "r", **parameters))
        read = topics.get_rule(topic, "s", "r")
        self.assertEqual({topics.get_rule(topic, "s", "r").etag for _ in range(5)}, {read.etag})

        changed = topics.update_rule(topic, "s", everything("r", etag=read.etag))

        self.assertNotEqual(changed.etag, read.etag)
        self.assert_fails(*INVALID, topics.update_rule, topic, "s", everything("r", etag=read.etag))

    def test_an_access_rule_that_was_made_anew_is_not_removed(self):
        queue, management = self.new_queue(), self.client.management

        def make(right):
            return management.CreateAccessRule(management_pb2.CreateAccessRuleRequest(
                rule={"entity_path": queue, "name": "r", "rights": [right]}), timeout=wire.TIMEOUT)

        def remove(etag):
            return management.RemoveAccessRule(management_pb2.RemoveAccessRuleRequest(
                entity_path=queue, name="r", etag=etag), timeout=wire.TIMEOUT)
        read = make(management_pb2.ACCESS_RIGHT_SEND).etag
        remove(read)
        now = make(management_pb2.ACCESS_RIGHT_LISTEN).etag

        self.assert_fails(*INVALID, remove, read)
        remove(now)


class AddressTest(wire.WireTest):
    def test_the_wrong_kind_of_entity_is_told(self):  # NAM-6
        topic = self.new_name()
        self.client.topics.create(topic)
        path = self.client.topics.subscribe(topic, "s")

        for call, name, kind in ((self.client.get, topic, "topic"), (self.client.runtime, path, "subscription"),
                                 (self.client.topics.get, path, "subscription")):
            with self.assertRaises(grpc.RpcError) as caught:
                call(name)
            self.assertIn(f"it is a {kind}", caught.exception.details())
            self.assert_error(wire.status_of(caught.exception), *NOT_FOUND)

    def test_a_topic_keeps_no_messages_whatever_is_asked(self):  # ADR-2
        topic = self.new_name()
        self.client.topics.create(topic)
        token = wire.UNKNOWN_TOKEN

        for call in (lambda: self.client.receive(topic), lambda: self.client.complete(topic, token),
                     lambda: self.client.renew(topic, token), lambda: self.client.delete_messages(topic, 1),
                     lambda: self.client.receive_deferred(topic, 1), lambda: self.client.receive_number(topic, 1),
                     lambda: self.client.undefer(topic, 1), lambda: self.client.delete_selected(topic),
                     lambda: self.client.sessions.state(topic, token), lambda: self.client.list_locks(topic)):
            self.assert_fails(*INVALID, call)

    def test_names_stand_in_errors_as_they_were_written(self):
        with self.assertRaises(grpc.RpcError) as caught:
            self.client.send("NoWhere/AtAll", b"x")

        self.assertIn("'NoWhere/AtAll'", caught.exception.details())

    def test_a_name_of_three_megabytes_is_refused_and_not_repeated(self):
        name = "n" * (3 << 20)

        for call in (lambda: self.client.create(name), lambda: self.client.topics.create(name)):
            self.assert_fails(*ARGUMENT, call)
        for call in (lambda: self.client.send(name, b"x"), lambda: self.client.get(name)):
            info = self.assert_fails(*NOT_FOUND, call)
            self.assertLess(len(info.metadata["entity_path"]), 1000)
            self.assertTrue(info.metadata["entity_path"].endswith("..."))


class TooManyTest(wire.WireTest):
    def test_too_many_items_are_out_of_range_everywhere(self):  # ERR-16
        name = self.new_queue()
        tokens, numbers = [wire.UNKNOWN_TOKEN] * 4501, range(1, 4502)

        for call in (lambda: self.client.complete(name, *tokens), lambda: self.client.renew(name, *tokens),
                     lambda: self.client.send(name, *[b""] * 4501),
                     lambda: self.client.receive_deferred(name, *numbers),
                     lambda: self.client.undefer(name, *numbers), lambda: self.client.cancel_scheduled(name, *numbers)):
            self.assert_fails(*RANGE, call)

    def test_so_are_pages(self):
        name, topic = self.new_queue(), self.new_name()
        self.client.topics.create(topic)
        self.client.topics.subscribe(topic, "s")
        lists = management_pb2.ListQueuesRequest(page_size=1001)

        for call in (lambda: self.client.peek(name, count=251), lambda: self.client.management.ListQueues(lists),
                     lambda: self.client.topics.list(1001), lambda: self.client.topics.list_subscriptions(topic, 1001),
                     lambda: self.client.topics.list_rules(topic, "s", 1001), lambda: self.client.list_jobs(1001),
                     lambda: self.client.list_scheduled(name, 251), lambda: self.client.list_locks(name, 1001)):
            self.assert_fails(*RANGE, call)

    def test_a_page_token_is_one_that_a_page_has_given(self):
        name, topic = self.new_queue(), self.new_name()
        self.client.topics.create(topic)
        self.client.topics.subscribe(topic, "s")
        sessions = self.new_queue(requires_session=True)
        made_up = management_pb2.ListQueuesRequest(page_token="m")

        for call in (lambda: self.client.management.ListQueues(made_up), lambda: self.client.topics.list(token="m"),
                     lambda: self.client.topics.list_subscriptions(topic, token="m"),
                     lambda: self.client.topics.list_rules(topic, "s", token="m"),
                     lambda: self.client.list_jobs(token="m"), lambda: self.client.list_scheduled(name, token="m"),
                     lambda: self.client.list_locks(name, token="m"),
                     lambda: self.client.sessions.list(sessions, token="m")):
            self.assert_fails(*ARGUMENT, call)
        # The checksum of no name at all, and a name that another one's checksum stands before.
        self.assert_fails(*ARGUMENT, self.client.topics.list, token="00000000-")
        self.assert_fails(*ARGUMENT, self.client.topics.list, token="00000000-name")


class SingleTokenTest(wire.WireTest):
    def test_a_settlement_of_one_token_fails_as_a_call(self):  # LCK-4
        name = self.new_queue()

        self.assert_fails(*LOST, self.client.complete, name, wire.UNKNOWN_TOKEN)
        self.assert_fails(*LOST, self.client.renew, name, wire.UNKNOWN_TOKEN)
        self.assertEqual(len(self.client.complete(name, wire.UNKNOWN_TOKEN, wire.UNKNOWN_TOKEN)), 2)
