"""Topics and subscriptions: create, look at, change, list and delete them; publish and receive."""

import unittest

import grpc

import wire
from topic_calls import path_of, sql
from wire import Value, management_pb2

DEAD = "/$DeadLetterQueue"
NOT_FOUND = grpc.StatusCode.NOT_FOUND, "MessagingEntityNotFound"
EXISTS = grpc.StatusCode.ALREADY_EXISTS, "MessagingEntityAlreadyExists"
INVALID = grpc.StatusCode.FAILED_PRECONDITION, "InvalidOperation"
ARGUMENT = grpc.StatusCode.INVALID_ARGUMENT, "ArgumentError"
DISABLED = grpc.StatusCode.FAILED_PRECONDITION, "MessagingEntityDisabled"
UNKNOWN_QUEUE = "wire-python/nobody"


class TopicTest(wire.WireTest):

    def setUp(self):
        super().setUp()
        self.topics = self.client.topics

    def new_topic(self, **properties):
        name = self.new_name()
        self.topics.create(name, **properties)
        return name

    # Properties

    def test_a_new_topic_has_the_defaults_of_service_bus(self):  # EPR-3, EPR-4, EPR-13, RTP-1, RTP-8
        name = self.new_name()

        topic = self.topics.create(name)

        self.assertEqual((topic.name, topic.max_size_in_megabytes, topic.max_message_size_in_kilobytes),
                         (name, 1024, 1024))
        self.assertEqual(topic.status, management_pb2.ENTITY_STATUS_ACTIVE)
        self.assertFalse(topic.requires_duplicate_detection or topic.enable_filtering_messages_before_publishing)
        self.assertFalse(topic.HasField("default_message_time_to_live"))
        self.assertEqual(self.topics.get(name.upper()), topic)
        runtime = self.topics.runtime(name)
        self.assertEqual((runtime.subscription_count, runtime.size_in_bytes, runtime.scheduled_message_count),
                         (0, 0, 0))

    def test_a_new_subscription_has_the_defaults_of_service_bus(self):  # EPR-2, EPR-10, EPR-11, RUL-1
        topic = self.new_topic()

        subscription = self.topics.create_subscription(topic, "Billing")

        self.assertEqual((subscription.topic, subscription.name), (topic, "Billing"))
        self.assertEqual(subscription.lock_duration.ToSeconds(), 60)
        self.assertEqual(subscription.max_delivery_count, 10)
        self.assertTrue(subscription.dead_lettering_on_filter_evaluation_exceptions)
        self.assertFalse(subscription.requires_session or subscription.dead_lettering_on_message_expiration)
        self.assertEqual(self.topics.get_subscription(topic.upper(), "billing"), subscription)
        (rule,) = self.topics.list_rules(topic, "billing").rules
        self.assertEqual((rule.name, rule.WhichOneof("filter")), ("$Default", "true_filter"))
        self.assertFalse(rule.HasField("action"))
        self.assertEqual(self.topics.runtime(topic).subscription_count, 1)

    def test_an_update_replaces_everything(self):  # EPR-30
        topic = self.new_topic(user_metadata="x", max_size_in_megabytes=5)
        self.topics.create_subscription(topic, "s", lock_duration=wire.seconds(30), max_delivery_count=3)

        updated = self.topics.update(topic, default_message_time_to_live=wire.seconds(5))
        subscription = self.topics.update_subscription(topic, "S", max_delivery_count=4)

        self.assertEqual((updated.user_metadata, updated.max_size_in_megabytes), ("", 1024))
        self.assertEqual(updated.default_message_time_to_live.ToSeconds(), 5)
        self.assertEqual((subscription.name, subscription.max_delivery_count), ("s", 4))
        self.assertEqual(subscription.lock_duration.ToSeconds(), 60)
        self.assertEqual(self.topics.get_subscription(topic, "s"), subscription)

    def test_what_is_fixed_at_creation_cannot_be_updated(self):  # EPR-31
        topic = self.new_topic()
        self.topics.create_subscription(topic, "s")

        self.assert_fails(*ARGUMENT, self.topics.update, topic, requires_duplicate_detection=True)
        self.assert_fails(*ARGUMENT, self.topics.update_subscription, topic, "s", requires_session=True)

    def test_values_outside_their_range_are_refused(self):  # EPR-2, EPR-4, EPR-11, ERR-16
        topic = self.new_topic()
        bad = grpc.StatusCode.OUT_OF_RANGE, "ArgumentOutOfRange"

        self.assert_fails(*bad, self.topics.create, self.new_name(), max_message_size_in_kilobytes=0)
        for properties in ({"lock_duration": wire.seconds(4)}, {"max_delivery_count": 0},
                           {"auto_delete_on_idle": wire.seconds(1)}):
            self.assert_fails(*bad, self.topics.create_subscription, topic, "s", **properties)
        self.assert_fails(*NOT_FOUND, self.topics.get_subscription, topic, "s")

    # Names

    def test_bad_names_are_refused(self):  # NAM-1, NAM-2, NAM-3, ADR-12
        topic = self.new_topic()
        self.topics.create_subscription(topic, "s")

        for name in ("", "a?b", "-a", "a/Subscriptions/b", "a" * 261):
            self.assert_fails(*ARGUMENT, self.topics.create, name)
        for name in ("", "a/b", "a b", "a-", "$Default", "a" * 51):
            self.assert_fails(*ARGUMENT, self.topics.create_subscription, topic, name)
            if name != "$Default":
                self.assert_fails(*ARGUMENT, self.topics.add_rule, topic, "s", sql("a = 1", name))
        self.assertEqual(self.topics.create_subscription(topic, "a" * 50).name, "a" * 50)

    def test_queues_and_topics_share_their_names(self):  # NAM-6
        topic, queue = self.new_topic(), self.new_queue()

        self.assert_fails(*EXISTS, self.client.create, topic.upper())
        self.assert_fails(*EXISTS, self.topics.create, queue)
        self.assert_fails(*EXISTS, self.topics.create, topic)
        for call, name in ((self.client.get, topic), (self.client.delete, topic), (self.client.update, topic),
                           (self.client.runtime, topic), (self.topics.get, queue), (self.topics.delete, queue),
                           (self.topics.update, queue), (self.topics.runtime, queue)):
            self.assert_fails(*NOT_FOUND, call, name)

    def test_a_subscription_exists_once_and_under_its_topic(self):  # EPR-34, ERR-1
        topic, queue = self.new_topic(), self.new_queue()
        self.topics.create_subscription(topic, "s")

        info = self.assert_fails(*EXISTS, self.topics.create_subscription, topic, "S")
        self.assertEqual(info.metadata["entity_path"], path_of(topic, "S"))
        self.assert_fails(*NOT_FOUND, self.topics.create_subscription, UNKNOWN_QUEUE, "s")
        self.assert_fails(*NOT_FOUND, self.topics.create_subscription, queue, "s")
        for name in ("other", "", "s/" + DEAD):
            for call in (self.topics.get_subscription, self.topics.delete_subscription,
                         self.topics.subscription_runtime, self.topics.list_rules):
                self.assert_fails(*NOT_FOUND, call, topic, name)
        self.assert_fails(*NOT_FOUND, self.topics.list_subscriptions, queue)
        self.assert_fails(*NOT_FOUND, self.topics.get, path_of(topic, "s"))
        self.assert_fails(*NOT_FOUND, self.client.get, path_of(topic, "s"))

    # Lists

    def pages(self, call, field):
        """All pages of two; their names."""
        names, token = [], ""
        while True:
            page = call(2, token)
            self.assertLessEqual(len(getattr(page, field)), 2)
            names += [each.name for each in getattr(page, field)]
            token = page.next_page_token
            if not token:
                return names

    def test_lists_go_page_by_page_in_the_order_of_names(self):
        names = sorted((self.new_topic() for _ in range(5)), key=str.lower)
        self.new_queue()
        for name in ("b", "D", "a", "c", "E"):
            self.topics.create_subscription(names[0], name)

        for name in ("E", "c", "D"):
            self.topics.add_rule(names[0], "a", sql("a = 1", name))

        listed = self.pages(self.topics.list, "topics")

        self.assertEqual([name for name in listed if name in names], names)
        self.assertEqual(self.pages(lambda count, token: self.topics.list_subscriptions(names[0], count, token),
                                    "subscriptions"), ["a", "b", "c", "D", "E"])
        self.assertEqual(self.pages(lambda count, token: self.topics.list_rules(names[0], "a", count, token), "rules"),
                         ["$Default", "c", "D", "E"])
        page = self.topics.list_subscriptions(names[0])
        self.assertEqual([each.name for each in page.runtime], ["a", "b", "c", "D", "E"])
        self.assertEqual(list(self.topics.list_subscriptions(names[1]).subscriptions), [])

    # Publish and receive

    def test_every_subscription_gets_its_own_copy(self):  # TOP-1, TOP-7, TOP-8, SEQ-6, RTP-7
        topic = self.new_topic()
        one, two = self.topics.subscribe(topic, "one"), self.topics.subscribe(topic, "two")
        late = [result.sequence_number for result in self.client.send(topic, b"a", b"b", b"c")]
        three = self.topics.subscribe(topic, "three")

        self.assertEqual(late, [1, 2, 3])
        first = self.client.receive(one, 3)
        self.assertEqual(wire.bodies(first), [b"a", b"b", b"c"])
        self.assertEqual([m.enqueued_sequence_number for m in first], [1, 2, 3])
        self.assert_settled(self.client.complete(one, first[0].lock_token))
        self.assert_settled(self.client.dead_letter(one, first[1].lock_token))
        self.assertEqual(wire.bodies(self.client.receive(two.upper(), 3)), [b"a", b"b", b"c"])
        self.assertEqual(wire.bodies(self.client.peek(one + DEAD).messages), [b"b"])
        self.assertEqual(list(self.client.receive(three)), [])
        runtime = self.topics.subscription_runtime(topic, "one")
        self.assertEqual((runtime.active_message_count, runtime.locked_message_count, runtime.dead_letter_message_count,
                          runtime.total_message_count), (1, 1, 1, 2))
        self.assertGreater(self.topics.runtime(topic).size_in_bytes, 0)

    def test_without_a_taker_a_message_is_dropped_or_refused(self):  # TOP-2, TOP-3, ERR-20
        topic = self.new_topic()
        self.assertEqual(self.client.send(topic, b"x")[0].sequence_number, 1)
        self.assertEqual(self.topics.runtime(topic).size_in_bytes, 0)

        self.topics.update(topic, enable_filtering_messages_before_publishing=True)

        self.assert_fails(grpc.StatusCode.FAILED_PRECONDITION, "NoMatchingSubscription", self.client.send, topic, b"x")
        path = self.topics.subscribe(topic, "red", sql("color = 'red'"))
        red = wire.Message(application_properties={"color": Value(string_value="red")})
        taken, refused = self.client.send(topic, red, b"x")
        self.assertGreater(taken.sequence_number, 0)
        self.assert_error(refused.error, grpc.StatusCode.FAILED_PRECONDITION, "NoMatchingSubscription")
        self.assertEqual(len(self.client.receive(path, 5)), 1)

    def test_a_subscription_is_not_sent_to_and_a_topic_not_received_from(self):  # ADR-2, ADR-3, ADR-5
        topic = self.new_topic()
        path = self.topics.subscribe(topic, "s")

        self.assert_fails(*INVALID, self.client.send, path, b"x")
        self.assert_fails(*INVALID, self.client.send, path + DEAD, b"x")
        self.assert_fails(*INVALID, self.client.receive, topic)
        self.assert_fails(*NOT_FOUND, self.client.receive, topic + DEAD)
        self.assert_fails(*NOT_FOUND, self.client.send, topic + DEAD, b"x")
        self.assert_fails(*NOT_FOUND, self.client.receive, path_of(topic, "other"))
        self.assert_fails(*NOT_FOUND, self.client.receive, path_of(UNKNOWN_QUEUE, "s"))
        self.assertEqual(list(self.client.peek(topic).messages), [])
        stream = wire.ReceiveStream(self.client, topic)
        self.addCleanup(stream.cancel)
        self.assert_fails(*INVALID, stream.read)

    def test_a_stream_receives_what_is_published(self):  # TOP-1, ADR-3
        topic = self.new_topic()
        path = self.topics.subscribe(topic, "s")
        stream = wire.ReceiveStream(self.client, path)
        self.addCleanup(stream.cancel)
        stream.grant(10)
        stream.expect("started")

        self.client.send(topic, b"a", b"b", atomic=True)

        messages = stream.deliveries(2)
        self.assertEqual(wire.bodies(messages), [b"a", b"b"])
        stream.settle(1, [message.lock_token for message in messages], complete=wire.messaging_pb2.Complete())
        self.assertEqual(stream.expect("settled").settled, 2)

    def test_a_subscription_may_have_priorities(self):  # PRI-1
        topic = self.new_topic()
        path = self.topics.subscribe(topic, "s", enable_priority=True)
        self.client.send(topic, wire.Message(body=b"low", priority=1), wire.Message(body=b"high", priority=9))

        self.assertTrue(self.topics.get_subscription(topic, "s").enable_priority)
        self.assertEqual([self.client.receive_one(path).message.body for _ in range(2)], [b"high", b"low"])
        self.assert_fails(*ARGUMENT, self.topics.update_subscription, topic, "s")
        self.assert_fails(*ARGUMENT, self.topics.create_subscription, topic, "t", enable_priority=True,
                          requires_session=True)

    def test_a_subscription_forwards(self):  # EPR-14, FWD-1, RTP-4
        topic, queue = self.new_topic(), self.new_queue()
        self.topics.create_subscription(topic, "s", sql("color = 'red'"), forward_to=queue)

        self.client.send(topic, wire.Message(body=b"red", application_properties={"color": Value(string_value="red")}),
                         b"blue")

        self.assertEqual(self.client.receive_one(queue).message.body, b"red")
        runtime = self.topics.subscription_runtime(topic, "s")
        self.assertEqual((runtime.active_message_count, runtime.transfer_message_count), (0, 0))
        self.assertEqual(list(self.client.peek(queue).messages)[1:], [])

    def test_status(self):  # STS-1..4, STS-7, TOP-5
        topic = self.new_topic()
        path = self.topics.subscribe(topic, "s")
        self.client.send(topic, b"a")

        self.topics.update_subscription(topic, "s", status=management_pb2.ENTITY_STATUS_RECEIVE_DISABLED)
        self.client.send(topic, b"b")
        self.assert_fails(*DISABLED, self.client.receive, path)

        self.topics.update_subscription(topic, "s")
        for status in (management_pb2.ENTITY_STATUS_DISABLED, management_pb2.ENTITY_STATUS_SEND_DISABLED):
            self.topics.update(topic, status=status)
            self.assert_fails(*DISABLED, self.client.send, topic, b"c")
        self.assertEqual(wire.bodies(self.client.receive(path, 5)), [b"a", b"b"])
        self.assert_fails(*ARGUMENT, self.topics.update, topic, status=management_pb2.ENTITY_STATUS_RECEIVE_DISABLED)
        self.assert_fails(*ARGUMENT, self.topics.update_subscription, topic, "s",
                          status=management_pb2.ENTITY_STATUS_SEND_DISABLED)

    def test_what_is_deleted_is_gone(self):  # EPR-33, ADI-14
        topic = self.new_topic()
        path, other = self.topics.subscribe(topic, "s"), self.topics.subscribe(topic, "t")
        self.client.send(topic, b"x")
        stream = wire.ReceiveStream(self.client, path)
        self.addCleanup(stream.cancel)
        stream.expect("started")

        self.topics.delete_subscription(topic, "S")
        self.assert_fails(*NOT_FOUND, stream.read)
        self.assert_fails(*NOT_FOUND, self.client.receive, path)
        self.assertEqual(len(self.client.receive(other)), 1)

        self.topics.delete(topic)
        for call in (lambda: self.client.receive(other), lambda: self.client.send(topic, b"x"),
                     lambda: self.topics.list_subscriptions(topic), lambda: self.topics.get_rule(topic, "t")):
            self.assert_fails(*NOT_FOUND, call)
        self.topics.create(topic)
        self.assertEqual(list(self.topics.list_subscriptions(topic).subscriptions), [])

    def test_large_and_duplicate_messages(self):  # EPR-5, TOP-8
        topic = self.new_topic(requires_duplicate_detection=True)
        one, two = self.topics.subscribe(topic, "one"), self.topics.subscribe(topic, "two")
        body = bytes(range(256)) * 1000

        first, again = self.client.send(topic, *[wire.Message(body=body, message_id="m")] * 2)

        self.assertEqual((first.sequence_number, again.duplicate_of), (1, 1))
        for path in (one, two):
            (message,) = self.client.receive(path, 5)
            self.assertEqual(message.message.body, body)
            self.assert_settled(self.client.complete(path, message.lock_token))
        self.assertEqual(self.topics.runtime(topic).size_in_bytes, 0)


class TopicTimeTest(wire.ManualClockTest):

    def test_the_copy_of_a_scheduled_message_comes_with_its_time(self):  # SCH-5, RTP-3
        self.client.topics.create("orders")
        path = self.client.topics.subscribe("orders", "s")

        (number,) = self.schedule("orders", 60, b"x")
        self.assertEqual(self.client.topics.runtime("orders").scheduled_message_count, 1)
        self.assertEqual(wire.numbers(self.client.list_scheduled("orders").messages), [number])
        self.advance(60)

        self.assertEqual(wire.bodies(self.client.receive(path, 5)), [b"x"])
        self.assertEqual(self.client.topics.runtime("orders").scheduled_message_count, 0)

    def test_the_shorter_life_counts(self):  # TTL-1, TTL-2
        self.client.topics.create("orders", default_message_time_to_live=wire.seconds(100))
        short = self.client.topics.subscribe("orders", "short", default_message_time_to_live=wire.seconds(10),
                                             dead_lettering_on_message_expiration=True)
        long = self.client.topics.subscribe("orders", "long", default_message_time_to_live=wire.seconds(1000))
        self.client.send("orders", b"x")

        self.advance(10)
        self.assertEqual(len(self.client.peek(short + DEAD).messages), 1)
        self.assertEqual(len(self.client.peek(long).messages), 1)
        self.advance(90)
        self.assertEqual(list(self.client.receive(long)), [])

    def test_topics_survive_a_crash(self):  # TOP-6, RUL-15
        topics = self.client.topics
        topics.create("orders", user_metadata="x")
        path = topics.subscribe("orders", "s", sql("color = @c", c=Value(string_value="red")), max_delivery_count=3)
        self.client.send("orders", wire.Message(application_properties={"color": Value(string_value="red")}), b"x")
        before = (topics.get("orders"), topics.get_subscription("orders", "s"), topics.list_rules("orders", "s"),
                  topics.runtime("orders"), topics.subscription_runtime("orders", "s"))

        self.kill_and_restart()

        topics = self.client.topics
        after = (topics.get("orders"), topics.get_subscription("orders", "s"), topics.list_rules("orders", "s"),
                 topics.runtime("orders"), topics.subscription_runtime("orders", "s"))
        self.assertEqual(after, before)
        self.client.send("orders", b"y")
        (message,) = self.client.receive(path, 5)
        self.assertEqual(message.enqueued_sequence_number, 1)


if __name__ == "__main__":
    unittest.main()
