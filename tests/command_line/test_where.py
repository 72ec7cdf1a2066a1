"""`wharf trace`: where a message is, and what it waits for."""

import unittest

import command_line
from command_line import FAILED
from wire import Message


class WhereTest(command_line.CommandLineTest):

    def test_where_a_message_is_and_what_it_waits_for(self):
        self.run_wharf("send", "orders", "x", "--message-id", "a")
        self.assertRegex(self.run_wharf("trace", "a"), r"orders +1 +active .*a receiver: it is the next")
        self.lock()
        self.assertRegex(self.run_wharf("trace", "a"), r"orders +1 +locked .*its lock ends .*, held by ipv4:127")
        self.assertRegex(self.run_wharf("trace", "1"), r"orders +1 +locked")
        self.assertIn("1 found in 1 entities; 1 messages were looked at", self.run_wharf("trace", "a"))

    def test_a_story_is_told_also_when_the_message_is_gone(self):
        self.run_wharf("queue", "create", "logged", "--event-log-size-in-kilobytes", "64",
                       "--event-log-retention", "30d")
        self.run_wharf("send", "logged", "x", "--message-id", "a")
        self.run_wharf("send", "logged", "x", "--message-id", "b")
        self.run_wharf("receive", "logged", "--settle", "dead-letter", "--reason", "no stock")

        told = self.run_wharf("trace", "a")
        self.assertRegex(told, r"logged +1 +sent, by grpc ipv4:127")
        self.assertRegex(told, r"logged +1 +delivered, locked until .*Z, by grpc ipv4:127")
        self.assertRegex(told, r"logged/\$DeadLetterQueue +1 +dead lettered.*: no stock")
        self.run_wharf("purge", "logged/$DeadLetterQueue", "--yes")
        self.assertRegex(self.run_wharf("trace", "a"), r"purged.*\n.*not found in")

        found = self.run_json("trace", "1", "--entity", "logged")
        self.assertEqual([event["kind"] for event in found["events"]], ["sent", "delivered", "dead-lettered", "purged"])
        self.assertEqual(found["places"], [])
        self.assertEqual(found["events"][2]["reason"], "no stock")
        shown = self.run_json("queue", "show", "logged")
        self.assertEqual(shown["properties"]["event_log_size_in_kilobytes"], 64)

    def test_what_is_nowhere_is_not_found(self):
        self.assertIn("not found in 1 entities", self.run_wharf("trace", "none", code=FAILED))

    def test_a_search_that_was_given_up_says_so(self):
        self.client.send("orders", *[b"x"] * 4500)
        self.client.send("orders", *[b"x"] * 4500)
        self.client.send("orders", Message(body=b"last", message_id="last"))
        self.assertIn("there is more to look at", self.run_wharf("trace", "last", "--limit", "1000", code=FAILED))
        found = self.run_json("trace", "last")
        self.assertTrue(found["is_complete"])
        (place,) = found["places"]
        self.assertEqual((place["entity_path"], place["wait"]), ("orders", "receiver"))
        self.assertNotIn("body", place["message"])

    def test_places_on_many_pages_are_told_once_each(self):
        for _ in range(3):
            self.client.send("orders", *[Message(body=b"x", message_id="same")] * 4500)

        said = self.run_wharf("trace", "same")
        found = self.run_json("trace", "same")

        self.assertEqual(said.count("orders "), 13500)
        self.assertIn("13500 found in 1 entities", said)
        self.assertEqual([place["message"]["sequence_number"] for place in found["places"]], list(range(1, 13501)))
        self.assertTrue(found["is_complete"])

    def test_in_a_dead_letter_queue_alone(self):
        self.run_wharf("send", "orders", "x", "y", "--message-id", "a")
        self.run_wharf("receive", "orders", "--settle", "dead-letter")

        (place,) = self.run_json("trace", "a", "--entity", "ORDERS/$deadletterqueue")["places"]

        self.assertEqual(place["entity_path"], "orders/$DeadLetterQueue")
        self.assertEqual(len(self.run_json("trace", "a", "--entity", "orders")["places"]), 2)


if __name__ == "__main__":
    unittest.main()
