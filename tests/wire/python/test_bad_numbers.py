"""What no client should ask for: it is refused in the words of the API, and nothing has changed."""

import unittest

import grpc
from google.protobuf import duration_pb2, timestamp_pb2

import wire
from wire import Value, management_pb2, messaging_pb2

DEAD = "/$DeadLetterQueue"
ARGUMENT = grpc.StatusCode.INVALID_ARGUMENT, "ArgumentError"
RANGE = grpc.StatusCode.OUT_OF_RANGE, "ArgumentOutOfRange"
NOT_FOUND = grpc.StatusCode.NOT_FOUND, "MessageNotFound"
NO_ENTITY = grpc.StatusCode.NOT_FOUND, "MessagingEntityNotFound"
INVALID = grpc.StatusCode.FAILED_PRECONDITION, "InvalidOperation"

LOWEST, HIGHEST = -(1 << 63), (1 << 63) - 1
BAD_TIMES = [timestamp_pb2.Timestamp(seconds=seconds, nanos=nanos)
             for seconds, nanos in ((253402300800, 0), (-62135596801, 0), (HIGHEST, 0), (LOWEST, 0), (0, -1),
                                    (0, 1000000000))]
BAD_SPANS = [duration_pb2.Duration(seconds=seconds, nanos=nanos)
             for seconds, nanos in ((HIGHEST, 0), (LOWEST, 0), (315576000001, 0), (1, -1), (-1, 1), (0, 1000000000))]
COMPLETE = {"complete": messaging_pb2.Complete()}


class BadNumbersTest(wire.ManualClockTest):
    """A queue with a message of every kind; each refused call must leave it as it is."""

    def setUp(self):
        super().setUp()
        self.client.create("orders")
        self.dead_letter_all("orders", b"dead")
        self.client.send("orders", b"deferred", b"locked", b"delayed")
        deferred, self.locked, delayed = self.client.receive("orders", 3)
        self.client.defer("orders", deferred.lock_token)
        self.client.abandon_for("orders", delayed.lock_token, delay=wire.seconds(1000))
        (self.scheduled,) = self.schedule("orders", 1000, b"scheduled")
        self.client.send("orders", b"active")
        self.before = self.counters()
        self.addCleanup(lambda: self.assertEqual(self.counters(), self.before))

    def counters(self):
        """Everything that a call could change."""
        return (self.client.runtime("orders"), self.client.get("orders"), self.client.peek("orders"),
                self.client.peek("orders" + DEAD), self.client.list_jobs())

    def assert_all_fail(self, how, *calls):
        for number, call in enumerate(calls):
            with self.subTest(call=number):
                self.assert_fails(*how, call)

    def test_negative_numbers(self):  # ERR-16
        for number in (-1, LOWEST):
            self.assert_all_fail(
                RANGE,
                lambda: self.client.peek("orders", number),
                lambda: self.client.receive_deferred("orders", number),
                lambda: self.client.receive_deferred("orders", 2, number),
                lambda: self.client.undefer("orders", 2, number),
                lambda: self.client.receive_number("orders", number),
                lambda: self.client.settle_number("orders", number, **COMPLETE),
                lambda: self.client.cancel_scheduled("orders", self.scheduled, number),
                lambda: self.client.reschedule("orders", self.after(5), self.scheduled, number),
                lambda: self.client.activate("orders", self.scheduled, number),
                lambda: self.client.redrive(
                    "orders" + DEAD, selection=management_pb2.MessageSelection(sequence_numbers=[number])),
                lambda: self.client.delete_selected(
                    "orders", selection=management_pb2.MessageSelection(sequence_numbers=[number])),
                lambda: self.client.job(number),
                lambda: self.client.cancel_job(number))

    def test_unknown_numbers(self):
        for number in (0, 99, 1 << 48, HIGHEST):
            self.assert_all_fail(
                NOT_FOUND,
                lambda: self.client.receive_deferred("orders", 2, number),
                lambda: self.client.undefer("orders", 2, number),
                lambda: self.client.receive_number("orders", number),
                lambda: self.client.settle_number("orders", number, **COMPLETE),
                lambda: self.client.cancel_scheduled("orders", self.scheduled, number),
                lambda: self.client.reschedule("orders", self.after(5), self.scheduled, number),
                lambda: self.client.activate("orders", self.scheduled, number))
            self.assert_all_fail(NO_ENTITY, lambda: self.client.job(number), lambda: self.client.cancel_job(number))

    def test_a_number_of_another_state(self):  # SCH-4, DEF-3, DFX-1
        for number in (3, 4, self.scheduled, 6):
            self.assert_all_fail(NOT_FOUND, lambda: self.client.receive_deferred("orders", number),
                                 lambda: self.client.undefer("orders", number))
        for number in (2, 3, 4, 6):
            self.assert_all_fail(NOT_FOUND, lambda: self.client.cancel_scheduled("orders", number),
                                 lambda: self.client.reschedule("orders", self.after(5), number),
                                 lambda: self.client.activate("orders", number))
        self.assert_fails(*NOT_FOUND, self.client.receive_number, "orders", self.scheduled)

    def test_a_number_twice(self):
        self.assert_all_fail(
            ARGUMENT,
            lambda: self.client.receive_deferred("orders", 2, 2),
            lambda: self.client.undefer("orders", 2, 2),
            lambda: self.client.cancel_scheduled("orders", self.scheduled, self.scheduled),
            lambda: self.client.reschedule("orders", self.after(5), self.scheduled, self.scheduled),
            lambda: self.client.activate("orders", self.scheduled, self.scheduled))

    def test_too_many_numbers(self):
        numbers = range(1, 4502)
        selection = management_pb2.MessageSelection(sequence_numbers=numbers)
        self.assert_all_fail(
            RANGE,
            lambda: self.client.receive_deferred("orders", *numbers),
            lambda: self.client.undefer("orders", *numbers),
            lambda: self.client.cancel_scheduled("orders", *numbers),
            lambda: self.client.reschedule("orders", self.after(5), *numbers),
            lambda: self.client.activate("orders", *numbers),
            lambda: self.client.redrive("orders" + DEAD, selection=selection),
            lambda: self.client.delete_selected("orders", selection=selection))

    def test_absurd_times(self):  # ERR-16
        for time in BAD_TIMES:
            self.assert_all_fail(
                RANGE,
                lambda: self.client.send("orders", wire.Message(scheduled_enqueue_time=time)),
                lambda: self.client.reschedule("orders", time, self.scheduled),
                lambda: self.client.delete_messages("orders", 10, time),
                lambda: self.client.abandon_for("orders", self.locked.lock_token, available_at=time),
                lambda: self.client.redrive(
                    "orders" + DEAD, selection=management_pb2.MessageSelection(enqueued_from=time)),
                lambda: self.client.delete_selected(
                    "orders", selection=management_pb2.MessageSelection(enqueued_before=time)))

    def test_times_that_are_needed_and_in_order(self):
        earlier, later = self.after(1), self.after(2)
        selection = management_pb2.MessageSelection(enqueued_from=later, enqueued_before=earlier)
        self.assert_all_fail(
            ARGUMENT,
            lambda: self.client.reschedule("orders", None, self.scheduled),
            lambda: self.client.redrive("orders" + DEAD, selection=selection),
            lambda: self.client.delete_selected("orders", selection=selection))

    def test_absurd_durations(self):  # ERR-16
        for span in BAD_SPANS:
            self.assert_all_fail(
                RANGE,
                lambda: self.client.send("orders", wire.Message(time_to_live=span)),
                lambda: self.client.abandon_for("orders", self.locked.lock_token, delay=span),
                lambda: self.client.update("orders", default_message_time_to_live=span),
                lambda: self.client.update("orders", auto_delete_on_idle=span),
                lambda: self.client.update("orders", duplicate_detection_history_time_window=span),
                lambda: self.client.update("orders", retry_policy=management_pb2.RetryPolicy(base=span)),
                lambda: self.client.update("orders", retry_policy=management_pb2.RetryPolicy(cap=span)))

    def test_durations_out_of_range(self):  # ERR-16, DUP-2, ADI-1, TTL-2, TTL-18, RTY-1
        week = 7 * 24 * 3600
        for field, spans in (("default_message_time_to_live", (0, -1)), ("auto_delete_on_idle", (0, -1, 299)),
                             ("duplicate_detection_history_time_window", (0, -1, 19, week + 1))):
            for span in spans:
                self.assert_all_fail(
                    RANGE, lambda: self.client.update("orders", **{field: wire.seconds(span)}),
                    lambda: self.client.create("new", **{field: wire.seconds(span)}))
        for span in (0, -1):
            self.assert_fails(*ARGUMENT, self.client.send, "orders", wire.Message(time_to_live=wire.seconds(span)))
        for span in (-1, week + 1):
            self.assert_fails(*RANGE, lambda: self.client.abandon_for(
                "orders", self.locked.lock_token, delay=wire.seconds(span)))
        # Only the time of the settlement tells how far that is.
        self.assert_fails(*RANGE, self.client.abandon_for, "orders", self.locked.lock_token, available_at=self.after(week + 1))

    def test_counts_out_of_range(self):
        self.assert_all_fail(
            RANGE,
            lambda: self.client.delete_messages("orders", 0),
            lambda: self.client.delete_messages("orders", 4001),
            lambda: self.client.delete_messages("orders", (1 << 32) - 1),
            lambda: self.client.list_scheduled("orders", 251))

    def test_page_tokens_of_nobody(self):
        for token in ("x", "1", "1-", "-", "1-2-3", "a-b", "99999999999999999999-1", "ü", " "):
            self.assert_fails(*ARGUMENT, self.client.list_scheduled, "orders", 0, token)
        for token in ("x", "-1", "1x", "99999999999999999999"):
            self.assert_fails(*ARGUMENT, self.client.list_jobs, 0, token)
        for token in ("-9223372036854775808-0", "9223372036854775807-18446744073709551615", "0-0"):
            self.assertLessEqual(len(self.client.list_scheduled("orders", 0, token).messages), 1)

    def test_values_that_do_not_exist(self):  # ERR-15
        self.assert_all_fail(
            ARGUMENT,
            lambda: self.client.peek("orders", show=9),
            lambda: self.client.receive_deferred("orders", 2, mode=9),
            lambda: self.client.receive_number("orders", 6, mode=9),
            lambda: self.client.settle_number("orders", 6),
            lambda: self.client.update("orders", retry_policy=management_pb2.RetryPolicy(backoff=9)))

    def test_reasons_and_properties_that_are_too_long(self):  # STL-8, SIZ-5
        self.assert_fails(*ARGUMENT, lambda: self.client.settle_number(
            "orders", 6, dead_letter=messaging_pb2.DeadLetter(reason="x" * 4097)))
        self.assert_fails(grpc.StatusCode.INVALID_ARGUMENT, "ArgumentError", lambda: self.client.defer(
            "orders", self.locked.lock_token, a=Value(string_value="x" * 40000)))

    def test_paths_that_lead_nowhere(self):  # ERR-1, ADR-2
        calls = (lambda path: self.client.receive_deferred(path, 1), lambda path: self.client.undefer(path, 1),
                 lambda path: self.client.receive_number(path, 1),
                 lambda path: self.client.settle_number(path, 1, **COMPLETE),
                 lambda path: self.client.delete_messages(path, 1), lambda path: self.client.cancel_scheduled(path, 1),
                 lambda path: self.client.reschedule(path, self.after(5), 1), lambda path: self.client.activate(path, 1),
                 self.client.list_scheduled, self.client.purge, self.client.redrive, self.client.delete_selected)
        for number, call in enumerate(calls):
            with self.subTest(call=number):
                info = self.assert_fails(*NO_ENTITY, call, "none")
                self.assertEqual(info.metadata["entity_path"], "none")
                for path in ("", "orders/", "orders/$Nothing"):
                    with self.assertRaises(grpc.RpcError) as caught:
                        call(path)
                    self.assertIn(caught.exception.code(),
                                  (grpc.StatusCode.NOT_FOUND, grpc.StatusCode.INVALID_ARGUMENT), path)

    def test_a_dead_letter_queue_schedules_nothing(self):  # SCH-2
        for call in (lambda: self.client.cancel_scheduled("orders" + DEAD, self.scheduled),
                     lambda: self.client.reschedule("orders" + DEAD, self.after(5), self.scheduled),
                     lambda: self.client.activate("orders" + DEAD, self.scheduled),
                     lambda: self.client.list_scheduled("orders" + DEAD)):
            with self.assertRaises(grpc.RpcError) as caught:
                call()
            self.assertNotEqual(caught.exception.code(), grpc.StatusCode.INTERNAL)
        self.assert_fails(*INVALID, lambda: self.client.purge("orders" + DEAD, include_scheduled=True))


if __name__ == "__main__":
    unittest.main()
