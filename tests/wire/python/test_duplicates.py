"""Messages that were sent before."""

import unittest

import wire
from wire import messaging_pb2


def message(number, **properties):
    return wire.Message(body=b"x", message_id=number, **properties)


class DuplicatesTest(wire.ManualClockTest):

    def setUp(self):
        super().setUp()
        self.client.create("orders", requires_duplicate_detection=True,
                           duplicate_detection_history_time_window=wire.seconds(20))

    def outcomes(self, *messages, **options):
        """What was stored under a number is positive, what repeats a number is negative."""
        return [result.sequence_number or -result.duplicate_of
                for result in self.client.send("orders", *messages, **options)]

    def test_a_receipt_survives_a_crash(self):  # DUP-13, RCP-1
        self.assertEqual(self.outcomes(message("a"), message("b")), [1, 2])

        self.kill_and_restart()

        self.assertEqual(self.outcomes(message("b"), message("c"), message("a")), [-2, 3, -1])
        self.advance(10)
        self.kill_and_restart()
        self.assertEqual(self.outcomes(message("a")), [-1])
        self.advance(11)
        self.kill_and_restart()
        self.assertEqual(self.outcomes(message("a"), message("b")), [4, 5])

    def test_within_one_request(self):  # DUP-12
        self.assertEqual(self.outcomes(message("a"), message("a"), message("b")), [1, -1, 2])
        self.assertEqual(self.outcomes(message("c"), message("c"), message("a"), atomic=True), [3, -3, -1])

    def test_ids_are_compared_exactly(self):  # DUP-3, DUP-11
        self.assertEqual(self.outcomes(message("a"), message("A"), message("a "), wire.Message(), wire.Message(),
                                       message(""), message("")), [1, 2, 3, 4, 5, 6, 7])

    def test_on_a_stream(self):  # RCP-1
        stream = wire.Stream(self.client.messaging.SendStream)
        self.addCleanup(stream.cancel)
        for number in ("a", "b", "a"):
            stream.write(messaging_pb2.SendStreamRequest(send=messaging_pb2.SendRequest(
                entity_path="orders", messages=[message(number)])))

        results = [stream.read().results[0] for _ in range(3)]

        self.assertEqual([(r.sequence_number, r.duplicate_of) for r in results], [(1, 0), (2, 0), (0, 1)])

    def test_a_scheduled_one(self):  # DUP-8, SCH-9
        (number,) = self.schedule("orders", 5, message("a"))

        self.assertEqual(self.outcomes(message("a")), [-number])
        self.advance(5)
        self.assertEqual(len(self.client.receive("orders", 5)), 1)
        (result,) = self.client.send("orders", message("a"))
        self.assertEqual(result.WhichOneof("outcome"), "duplicate_of")

    def test_without_detection_nothing_is_dropped(self):  # DUP-1
        self.client.create("others")

        self.assertEqual([r.sequence_number for r in self.client.send("others", message("a"), message("a"))], [1, 2])

    def test_a_longer_window_holds_for_new_messages(self):  # DUP-2
        self.client.send("orders", message("a"))
        self.client.update("orders", requires_duplicate_detection=True,
                           duplicate_detection_history_time_window=wire.seconds(100))
        self.client.send("orders", message("b"))
        self.advance(90)

        self.assertEqual(self.outcomes(message("b")), [-2])


if __name__ == "__main__":
    unittest.main()
