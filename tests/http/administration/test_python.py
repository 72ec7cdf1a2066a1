"""Python's administration client 7.8.2, unchanged: each of its methods, and what it hears when something is wrong."""

import unittest
from datetime import datetime, timedelta, timezone

import grpc
from azure.core.exceptions import HttpResponseError, ResourceExistsError, ResourceNotFoundError
from azure.servicebus.management import (AccessRights, AuthorizationRule, CorrelationRuleFilter, EntityStatus,
                                         FalseRuleFilter, SqlRuleAction, SqlRuleFilter, TrueRuleFilter)

import administration
import wire
from access_calls import AccessClient, make_token
from topic_calls import sql

KEY, OTHER, NEW, NEWER = ("k" * 40, "o" * 40, "n" * 40, "w" * 40)


def names(listed):
    return [each.name for each in listed]


class Python(administration.AdministrationTest):

    def setUp(self):
        super().setUp()
        self.serve()
        self.admin = self.python()

    def test_queues(self):
        made = self.admin.create_queue(
            "A/Orders", lock_duration=timedelta(seconds=30), max_size_in_megabytes=2048,
            requires_duplicate_detection=True, requires_session=True, default_message_time_to_live=timedelta(days=1),
            dead_lettering_on_message_expiration=True, duplicate_detection_history_time_window=timedelta(minutes=5),
            max_delivery_count=3, enable_batched_operations=False, user_metadata="<mine> & yours",
            auto_delete_on_idle=timedelta(minutes=10), max_message_size_in_kilobytes=256)
        self.assertEqual((made.name, made.lock_duration, made.max_delivery_count, made.user_metadata,
                          made.requires_session, made.max_message_size_in_kilobytes),
                         ("A/Orders", timedelta(seconds=30), 3, "<mine> & yours", True, 256))
        read = self.admin.get_queue("A/Orders")
        self.assertEqual(dict(read), dict(made))

        read.max_delivery_count = 4
        read.status = EntityStatus("SendDisabled")
        self.admin.update_queue(read)
        again = self.admin.get_queue("A/Orders")
        self.assertEqual(dict(again), dict(read))
        self.assertEqual(self.grpc.get("A/Orders").max_delivery_count, 4)

        self.assertEqual(names(self.admin.list_queues()), ["A/Orders"])
        self.admin.delete_queue("a/ORDERS")
        self.assertEqual(names(self.admin.list_queues()), [])

    def test_what_is_never_comes_back_as_never(self):
        read = self.admin.create_queue("q")
        self.admin.update_queue(read)
        self.assertEqual(self.admin.get_queue("q").auto_delete_on_idle, read.auto_delete_on_idle)
        self.assertFalse(self.grpc.get("q").HasField("auto_delete_on_idle"))

    def test_runtime_properties(self):  # RTP-1 to RTP-9
        self.admin.create_queue("q")
        self.grpc.send("q", b"one")
        self.grpc.send("q", b"two")
        held = self.grpc.receive_one("q")
        self.grpc.dead_letter("q", held.lock_token)

        queue = self.admin.get_queue_runtime_properties("q")
        self.assertEqual((queue.name, queue.active_message_count, queue.dead_letter_message_count,
                          queue.total_message_count, queue.scheduled_message_count), ("q", 1, 1, 2, 0))
        self.assertLessEqual(queue.created_at_utc, queue.updated_at_utc)
        self.assertGreaterEqual(queue.accessed_at_utc, queue.created_at_utc)
        self.assertGreater(queue.size_in_bytes, 0)
        self.assertEqual(names(self.admin.list_queues_runtime_properties()), ["q"])

        self.admin.create_topic("t")
        self.admin.create_subscription("t", "s")
        self.grpc.send("t", b"three")
        self.assertEqual(self.admin.get_topic_runtime_properties("t").subscription_count, 1)
        self.assertEqual(names(self.admin.list_topics_runtime_properties()), ["t"])
        subscription = self.admin.get_subscription_runtime_properties("t", "s")
        self.assertEqual((subscription.name, subscription.active_message_count), ("s", 1))
        self.assertEqual(names(self.admin.list_subscriptions_runtime_properties("t")), ["s"])

    def test_topics_and_subscriptions(self):
        made = self.admin.create_topic("News/All", default_message_time_to_live=timedelta(hours=1),
                                       support_ordering=True, user_metadata="m")
        self.assertEqual(dict(self.admin.get_topic("News/All")), dict(made))
        made.user_metadata = "other"
        self.admin.update_topic(made)
        self.assertEqual(self.admin.get_topic("news/all").user_metadata, "other")
        self.assertEqual(names(self.admin.list_topics()), ["News/All"])

        self.admin.create_queue("target")
        subscription = self.admin.create_subscription(
            "news/all", "Me", lock_duration=timedelta(seconds=45), max_delivery_count=7, forward_to="target",
            dead_lettering_on_filter_evaluation_exceptions=False)
        self.assertEqual(subscription.forward_to, f"sb://127.0.0.1:{self.port}/target")
        read = self.admin.get_subscription("news/all", "Me")
        self.assertEqual((read.name, read.lock_duration, read.max_delivery_count, read.forward_to),
                         ("Me", timedelta(seconds=45), 7, subscription.forward_to))
        read.forward_to = None
        read.max_delivery_count = 8
        self.admin.update_subscription("news/all", read)
        read = self.admin.get_subscription("news/all", "me")
        self.assertEqual((read.max_delivery_count, read.forward_to), (8, None))
        self.assertEqual(names(self.admin.list_subscriptions("NEWS/all")), ["Me"])
        self.admin.delete_subscription("news/all", "ME")
        self.assertEqual(names(self.admin.list_subscriptions("news/all")), [])
        self.admin.delete_topic("news/all")
        self.assertEqual(names(self.admin.list_topics()), [])

    def test_rules_of_every_kind_with_values_of_every_type(self):  # RUL-12, RUL-16, SQL-28
        self.admin.create_topic("t")
        self.admin.create_subscription("t", "s")
        values = {"int": 1, "long": 2 ** 40, "double": 2.5, "boolean": True, "string": "x<&>",
                  "time": datetime(2020, 1, 2, 3, 4, 5, tzinfo=timezone.utc), "span": timedelta(days=1, seconds=2)}
        filters = {
            "sql": SqlRuleFilter("color = @color AND size > @size", parameters={"@color": "red", "@size": 3}),
            "correlation": CorrelationRuleFilter(
                correlation_id="c", message_id="m", to="t", reply_to="r", label="l", session_id="s",
                reply_to_session_id="rs", content_type="ct", properties=values),
            "true": TrueRuleFilter(),
            "false": FalseRuleFilter(),
        }
        for name, rule_filter in filters.items():
            action = SqlRuleAction("SET a = @b", parameters={"@b": "v"}) if name == "correlation" else None
            made = self.admin.create_rule("t", "s", name, filter=rule_filter, action=action)
            self.assertEqual(made.name, name)
            self.assertIsInstance(made.filter, type(rule_filter))
        correlation = self.admin.get_rule("t", "s", "correlation")
        self.assertEqual(dict(correlation.filter.properties), values)
        self.assertEqual((correlation.filter.label, correlation.filter.reply_to_session_id), ("l", "rs"))
        self.assertEqual((correlation.action.sql_expression, correlation.action.parameters),
                         ("SET a = @b", {"@b": "v"}))
        self.assertEqual(self.admin.get_rule("t", "s", "sql").filter.parameters, {"@color": "red", "@size": 3})
        self.assertEqual(names(self.admin.list_rules("t", "s")), ["$Default", "correlation", "false", "sql", "true"])

        correlation.filter = SqlRuleFilter("a = 1")
        correlation.action = None
        self.admin.update_rule("t", "s", correlation)
        changed = self.admin.get_rule("t", "s", "Correlation")
        self.assertEqual((changed.filter.sql_expression, changed.created_at_utc),
                         ("a = 1", correlation.created_at_utc))
        self.admin.delete_rule("t", "s", "$default")
        self.assertNotIn("$Default", names(self.admin.list_rules("t", "s")))

    def test_the_namespace(self):
        namespace = self.admin.get_namespace_properties()
        self.assertEqual((namespace.name, namespace.messaging_sku), ("127.0.0.1", "Premium"))

    def test_more_than_fits_on_a_page(self):  # ATM-5
        wanted = sorted(f"q{i}" for i in range(250))
        for name in wanted:
            self.grpc.create(name)
        self.grpc.topics.create("between")
        self.assertEqual(names(self.admin.list_queues()), wanted)
        self.assertEqual(names(self.admin.list_topics()), ["between"])

    def test_more_topics_subscriptions_and_rules_than_fit_on_a_page(self):  # ATM-5
        wanted = sorted(f"n{i}" for i in range(250))
        for name in wanted:
            self.grpc.topics.create(name)
        self.assertEqual(names(self.admin.list_topics()), wanted)
        self.assertEqual(names(self.admin.list_topics_runtime_properties()), wanted)
        for name in wanted:
            self.grpc.topics.create_subscription("n0", name)
        self.assertEqual(names(self.admin.list_subscriptions("n0")), wanted)
        self.assertEqual(names(self.admin.list_subscriptions_runtime_properties("n0")), wanted)
        for name in wanted:
            self.grpc.topics.add_rule("n0", "n1", sql("a = 1", name=name))
        self.assertEqual(names(self.admin.list_rules("n0", "n1")), ["$Default", *wanted])

    def test_a_second_client_in_between(self):  # ATM-2
        other = self.python()
        self.admin.create_queue("q")
        mine, theirs = self.admin.get_queue("q"), other.get_queue("q")
        theirs.user_metadata, theirs.max_delivery_count = "theirs", 5
        other.update_queue(theirs)
        mine.max_delivery_count = 6
        self.admin.update_queue(mine)  # It says everything, whatever there is by now.
        for client in (self.admin, other):
            read = client.get_queue("q")
            self.assertEqual((read.max_delivery_count, read.user_metadata or ""), (6, ""))
        other.delete_queue("q")
        with self.assertRaises(ResourceNotFoundError):
            self.admin.update_queue(mine)

    def test_keys_come_with_an_entity_and_are_not_brought_back(self):  # EPR-19, SEC-7
        rule = AuthorizationRule(type="SharedAccessAuthorizationRule", claim_type="SharedAccessKey", claim_value="None",
                                 rights=[AccessRights.manage, AccessRights.send, AccessRights.listen],
                                 key_name="mine", primary_key=KEY, secondary_key=OTHER)
        read = self.admin.create_queue("q", authorization_rules=[rule])
        self.assertEqual([(each.key_name, each.primary_key) for each in read.authorization_rules], [("mine", KEY)])
        mine = AccessClient(self.daemon.address, make_token("sb://h/q", "mine", KEY))
        self.addCleanup(mine.close)
        self.assertEqual(mine.get("q").name, "q")

        rotated = self.grpc.rotate("q", "mine")
        self.admin.update_queue(read)
        (kept,) = self.admin.get_queue("q").authorization_rules
        self.assertEqual((kept.primary_key, kept.secondary_key), (rotated.primary_key, OTHER))
        with self.assertRaises(grpc.RpcError):
            mine.get("q")

    def keys_of(self, name):
        (rule,) = self.admin.get_queue(name).authorization_rules
        return rule.primary_key, rule.secondary_key

    def may_read(self, key):
        client = AccessClient(self.daemon.address, make_token("sb://h/q", "mine", key))
        self.addCleanup(client.close)
        try:
            return client.get("q").name == "q"
        except grpc.RpcError as refused:
            self.assertEqual(refused.code(), grpc.StatusCode.UNAUTHENTICATED)
            return False

    def test_keys_that_are_new_take_the_place_of_those_that_are_there(self):  # EPR-19, SEC-7
        """As keys are rolled on Azure: the new one first, the one before it as the second, until that ends as well."""
        read = self.admin.create_queue("q", authorization_rules=[
            AuthorizationRule(type="SharedAccessAuthorizationRule", claim_type="SharedAccessKey", claim_value="None",
                              rights=[AccessRights.manage, AccessRights.send, AccessRights.listen],
                              key_name="mine", primary_key=KEY, secondary_key=OTHER)])
        rolled = self.admin.get_queue("q")
        for keys, good, bad in (((NEW, KEY), (NEW, KEY), (OTHER,)), ((NEW, NEWER), (NEW, NEWER), (KEY, OTHER))):
            rolled.authorization_rules[0].primary_key, rolled.authorization_rules[0].secondary_key = keys
            self.admin.update_queue(rolled)
            self.assertEqual(self.keys_of("q"), keys)
            self.assertEqual([self.may_read(key) for key in good + bad], [True] * len(good) + [False] * len(bad))
        read.max_delivery_count = 7
        self.admin.update_queue(read)
        self.assertEqual((self.keys_of("q"), self.admin.get_queue("q").max_delivery_count), ((NEW, NEWER), 7))

        self.start_again()
        self.admin = self.python()
        self.admin.update_queue(read)

        self.assertEqual(self.keys_of("q"), (NEW, NEWER))
        self.assertEqual([self.may_read(key) for key in (NEW, NEWER, KEY, OTHER)], [True, True, False, False])
        self.daemon.terminate()
        (line,) = [line for line in self.daemon.log if "keeps its" in line]
        self.assertIn("the access rule 'mine' of 'q' keeps its keys: the description brings one that was replaced "
                      "before, by the rule #RootManageSharedAccessKey from ", line)
        self.assertFalse([line for line in self.daemon.log if any(key in line for key in (KEY, OTHER, NEW, NEWER))])

    def test_a_rule_gets_no_key_that_is_none(self):
        read = self.admin.create_queue("q", authorization_rules=[
            AuthorizationRule(type="SharedAccessAuthorizationRule", claim_type="SharedAccessKey", claim_value="None",
                              rights=[AccessRights.send], key_name="mine", primary_key=KEY, secondary_key=OTHER)])
        for wrong, why in (("short", "a key has 32 to 256 printable characters"), (OTHER, "must differ")):
            read.authorization_rules[0].primary_key = wrong
            with self.assertRaises(HttpResponseError) as refused:
                self.admin.update_queue(read)
            self.assertEqual(refused.exception.status_code, 400)
            self.assertIn(why, refused.exception.message)
        self.assertEqual(self.keys_of("q"), (KEY, OTHER))

    def test_forwarding_brings_a_token_of_its_own(self):  # FWD-6
        self.admin.create_queue("target")
        queue = self.admin.create_queue("q", forward_to="target", forward_dead_lettered_messages_to="target")
        url = f"sb://127.0.0.1:{self.port}/target"
        self.assertEqual((queue.forward_to, queue.forward_dead_lettered_messages_to), (url, url))
        self.assertEqual(self.grpc.get("q").forward_to, "target")

    def test_what_it_hears_when_something_is_wrong(self):  # ATM-7, ATM-8
        self.admin.create_topic("t")
        with self.assertRaises(ResourceExistsError):
            self.admin.create_queue("T")
        for ask in (lambda: self.admin.get_queue("none"), lambda: self.admin.get_subscription("t", "none"),
                    lambda: self.admin.delete_queue("none")):
            with self.assertRaises(ResourceNotFoundError):
                ask()
        # The answer is a topic's, of which this client looks for the queue in vain; JavaScript's says PARSE_ERROR. None
        # says that it is not found.
        with self.assertRaises(AttributeError):
            self.admin.get_queue("t")
        self.admin.create_queue("q")
        with self.assertRaises(AttributeError):
            self.admin.get_topic("q")
        # What is deleted is whatever has the name: nothing of a DELETE says what was meant.
        self.admin.create_topic("other")
        self.admin.delete_queue("other")
        self.assertEqual(names(self.admin.list_topics()), ["t"])
        self.admin.create_subscription("t", "s")
        with self.assertRaises(HttpResponseError) as caught:
            self.admin.create_rule("t", "s", "r", filter=SqlRuleFilter("=="))
        self.assertEqual(caught.exception.status_code, 400)
        self.assertRegex(caught.exception.message, r"SubCode=40000\. .*TrackingId:[0-9a-f-]{36}")
        with self.assertRaises(HttpResponseError) as caught:
            self.python("RootManageSharedAccessKey", "x" * 44).get_queue("none")
        self.assertEqual(caught.exception.status_code, 401)

    def test_what_one_client_cannot_say_is_left_alone(self):  # ATM-2, LCK-15
        self.grpc.create("q", enable_priority=True, lock_duration=wire.seconds(600))
        read = self.admin.get_queue("q")
        self.assertEqual(read.lock_duration, timedelta(minutes=10))
        read.user_metadata = "seen"
        self.admin.update_queue(read)
        queue = self.grpc.get("q")
        self.assertEqual((queue.user_metadata, queue.enable_priority, queue.lock_duration.seconds),
                         ("seen", True, 600))


if __name__ == "__main__":
    unittest.main()
