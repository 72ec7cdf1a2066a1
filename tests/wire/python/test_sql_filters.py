"""SQL filters: in a browse, and in the selection of a job."""

import unittest

import grpc

import wire
from wire import Value, management_pb2, messaging_pb2

DEAD = "/$DeadLetterQueue"
Job = management_pb2.Job
Selection = management_pb2.MessageSelection
NO_FILTER = grpc.StatusCode.INVALID_ARGUMENT, "FilterException"
LONGEST = 1024


def message_of(number, **rest):
    """With the property n."""
    return wire.Message(application_properties={"n": Value(int64_value=number)}, **rest)


class SqlFilterTest(wire.ManualClockTest):

    def setUp(self):
        super().setUp()
        self.client.create("orders")

    def shown(self, sql, path="orders", **options):
        """The numbers on one page; there must be no other."""
        page = self.client.peek(path, sql=sql, **options)
        self.assertFalse(page.HasField("next_sequence_number"))
        return wire.numbers(page.messages)

    def pages(self, sql, count):
        pages, start = [], 0
        while True:
            page = self.client.peek("orders", start, count, sql=sql)
            pages.append(wire.numbers(page.messages))
            if not page.HasField("next_sequence_number"):
                return pages
            self.assertGreater(page.next_sequence_number, start)
            start = page.next_sequence_number

    # Browse

    def test_properties_of_every_type(self):  # BRW-1, SQL-5, SQL-9
        self.client.send("orders", wire.Message(subject="red", application_properties={
            "text": Value(string_value="it's"), "small": Value(int32_value=3), "yes": Value(bool_value=True),
            "real": Value(double_value=2.5), "my-name": Value(string_value="x")}))

        for sql in ("text = 'it''s'", "small * 2 = 6", "yes = TRUE", "real < small", "[my-name] = 'x'", "TEXT LIKE 'it%'",
                    "sys.Label = 'red'", "missing IS NULL", "EXISTS(user.small) AND NOT EXISTS(missing)",
                    "small IN (1, 2, 3)", "(small = 1 OR real > 2) AND yes <> FALSE"):
            self.assertEqual(self.shown(sql), [1], sql)
        for sql in ("text = 'It''s'", "small = '3'", "missing <> 1", "body = 'x'", "sys.MessageId IS NOT NULL"):
            self.assertEqual(self.shown(sql), [], sql)

    def test_what_the_broker_knows(self):  # BRW-1, SQL-25, STL-7
        self.client.send("orders", *[message_of(n, time_to_live=wire.seconds(1000)) for n in range(1, 6)])
        deferred, delayed, changed, _ = self.client.receive_all("orders", 4)
        self.client.defer("orders", deferred.lock_token)
        self.client.abandon_for("orders", delayed.lock_token, delay=wire.seconds(100))
        self.client.abandon("orders", changed.lock_token, n=Value(int64_value=300))
        self.schedule("orders", 100, message_of(6))
        self.advance(1)
        self.client.send("orders", message_of(7, message_id="m-7"))

        for sql, numbers in (("sys.State = 0", [2, 3, 4, 5, 7]), ("sys.State = 1", [1]), ("sys.State = 2", [6]),
                             ("sys.DeliveryCount = 1", [1, 2, 3]), ("sys.SequenceNumber >= 5", [5, 6, 7]),
                             ("n = 300", [3]), ("n = 3", []), ("n > 3 AND sys.DeliveryCount = 0", [4, 5, 6, 7]),
                             ("sys.ScheduledEnqueueTimeUtc > sys.EnqueuedTimeUtc", [6]),
                             ("sys.ExpiresAtUtc IS NULL", [6]), ("sys.MessageId = 'm-7'", [7])):
            self.assertEqual(self.shown(sql), numbers, sql)

    def test_it_combines_with_the_state_and_the_session(self):  # BRW-1, PEEK-8
        self.client.create("letters", requires_session=True)
        self.client.send("letters", *[message_of(n, session_id=session) for n, session in enumerate("abab")])
        self.schedule("letters", 100, message_of(1, session_id="b"))

        self.assertEqual(self.shown("n > 0", "letters"), [2, 3, 4, 5])
        self.assertEqual(self.shown("n > 0", "letters", session_id="b"), [2, 4, 5])
        self.assertEqual(self.shown("n > 0", "letters", session_id="b", show=messaging_pb2.PEEK_FILTER_ACTIVE), [2, 4])
        self.assertEqual(self.shown("n = 1", "letters", show=messaging_pb2.PEEK_FILTER_SCHEDULED), [5])

    def test_pages_show_everything_once(self):  # BRW-1, PEEK-3
        self.client.send("orders", *[message_of(n) for n in range(1, 101)])

        for count in (1, 7, 250):
            pages = self.pages("n % 3 = 0", count)
            self.assertEqual(sum(pages, []), list(range(3, 101, 3)))
            self.assertLessEqual(max(map(len, pages)), count)

    def test_one_page_looks_at_a_bounded_number_of_messages(self):  # BRW-1
        for _ in range(5):
            self.client.send("orders", *[b""] * 4000)
        self.client.send("orders", message_of(1))

        pages = self.pages("n = 1", 250)

        self.assertEqual(sum(pages, []), [20001])
        self.assertGreater(len(pages), 2)

    def test_a_message_that_cannot_be_reckoned_with_is_not_shown(self):  # BRW-1, RUL-8
        self.client.send("orders", *[message_of(n) for n in (0, 1, 2)])

        self.assertEqual(self.shown("2 / n >= 1"), [2, 3])
        self.assertEqual(self.shown("1 / 0 = 1"), [])

    def test_dead_letters(self):  # PEEK-10, DLQ-10
        self.dead_letter_all("orders", message_of(1), message_of(2), reason="Bad")
        self.dead_letter_all("orders", message_of(1), reason="Worse")

        self.assertEqual(self.shown("DeadLetterReason = 'Bad' AND n = 1", "orders" + DEAD), [1])

    # Jobs

    def ended(self, job):
        return self.client.end_of(job)

    def test_a_redrive_takes_what_the_filter_does(self):  # RDR-3
        self.dead_letter_all("orders", *[message_of(n) for n in range(10)], reason="Bad")
        self.dead_letter_all("orders", *[message_of(n) for n in range(10)], reason="Worse")
        selection = Selection(sql_filter="n < 5 AND 10 / n > 2", dead_letter_reason="Bad")

        dry = self.ended(self.client.redrive("orders" + DEAD, selection=selection, dry_run=True))
        done = self.ended(self.client.redrive("orders" + DEAD, selection=selection))

        self.assertEqual((dry.matched_count, dry.done_count), (3, 0))
        self.assertEqual((done.examined_count, done.matched_count, done.done_count, done.left_count), (20, 3, 3, 0))
        self.assertEqual(done.selection, selection)
        moved = [m.message.application_properties["n"].int64_value for m in self.client.receive_all("orders", 3)]
        self.assertEqual(moved, [1, 2, 3])

    def test_waiting_messages_are_deleted(self):  # PRG-2
        self.client.send("orders", *[message_of(n) for n in range(10)])
        self.client.receive("orders", 1)

        job = self.ended(self.client.delete_selected("orders", selection=Selection(sql_filter="n % 2 = 0")))

        self.assertEqual((job.matched_count, job.done_count, job.left_count), (5, 4, 1))
        self.assertEqual(wire.numbers(self.client.peek("orders").messages), [1, 2, 4, 6, 8, 10])

    def test_a_filter_survives_a_crash(self):  # RDR-3, JOB-1
        self.dead_letter_all("orders", *[message_of(n) for n in range(200)])
        job = self.client.redrive("orders" + DEAD, selection=Selection(sql_filter="n % 2 = 0"), max_rate=10)

        self.kill_and_restart()
        while job.state == Job.STATE_RUNNING:
            self.advance(5)
            job = self.client.job(job.id)

        self.assertEqual((job.state, job.matched_count, job.done_count), (Job.STATE_COMPLETED, 100, 100))
        self.assertEqual(self.shown("n % 2 = 0", "orders" + DEAD), [])
        self.assertEqual(len(self.shown("n % 2 = 1", "orders" + DEAD)), 100)

    def test_one_that_is_cancelled_ends(self):  # JOB-1
        self.client.send("orders", *[message_of(n) for n in range(50)])
        job = self.client.delete_selected("orders", selection=Selection(sql_filter="n >= 25"), max_rate=1)

        job = self.client.cancel_job(job.id)

        self.assertEqual(job.state, Job.STATE_CANCELLED)
        self.advance(100)
        self.assertGreater(len(self.shown("n >= 25")), 20)

    # Errors

    def test_a_bad_text_is_refused_and_nothing_begun(self):  # RUL-11, SQL-12, SQL-24
        self.dead_letter_all("orders", message_of(1))
        texts = {"n = ": "column", "n == 1": "column 4", "n": "column", " ": "column", "sys.Colour = 1": "column 5",
                 "n = @x": "column", "n = 1; DELETE": "column", "x" * (LONGEST + 1): "1024 characters"}
        for text, place in texts.items():
            for call in (lambda: self.client.peek("orders", sql=text),
                         lambda: self.client.redrive("orders" + DEAD, selection=Selection(sql_filter=text)),
                         lambda: self.client.delete_selected("orders", selection=Selection(sql_filter=text)),
                         lambda: self.client.redrive("orders" + DEAD, selection=Selection(sql_filter=text), dry_run=True)):
                with self.subTest(text=text[:20]):
                    self.assert_fails(*NO_FILTER, call)
                    with self.assertRaisesRegex(grpc.RpcError, place):
                        call()
        self.assertEqual(len(self.client.list_jobs().jobs), 0)
        self.assertEqual(self.client.runtime("orders").dead_letter_message_count, 1)

    def test_the_longest_text(self):  # SQL-24
        self.client.send("orders", message_of(1))

        self.assertEqual(self.shown("n = 1".ljust(LONGEST)), [1])
        self.assertEqual(self.shown("'" + "\u00fc" * (LONGEST - 7) + "' = n"), [])


if __name__ == "__main__":
    unittest.main()
