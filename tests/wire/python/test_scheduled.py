"""Messages that wait for their time."""

import unittest

import grpc

import wire
from wire import management_pb2, messaging_pb2

NOT_FOUND = grpc.StatusCode.NOT_FOUND, "MessageNotFound"


class ScheduledTest(wire.ManualClockTest):

    def setUp(self):
        super().setUp()
        self.client.create("orders")

    def scheduled(self):
        return self.client.runtime("orders").scheduled_message_count

    def test_they_are_listed_in_the_order_of_their_times(self):  # SCX-1
        numbers = [self.schedule("orders", span, b"%d" % span)[0] for span in (30, 10, 20, 10)]

        listed = self.client.list_scheduled("orders")

        self.assertEqual(wire.numbers(listed.messages), [numbers[1], numbers[3], numbers[2], numbers[0]])
        self.assertEqual(listed.next_page_token, "")
        self.assertEqual({m.state for m in listed.messages}, {wire.message_pb2.MESSAGE_STATE_SCHEDULED})
        self.assertEqual(listed.messages[0].message.scheduled_enqueue_time, self.after(10))

    def test_a_list_goes_page_by_page(self):  # SCX-1
        numbers = [self.schedule("orders", span % 3 + 1, b"x")[0] for span in range(10)]

        listed, token, pages = [], "", 0
        while True:
            page = self.client.list_scheduled("orders", 3, token)
            self.assertLessEqual(len(page.messages), 3)
            listed += wire.numbers(page.messages)
            pages, token = pages + 1, page.next_page_token
            if not token:
                break

        self.assertEqual(pages, 4)
        self.assertEqual(sorted(listed), sorted(numbers))
        times = {m.sequence_number: m.message.scheduled_enqueue_time.ToMicroseconds()
                 for m in self.client.peek("orders").messages}
        self.assertEqual(listed, sorted(listed, key=lambda number: (times[number], number)))

    def test_a_cancelled_one_never_comes(self):  # SCH-4
        first, second = self.schedule("orders", 10, b"1", b"2")

        self.assert_fails(*NOT_FOUND, self.client.cancel_scheduled, "orders", first, 99)
        self.assertEqual(self.scheduled(), 2)
        self.client.cancel_scheduled("orders", first)
        self.assert_fails(*NOT_FOUND, self.client.cancel_scheduled, "orders", first)

        self.advance(10)
        self.assertEqual(wire.bodies(self.client.receive("orders", 5)), [b"2"])
        self.assert_fails(*NOT_FOUND, self.client.cancel_scheduled, "orders", second)

    def test_a_moved_one_keeps_its_number(self):  # SCX-1
        (number,) = self.schedule("orders", 10, b"x")

        self.client.reschedule("orders", self.after(100), number)

        (listed,) = self.client.list_scheduled("orders").messages
        self.assertEqual((listed.sequence_number, listed.message.scheduled_enqueue_time), (number, self.after(100)))
        self.advance(99)
        self.assertEqual(list(self.client.receive("orders")), [])
        self.advance(1)
        self.assertEqual(wire.bodies(self.client.receive("orders")), [b"x"])

    def test_one_may_be_moved_forward(self):  # SCX-1
        (number,) = self.schedule("orders", 100, b"x")

        self.client.reschedule("orders", self.after(5), number)

        self.advance(5)
        self.assertEqual(wire.bodies(self.client.receive("orders")), [b"x"])
        self.assertEqual(self.scheduled(), 0)

    def test_moved_to_the_past_it_is_enqueued_at_once(self):  # SCX-1, SCH-5
        (number,) = self.schedule("orders", 100, b"x")

        self.client.reschedule("orders", self.after(-5), number)

        (message,) = self.client.receive("orders")
        self.assertNotEqual(message.sequence_number, number)

    def test_activation_tells_the_new_numbers(self):  # SCX-1, SCH-5
        first, second = self.schedule("orders", 100, b"1", b"2")

        self.assert_fails(*NOT_FOUND, self.client.activate, "orders", second, 99)
        activated = self.client.activate("orders", second, first)

        messages = self.client.receive("orders", 5)
        self.assertEqual((wire.numbers(messages), wire.bodies(messages)), (activated, [b"2", b"1"]))
        self.assertEqual(self.scheduled(), 0)

    def test_a_time_that_is_over_schedules_nothing(self):  # SCH-1
        (result,) = self.client.send("orders", wire.Message(scheduled_enqueue_time=self.after(0)))

        self.assertEqual(self.client.receive_one("orders").sequence_number, result.sequence_number)

    def test_they_survive_a_crash(self):
        first, second = self.schedule("orders", 10, b"1", b"2")
        self.client.reschedule("orders", self.after(20), first)

        self.kill_and_restart()

        self.assertEqual(wire.numbers(self.client.list_scheduled("orders").messages), [second, first])
        self.advance(10)
        self.assertEqual(wire.bodies(self.client.receive("orders", 5)), [b"2"])
        self.advance(10)
        self.assertEqual(wire.bodies(self.client.receive("orders", 5)), [b"1"])

    def test_they_come_while_sending_is_disabled(self):  # SCH-13
        self.schedule("orders", 10, b"x")
        self.client.update("orders", status=management_pb2.ENTITY_STATUS_SEND_DISABLED)

        self.advance(10)

        self.assertEqual(wire.bodies(self.client.receive("orders")), [b"x"])


if __name__ == "__main__":
    unittest.main()
