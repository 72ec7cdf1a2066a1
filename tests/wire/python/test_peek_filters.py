"""A peek that shows messages of one state only, page by page."""

import unittest

import wire
from wire import message_pb2, messaging_pb2

DEAD = "/$DeadLetterQueue"
ALL, ACTIVE, DELAYED, DEFERRED, SCHEDULED = (
    getattr(messaging_pb2, f"PEEK_FILTER_{name}") for name in ("ALL", "ACTIVE", "DELAYED", "DEFERRED", "SCHEDULED"))


class PeekFilterTest(wire.ManualClockTest):

    def setUp(self):
        super().setUp()
        self.client.create("orders")

    def pages(self, show, count, path="orders"):
        """The numbers of each page."""
        pages, start = [], 0
        while True:
            page = self.client.peek(path, start, count, show)
            self.assertLessEqual(len(page.messages), count)
            pages.append(wire.numbers(page.messages))
            if not page.HasField("next_sequence_number"):
                return pages
            start = page.next_sequence_number

    def shown(self, show, count=250, path="orders"):
        return sum(self.pages(show, count, path), [])

    def mixed(self):
        """Five of each state in turns, and the numbers of each."""
        numbers = {ACTIVE: [], DELAYED: [], DEFERRED: [], SCHEDULED: []}
        for _ in range(5):
            (deferred, delayed) = (result.sequence_number for result in self.client.send("orders", b"x", b"x"))
            for message in self.client.receive_all("orders", 2):
                if message.sequence_number == deferred:
                    self.client.defer("orders", message.lock_token)
                else:
                    self.client.abandon_for("orders", message.lock_token, delay=wire.seconds(100))
            numbers[DEFERRED].append(deferred)
            numbers[DELAYED].append(delayed)
            numbers[SCHEDULED] += self.schedule("orders", 100, b"x")
        numbers[ACTIVE] = [result.sequence_number for result in self.client.send("orders", *[b"x"] * 5)]
        return numbers

    def test_bodies_are_left_out_by_wish(self):
        sizes = [0, 100, 4096, 5000, 300_000] + [9000] * 200
        for size in sizes[:5]:
            self.client.send("orders", message_pb2.Message(body=b"b" * size, subject=str(size)))
        for _ in range(4):
            self.client.send("orders", *[b"b" * 9000] * 50)
        self.schedule("orders", 100, b"b" * 9000)
        self.assertLess(len(self.client.peek("orders").messages), len(sizes))  # A page of bodies is full before.

        page = self.client.peek("orders", without_bodies=True)

        self.assertEqual([m.message.body for m in page.messages], [b""] * (len(sizes) + 1))
        self.assertEqual([m.size for m in page.messages][5:], [self.client.peek("orders", 6, 1).messages[0].size] * 201)
        self.assertGreater(page.messages[4].size, 300_000)
        self.assertEqual([m.message.subject for m in page.messages][:5], [str(size) for size in sizes[:5]])
        self.assertLess(page.ByteSize(), 100_000)
        listed = self.client.list_scheduled("orders", without_bodies=True).messages
        self.assertEqual([(m.message.body, m.size) for m in listed], [(b"", page.messages[-1].size)])
        self.assertEqual(len(self.client.list_scheduled("orders").messages[0].message.body), 9000)

    def test_each_filter_shows_its_state(self):  # BRW-1, RTY-2, DFX-1
        numbers = self.mixed()

        self.assertEqual(self.shown(DELAYED), numbers[DELAYED])
        self.assertEqual(self.shown(DEFERRED), numbers[DEFERRED])
        self.assertEqual(self.shown(SCHEDULED), numbers[SCHEDULED])
        self.assertEqual(self.shown(ACTIVE), sorted(numbers[ACTIVE] + numbers[DELAYED]))
        self.assertEqual(self.shown(ALL), sorted(sum(numbers.values(), [])))

    def test_pages_show_everything_once(self):  # BRW-1, PEEK-3
        numbers = self.mixed()

        for show in (ALL, ACTIVE, DELAYED, DEFERRED, SCHEDULED):
            for count in (1, 2, 3, 7):
                with self.subTest(show=show, count=count):
                    self.assertEqual(self.shown(show, count), self.shown(show))
        self.assertEqual(self.shown(DEFERRED, 2), numbers[DEFERRED])

    def test_a_locked_message_is_active(self):  # BRW-1, STA-3
        self.client.send("orders", b"x", b"x")
        token = self.client.receive_one("orders").lock_token
        self.assertEqual(self.shown(ACTIVE), [1, 2])

        self.client.defer("orders", token)
        self.client.receive_deferred("orders", 1)

        self.assertEqual((self.shown(ACTIVE), self.shown(DEFERRED)), ([1, 2], []))

    def test_only_a_delayed_message_says_when_it_is_available(self):  # RTY-2
        self.mixed()

        for message in self.client.peek("orders").messages:
            delayed = message.sequence_number in self.shown(DELAYED)
            self.assertEqual(message.HasField("available_at"), delayed)
            if delayed:
                self.assertEqual(message.available_at, self.after(100))
        self.advance(100)
        self.assertFalse(any(m.HasField("available_at") for m in self.client.peek("orders").messages))
        self.assertEqual(self.shown(DELAYED), [])

    def test_one_page_looks_at_a_bounded_number_of_messages(self):  # BRW-1
        self.client.send("orders", b"deferred")
        self.client.defer("orders", self.client.receive_one("orders").lock_token)
        for _ in range(5):
            self.client.send("orders", *[b""] * 4000)
        self.client.send("orders", b"last")
        (last,) = self.client.receive_number("orders", 20002)
        self.client.defer("orders", last.lock_token)

        pages = self.pages(DEFERRED, 250)

        self.assertEqual(sum(pages, []), [1, 20002])
        self.assertGreater(len(pages), 2)  # Empty ones say where to go on.

    def test_in_a_dead_letter_queue(self):  # DLQ-5, PEEK-10
        self.dead_letter_all("orders", b"x", b"x")
        self.client.defer("orders" + DEAD, self.client.receive_one("orders" + DEAD).lock_token)
        self.schedule("orders", 100, b"x")

        self.assertEqual(self.shown(ALL, path="orders" + DEAD), [1, 2])
        self.assertEqual(self.shown(ACTIVE, path="orders" + DEAD), [2])
        self.assertEqual(self.shown(DEFERRED, path="orders" + DEAD), [1])
        self.assertEqual(self.shown(SCHEDULED, path="orders" + DEAD), [])


if __name__ == "__main__":
    unittest.main()
