"""Lists of entities: chosen, sorted and cut; and creation of what may be there already."""

import json
import unittest

import command_line
from command_line import FAILED, OK, USAGE


class ListTest(command_line.SharedBrokerTest):

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for name, messages in (("b-two", 2), ("B-five", 5), ("a-one", 1), ("c-none", 0)):
            cls.client.create(name)
            if messages:
                cls.client.send(name, *[b"x"] * messages)
        for topic, subscriptions in (("sales", ("two", "one")), ("news", ("all",)), ("none", ())):
            cls.client.topics.create(topic)
            for subscription in subscriptions:
                cls.client.topics.subscribe(topic, subscription)
        cls.client.send("sales", b"x")

    def rows(self, *arguments):
        ended = self.wharf(*arguments)
        self.assertEqual(ended.returncode, OK, ended.stderr)
        return [line.split() for line in ended.stdout.splitlines()[1:]]

    def names(self, *arguments):
        """In the table, and the same in JSON."""
        names = [row[0] for row in self.rows(*arguments)]
        plural = arguments[0] + "s"
        listed = json.loads(self.wharf(*arguments, "--json").stdout)[plural]
        self.assertEqual([entity["properties"]["name"] for entity in listed], names)
        return names

    def test_all_by_name(self):
        self.assertEqual(self.names("queue", "list"), ["a-one", "B-five", "b-two", "c-none"])
        self.assertEqual(self.names("topic", "list"), ["news", "none", "sales"])

    def test_prefix(self):
        self.assertEqual(self.names("queue", "list", "--prefix", "b-"), ["B-five", "b-two"])
        self.assertEqual(self.names("topic", "list", "--prefix", "N"), ["news", "none"])
        self.assertEqual(self.names("subscription", "list", "sales", "--prefix", "o"), ["one"])
        self.assertEqual(self.names("queue", "list", "--prefix", "x"), [])

    def test_sort(self):
        self.assertEqual(self.names("queue", "list", "--sort", "messages"), ["B-five", "b-two", "a-one", "c-none"])
        self.assertEqual(self.names("queue", "list", "--sort", "size", "--limit", "1"), ["B-five"])
        self.assertEqual(self.names("topic", "list", "--sort", "subscriptions"), ["sales", "news", "none"])
        self.assertEqual(self.wharf("queue", "list", "--sort", "colour").returncode, USAGE)

    def test_limit(self):
        self.assertEqual(self.names("queue", "list", "--limit", "2"), ["a-one", "B-five"])
        self.assertEqual(self.names("queue", "list", "--limit", "0"), ["a-one", "B-five", "b-two", "c-none"])
        self.assertEqual(self.names("queue", "list", "--sort", "active", "--limit", "3"), ["B-five", "b-two", "a-one"])
        self.assertEqual(self.names("queue", "list", "--prefix", "b", "--limit", "1"), ["B-five"])

    def test_subscriptions_of_all_topics(self):
        self.assertEqual([row[:3] for row in self.rows("subscription", "list")],
                         [["news", "all", "0"], ["sales", "one", "1"], ["sales", "two", "1"]])
        self.assertEqual([row[:2] for row in self.rows("subscription", "list", "--sort", "messages", "--limit", "2")],
                         [["sales", "one"], ["sales", "two"]])
        self.assertEqual(self.rows("subscription", "list", "--limit", "1"), [["news", "all", "0", "0"]])
        listed = json.loads(self.wharf("subscription", "list", "--json").stdout)["subscriptions"]
        self.assertEqual([entity["properties"]["topic"] for entity in listed], ["news", "sales", "sales"])

    def test_a_topic_that_is_not_there(self):
        for is_json in ([], ["--json"]):
            ended = self.wharf("subscription", "list", "nowhere", *is_json)
            self.assertEqual((ended.returncode, ended.stdout), (FAILED, ""))
            self.assertIn("MessagingEntityNotFound", ended.stderr)

    def test_an_empty_list_is_json(self):
        for noun in ("queue", "topic", "subscription"):
            ended = self.wharf(noun, "list", "--prefix", "nothing", "--json")
            self.assertEqual(json.loads(ended.stdout), {noun + "s": []})


class IfNotExistsTest(command_line.SharedBrokerTest):

    def again(self, *arguments):
        """Made once, and then once more: refused without the flag, told with it."""
        self.assertEqual(self.wharf(*arguments, "--if-not-exists").stderr, "")
        refused = self.wharf(*arguments)
        self.assertEqual(refused.returncode, FAILED)
        self.assertIn("MessagingEntityAlreadyExists", refused.stderr)
        told = self.wharf(*arguments, "--if-not-exists")
        self.assertEqual(told.returncode, OK, told.stderr)
        self.assertIn("exists already", told.stderr)
        self.assertNotEqual(told.stdout, "")
        return told.stderr

    def test_every_kind(self):
        for arguments in (["queue", "create", "q"], ["topic", "create", "t"], ["subscription", "create", "t", "s"],
                          ["rule", "add", "t", "s", "red", "--filter", "color = 'red'"]):
            with self.subTest(arguments=arguments):
                self.again(*arguments)

    def test_it_stays_as_it_is_and_that_is_told(self):
        self.again("queue", "create", "kept", "--lock-duration", "30s")
        other = self.wharf("queue", "create", "kept", "--if-not-exists", "--lock-duration", "5m",
                           "--max-delivery-count", "10")
        self.assertEqual(other.stderr, "'kept' exists already with another lock_duration; it stays as it is\n")
        self.assertEqual(self.client.get("kept").lock_duration.seconds, 30)
        shown = json.loads(self.wharf("queue", "create", "kept", "--if-not-exists", "--json").stdout)
        self.assertEqual((shown["existed"], shown["properties"]["lock_duration"]), (True, 30))

    def test_another_kind_is_in_the_way(self):
        self.client.topics.create("taken")
        refused = self.wharf("queue", "create", "taken", "--if-not-exists")
        self.assertEqual(refused.returncode, FAILED)
        self.assertIn("MessagingEntityAlreadyExists", refused.stderr)


if __name__ == "__main__":
    unittest.main()
