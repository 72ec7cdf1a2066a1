"""Rules that change while messages are published."""

import threading
import unittest

import wire
from topic_calls import everything

ROUNDS = 50
TAKE = wire.messaging_pb2.RECEIVE_MODE_RECEIVE_AND_DELETE


class Publisher:
    """A thread that sends one message after the other, on a connection of its own, until it is told to end."""

    def __init__(self, topic, name):
        self.sent = []
        self._topic, self._name = topic, name
        self._client = wire.Client()
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._send)
        self._thread.start()

    def _send(self):
        while not self._is_over.is_set():
            body = f"{self._name} {len(self.sent)}".encode()
            self._client.send(self._topic, body)
            self.sent.append(body)

    def end(self):
        self._is_over.set()
        self._thread.join(wire.TIMEOUT)
        self._client.close()


class RuleSwapTest(wire.WireTest):

    def copies(self, path):
        """The rules that each message has a copy from, by its body."""
        copies = {}
        while messages := self.client.receive(path, 250, mode=TAKE):
            for message in messages:
                rule = message.message.application_properties["RuleName"].string_value
                copies.setdefault(message.message.body, []).append(rule)
        return copies

    def test_each_message_is_judged_by_one_whole_rule_set(self):  # reliability 52, RUL-13, TOP-6
        topic, topics = self.new_name(), self.client.topics
        topics.create(topic)
        a, b = (everything(name, "SET seen = TRUE") for name in "ab")
        path = topics.subscribe(topic, "s", a)
        publishers = [Publisher(topic, str(number)) for number in range(3)]

        # There is always a rule, and never one twice.
        for _ in range(ROUNDS):
            topics.add_rule(topic, "s", b)
            topics.remove_rule(topic, "s", "a")
            topics.add_rule(topic, "s", a)
            topics.remove_rule(topic, "s", "b")
        for publisher in publishers:
            publisher.end()

        sent = [body for publisher in publishers for body in publisher.sent]
        copies = self.copies(path)
        self.assertCountEqual(copies, sent)
        wrong = {body: rules for body, rules in copies.items() if sorted(rules) not in (["a"], ["a", "b"], ["b"])}
        self.assertEqual(wrong, {})
        # The test has seen what it is about.
        self.assertEqual({tuple(sorted(rules)) for rules in copies.values()}, {("a",), ("a", "b"), ("b",)})

    def test_an_update_is_one_step(self):  # RUL-12, RUL-13
        topic, topics = self.new_name(), self.client.topics
        topics.create(topic)
        path = topics.subscribe(topic, "s", everything("a", "SET turn = 0"))
        publishers = [Publisher(topic, str(number)) for number in range(3)]

        for turn in range(2 * ROUNDS):
            topics.update_rule(topic, "s", everything("a", f"SET turn = {turn}"))
        for publisher in publishers:
            publisher.end()

        sent = [body for publisher in publishers for body in publisher.sent]
        copies = self.copies(path)
        self.assertCountEqual(copies, sent)
        self.assertEqual({tuple(rules) for rules in copies.values()}, {("a",)})


if __name__ == "__main__":
    unittest.main()
