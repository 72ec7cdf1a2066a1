"""The command line and topics: wharf topic, subscription and rule; send to a topic, receive from a subscription."""

import unittest

import command_line
from command_line import FAILED, USAGE

BILLING = "sales/Subscriptions/billing"


class TopicCommandsTest(command_line.CommandLineTest):

    def setUp(self):
        super().setUp()
        self.run_wharf("topic", "create", "sales")

    def subscribe(self, name="billing", *arguments):
        self.run_wharf("subscription", "create", "sales", name, *arguments)

    def send(self, body, *properties):
        self.run_wharf("send", "sales", body, *[f"--property={each}" for each in properties], "--quiet")

    def received(self, name="billing"):
        lines = self.run_lines("receive", f"sales/Subscriptions/{name}", "--max", "0", "--wait", "0s")
        return [line["body"] for line in lines]

    def rules(self, name="billing"):
        return self.run_json("rule", "list", "sales", name)["rules"]

    # Topics

    def test_a_topic(self):
        made = self.run_json("topic", "create", "site1/News", "--max-size-in-megabytes", "5", "--user-metadata", "x",
                             "--requires-duplicate-detection", "true")["properties"]
        self.assertEqual((made["name"], made["max_size_in_megabytes"], made["user_metadata"]), ("site1/News", 5, "x"))

        updated = self.run_json("topic", "update", "site1/news", "--default-message-time-to-live", "1h")["properties"]
        self.assertEqual((updated["default_message_time_to_live"], updated["user_metadata"]), (3600, "x"))
        reset = self.run_json("topic", "update", "site1/news", "--reset", "--status", "disabled")["properties"]
        self.assertEqual((reset["status"], reset["requires_duplicate_detection"]), ("disabled", True))
        self.assertNotIn("user_metadata", reset)
        self.assertEqual(self.run_json("topic", "show", "site1/news")["runtime"]["subscription_count"], 0)

        listed = self.run_json("topic", "list")["topics"]
        self.assertEqual([topic["properties"]["name"] for topic in listed], ["sales", "site1/News"])
        self.assertRegex(self.run_wharf("topic", "list"),
                         r"(?m)^NAME +SUBSCRIPTIONS +SCHEDULED +BYTES\nsales +0 +0 +0$")
        self.assertEqual(self.run_wharf("topic", "delete", "site1/news"), "deleted site1/news\n")
        self.run_wharf("topic", "show", "site1/news", code=FAILED)
        self.assertIn("MessagingEntityNotFound", self.said)

    def test_a_subscription(self):
        made = self.run_json("subscription", "create", "sales", "Billing", "--requires-session", "true",
                             "--lock-duration", "30s", "--retry", "fixed", "--retry-base", "5s")["properties"]
        self.assertEqual((made["topic"], made["name"], made["lock_duration"], made["requires_session"]),
                         ("sales", "Billing", 30, True))
        self.assertEqual(made["retry_policy"]["backoff"], "fixed")

        updated = self.run_json("subscription", "update", "sales", "billing", "--max-delivery-count", "3")["properties"]
        self.assertEqual((updated["max_delivery_count"], updated["lock_duration"]), (3, 30))
        reset = self.run_json("subscription", "update", "sales", "billing", "--reset")["properties"]
        self.assertEqual((reset["max_delivery_count"], reset["lock_duration"], reset["requires_session"]),
                         (10, 60, True))
        self.assertNotIn("retry_policy", reset)
        self.subscribe("accounts")
        self.send("x")

        shown = self.run_json("subscription", "show", "sales", "billing")["runtime"]
        self.assertEqual((shown["active_message_count"], shown["dead_letter_message_count"]), (0, 1))
        self.assertRegex(self.run_wharf("subscription", "list", "sales"),
                         r"(?m)^NAME +ACTIVE +DEAD-LETTER\naccounts +1 +0\nBilling +0 +1$")
        listed = self.run_json("subscription", "list", "sales")["subscriptions"]
        self.assertEqual([each["properties"]["name"] for each in listed], ["accounts", "Billing"])
        self.assertEqual(self.run_wharf("subscription", "delete", "sales", "billing"), f"deleted {BILLING}\n")
        self.assertEqual(self.run_json("topic", "show", "sales")["runtime"]["subscription_count"], 1)

    def test_sessions_are_those_of_a_subscription(self):
        self.assertEqual(self.run_wharf("session", "list", "sales", code=FAILED), "")
        self.assertIn("InvalidOperation: 'sales' is a topic and has no sessions: ask its subscriptions", self.said)

    # Rules

    def test_the_first_rule_of_a_subscription(self):
        for name, arguments, filter_ in (
                ("plain", [], {"kind": "true"}), ("none", ["--false"], {"kind": "false"}),
                ("sql", ["--filter", "color = @c", "--parameter", "c=red"],
                 {"kind": "sql", "text": "color = @c", "parameters": {"c": "red"}}),
                ("correlation", ["--correlation", "subject=a,b,color=red", "--correlation", "n:int32=5,user.to=x"],
                 {"kind": "correlation", "subject": "a,b",
                  "application_properties": {"color": "red", "n": {"type": "int32", "value": 5}, "to": "x"}})):
            self.subscribe(name, *arguments)
            (rule,) = self.rules(name)
            self.assertEqual((rule["name"], rule["filter"]), ("$Default", filter_))
            self.assertRegex(rule["created_at"], r"^\d{4}-.*Z$")
        self.subscribe("named", "--true", "--action", "SET a = @b", "--action-parameter", "b:int64=1", "--rule-name",
                       "first")
        (rule,) = self.rules("named")
        self.assertEqual((rule["name"], rule["action"]), ("first", {"text": "SET a = @b", "parameters": {"b": 1}}))

    def test_what_is_published_is_received(self):
        self.subscribe("billing", "--filter", "color = 'red'")
        self.subscribe("everything")
        self.send("a", "color=red")
        self.send("b", "color=blue")

        self.assertEqual(self.received(), ["a"])
        self.assertEqual(self.received("everything"), ["a", "b"])
        self.run_wharf("send", BILLING, "x", code=FAILED)
        self.assertIn("InvalidOperation", self.said)

    def test_rules_are_added_shown_and_removed(self):
        self.subscribe()
        added = self.run_wharf("rule", "add", "sales", "billing", "red", "--filter", "color = 'red'", "--action",
                               "SET seen = TRUE")
        self.assertRegex(
            added, r"^  name +red\n  filter\.sql +color = 'red'\n  action +SET seen = TRUE\n  created_at +\S+Z\n$")
        self.run_wharf("rule", "add", "sales", "billing", "urgent", "--correlation", "label=urgent")
        self.assertEqual(self.run_wharf("rule", "show", "sales", "billing", "RED"), added)
        self.assertEqual(self.run_wharf("rule", "list", "sales", "billing"),
                         "NAME      FILTER\n$Default  true\nred       color = 'red'  => SET seen = TRUE\n"
                         'urgent    subject="urgent"\n')

        updated = self.run_wharf("rule", "update", "sales", "billing", "URGENT", "--filter", "color = 'blue'")
        self.assertRegex(updated, r"^  name +urgent\n  filter\.sql +color = 'blue'\n  created_at +\S+Z\n$")
        self.assertEqual(self.run_wharf("rule", "show", "sales", "billing", "urgent"), updated)
        self.run_wharf("rule", "update", "sales", "billing", "none", "--true", code=FAILED)
        self.assertIn("MessagingEntityNotFound", self.said)
        self.run_wharf("rule", "update", "sales", "billing", "urgent", "--action", "SET a = 1", code=USAGE)
        self.assertIn("say what the rule shall take", self.said)
        self.run_wharf("rule", "add", "sales", "billing", "RED", code=FAILED)
        self.assertIn("MessagingEntityAlreadyExists", self.said)
        self.assertEqual(self.run_wharf("rule", "remove", "sales", "billing", "$Default"), "removed $Default\n")
        self.assertEqual([rule["name"] for rule in self.rules()], ["red", "urgent"])
        self.run_wharf("rule", "add", "sales", "billing", "bad", "--filter", "color == 1", code=FAILED)
        self.assertRegex(self.said, "FilterException: .*column 8")
        self.run_wharf("rule", "add", "sales", "billing", "bad", "--filter", "", code=FAILED)
        self.assertIn("FilterException", self.said)
        self.run_wharf("rule", "add", "sales", "billing", "bad", "--action", "", code=FAILED)
        self.assertIn("RuleActionException", self.said)
        self.assertEqual([rule["name"] for rule in self.rules()], ["red", "urgent"])

    def test_would_this_message_match(self):
        self.subscribe("billing", "--filter", "n > 2 AND color = 'red'")
        self.run_wharf("rule", "add", "sales", "billing", "urgent", "--correlation", "subject=urgent,n:int64=3",
                       "--action", "SET n = n + 1")

        said = self.run_wharf("rule", "test", "sales", "billing", "--subject", "calm", "--property", "n:int64=3")
        self.assertEqual(said, '$Default: unknown\n  n      3\n  color  (the message has none)\n'
                               'urgent: no-match\n  sys.Label  "calm", not "urgent"\n  n          3\n')
        urgent = self.run_json("rule", "test", "sales", "billing", "--rule", "urgent", "--subject", "urgent",
                               "--property", "n:int32=3")["verdicts"]
        self.assertEqual(urgent, [{
            "rule": "urgent", "outcome": "match",
            "copy": {"subject": "urgent",
                     "application_properties": {"n": {"type": "int32", "value": 4}, "RuleName": "urgent"}},
            "evidence": [{"name": "sys.Label", "actual": "urgent", "wanted": "urgent", "is_equal": True},
                         {"name": "n", "actual": {"type": "int32", "value": 3}, "wanted": 3, "is_equal": True}]}])
        failed = self.run_wharf("rule", "test", "--filter", "1 / n = 1", "--property", "n:int64=0")
        self.assertRegex(failed, r"^rule: error\n  n  0\n  FilterException: .*zero")
        self.assertEqual(self.received(), [])
        self.run_wharf("rule", "test", "--filter", "n ==", code=FAILED)
        self.assertIn("column", self.said)
        self.run_wharf("rule", "test", "sales", "other", code=FAILED)
        self.assertIn("MessagingEntityNotFound", self.said)

    # Usage

    def test_bad_usage(self):
        for arguments in (["topic", "create"], ["topic", "create", "t", "--requires-session", "true"],
                          ["topic", "update", "sales", "--status", "sometimes"], ["subscription", "create", "sales"],
                          ["subscription", "create", "sales", "s", "--max-size-in-megabytes", "1"],
                          ["subscription", "create", "sales", "s", "--true", "--false"],
                          ["subscription", "create", "sales", "s", "--filter", "a = 1", "--correlation", "a=1"],
                          ["subscription", "create", "sales", "s", "--correlation", "color"],
                          ["subscription", "create", "sales", "s", "--correlation", "n:int32=x"],
                          ["subscription", "create", "sales", "s", "--parameter", "a=1"],
                          ["subscription", "create", "sales", "s", "--action-parameter", "a=1"],
                          ["rule", "add", "sales", "s"], ["rule", "remove", "sales", "s"], ["rule", "test"],
                          ["rule", "test", "sales"], ["rule", "test", "sales", "s", "--filter", "a = 1"]):
            with self.subTest(arguments=arguments):
                self.run_wharf(*arguments, code=USAGE)

    def test_every_command_has_its_help(self):
        for command in (["topic"], ["subscription"], ["rule"], ["topic", "create"], ["topic", "update"],
                        ["subscription", "create"], ["subscription", "update"], ["subscription", "list"],
                        ["rule", "add"], ["rule", "test"]):
            self.assertIn("Usage:", self.run_wharf(*command, "--help"))


if __name__ == "__main__":
    unittest.main()
