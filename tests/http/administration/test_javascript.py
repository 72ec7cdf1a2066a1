"""JavaScript's administration client, 7.9.5 and 7.10.0-beta.2, unchanged: each of its methods
(administration_story.mjs); and what one client writes, the other reads."""

import os
import unittest
from datetime import timedelta
from unittest import mock

from azure.servicebus.management import CorrelationRuleFilter

import administration
import test_node

STEPS = ("queues", "topics", "subscriptions", "rules", "keys", "pages", "two clients", "namespace", "errors")


@unittest.skipUnless(test_node.major_version() >= 20, "the SDK's packages need Node 20")
class JavaScript(administration.AdministrationTest):

    def test_each_method(self):
        self.serve()
        for i in range(250):
            self.grpc.create(f"p/{i:03}")
        self.tell("administration_story.mjs", self.connection_string(), steps=STEPS)

    def test_what_one_client_writes_the_other_reads(self):
        self.serve()
        admin = self.python()
        admin.create_queue("Target")
        admin.create_queue("From/Python", lock_duration=timedelta(seconds=31), max_delivery_count=6,
                           forward_dead_lettered_messages_to="Target", user_metadata="p & j",
                           default_message_time_to_live=timedelta(days=2))
        admin.create_topic("T")
        admin.create_subscription("T", "S")
        admin.create_rule("T", "S", "python", filter=CorrelationRuleFilter(
            label="l", properties={"int": 1, "double": 2.5, "boolean": True, "string": "x"}))

        self.tell("administration_exchange.mjs", self.connection_string(), steps=("read", "given back", "written"))

        queue = admin.get_queue("from/python")
        self.assertEqual((queue.lock_duration, queue.max_delivery_count, queue.user_metadata,
                          queue.default_message_time_to_live),
                         (timedelta(seconds=31), 6, "p & j", timedelta(days=2)))
        self.assertTrue(queue.forward_dead_lettered_messages_to.endswith("/Target"))
        self.assertEqual(admin.get_rule("T", "S", "python").filter.properties,
                         {"int": 1, "double": 2.5, "boolean": True, "string": "x"})
        written = admin.get_rule("T", "S", "javascript")
        self.assertEqual((written.filter.sql_expression, written.filter.parameters, written.action.sql_expression),
                         ("a = @a", {"@a": 5.0}, "SET b = 1"))
        other = admin.get_queue("from/javascript")
        self.assertEqual((other.lock_duration, other.requires_session), (timedelta(seconds=42), True))


class Beta(JavaScript):
    """It can do without TLS, too, for the emulator's key."""

    def setUp(self):
        super().setUp()
        chosen = mock.patch.dict(os.environ, AZURE_SERVICE_BUS="@azure/service-bus-beta")
        chosen.start()
        self.addCleanup(chosen.stop)

    def test_each_method_without_tls(self):
        self.serve("servicebus://127.0.0.1:0")
        for i in range(250):
            self.grpc.create(f"p/{i:03}")
        self.tell("administration_story.mjs", f"{self.connection_string()};UseDevelopmentEmulator=true", steps=STEPS)
