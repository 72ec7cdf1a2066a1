"""Purges, and jobs: redrive and deletion of selected messages."""

import unittest

import grpc

import wire
from wire import Value, management_pb2

DEAD = "/$DeadLetterQueue"
Job = management_pb2.Job
Selection = management_pb2.MessageSelection
NO_ENTITY = grpc.StatusCode.NOT_FOUND, "MessagingEntityNotFound"
INVALID = grpc.StatusCode.FAILED_PRECONDITION, "InvalidOperation"
DAY = 24 * 3600


class JobTest(wire.ManualClockTest):

    def setUp(self):
        super().setUp()
        self.client.create("orders")

    def counts(self, name="orders"):
        """Active and dead-lettered messages."""
        runtime = self.client.runtime(name)
        return runtime.active_message_count, runtime.dead_letter_message_count

    def redriven(self, **options):
        return self.client.end_of(self.client.redrive("orders" + DEAD, **options))

    # Redrive

    def test_dead_letters_go_back_as_new_messages(self):  # RDR-1
        self.client.update("orders", default_message_time_to_live=wire.seconds(100))
        numbers = self.dead_letter_all(
            "orders", wire.Message(body=b"x", message_id="m-1", application_properties={"a": Value(bool_value=True)}),
            reason="Bad", description="worse")
        self.advance(50)

        job = self.redriven()

        self.assertEqual((job.state, job.kind), (Job.STATE_COMPLETED, Job.KIND_REDRIVE))
        self.assertEqual((job.examined_count, job.matched_count, job.done_count, job.left_count), (1, 1, 1, 0))
        self.assertEqual(self.counts(), (1, 0))
        message = self.client.receive_one("orders")
        self.assertGreater(message.sequence_number, numbers[0])
        self.assertEqual((message.message.body, message.message.message_id, message.delivery_count), (b"x", "m-1", 0))
        self.assertEqual((message.enqueued_time, message.expires_at), (self.after(0), self.after(100)))
        self.assertEqual(dict(message.message.application_properties),
                         {"a": Value(bool_value=True), "RedriveCount": Value(int64_value=1)})

    def test_each_redrive_counts(self):  # RDR-1
        self.dead_letter_all("orders", b"x")
        for _ in range(2):
            self.redriven()
            self.client.dead_letter("orders", self.client.receive_one("orders").lock_token)

        self.redriven()

        properties = self.client.receive_one("orders").message.application_properties
        self.assertEqual(properties["RedriveCount"], Value(int64_value=3))

    def test_it_is_not_checked_for_duplicates(self):  # RDR-1, DUP-7
        self.client.create("unique", requires_duplicate_detection=True)
        self.dead_letter_all("unique", wire.Message(message_id="m-1"))

        job = self.client.end_of(self.client.redrive("unique" + DEAD))

        self.assertEqual(job.done_count, 1)
        self.assertEqual(self.counts("unique"), (1, 0))

    def test_to_another_queue(self):  # RDR-1
        self.client.create("others")
        self.dead_letter_all("orders", b"1", b"2")

        job = self.redriven(target="others")

        self.assertEqual((job.target, job.done_count), ("others", 2))
        self.assertEqual((self.counts(), self.counts("others")), ((0, 0), (2, 0)))
        self.assertEqual(wire.bodies(self.client.receive("others", 5)), [b"1", b"2"])

    def test_selected_ones(self):  # RDR-3
        self.dead_letter_all("orders", b"1", b"2", reason="Bad")
        self.dead_letter_all("orders", b"3", reason="Worse")
        self.advance(10)
        then = self.after(0)
        self.dead_letter_all("orders", b"4", b"5", reason="Bad")

        for selection, count in ((Selection(dead_letter_reason="Bad"), 4),
                                 (Selection(dead_letter_reason="bad"), 0),
                                 (Selection(enqueued_from=then), 2),
                                 (Selection(enqueued_before=then), 3),
                                 (Selection(dead_letter_reason="Bad", enqueued_before=then), 2),
                                 (Selection(sequence_numbers=[5, 3, 99]), 2),
                                 (Selection(), 5)):
            with self.subTest(selection=selection):
                job = self.redriven(selection=selection, dry_run=True)
                self.assertEqual((job.state, job.dry_run), (Job.STATE_COMPLETED, True))
                self.assertEqual((job.examined_count, job.matched_count, job.done_count), (5, count, 0))
        self.assertEqual(self.counts(), (0, 5))

        self.redriven(selection=Selection(sequence_numbers=[5, 3]))
        self.assertEqual(wire.bodies(self.client.receive("orders", 5)), [b"3", b"5"])

    def test_a_locked_one_is_left(self):  # RDR-2
        self.dead_letter_all("orders", b"1", b"2")
        locked = self.client.receive_one("orders" + DEAD)

        job = self.redriven()

        self.assertEqual((job.matched_count, job.done_count, job.left_count), (2, 1, 1))
        self.assertNotEqual(job.last_error, "")
        self.assert_settled(self.client.complete("orders" + DEAD, locked.lock_token))
        self.assertEqual(self.counts(), (1, 0))

    def test_what_the_target_refuses_stays(self):  # RDR-2
        self.client.create("closed", status=management_pb2.ENTITY_STATUS_SEND_DISABLED)
        self.client.create("small", max_message_size_in_kilobytes=1)
        self.dead_letter_all("orders", b"x" * 2000)

        for target in ("closed", "small"):
            job = self.redriven(target=target)
            self.assertEqual((job.state, job.done_count, job.left_count), (Job.STATE_COMPLETED, 0, 1))
            self.assertIn(target, job.last_error)

        self.assertEqual(self.counts(), (0, 1))

    def test_many_of_them_over_a_crash(self):  # RDR-2, JOB-1
        bodies = [b"%d" % number for number in range(3000)]
        for begin in range(0, 3000, 1000):
            self.dead_letter_all("orders", *bodies[begin:begin + 1000])
        job = self.client.redrive("orders" + DEAD)

        self.kill_and_restart()
        job = self.client.end_of(self.client.job(job.id))

        self.assertEqual(job.state, Job.STATE_COMPLETED)
        self.assertEqual((job.matched_count, job.done_count, job.left_count), (3000, 3000, 0))
        self.assertEqual(self.counts(), (3000, 0))
        self.assertEqual(wire.bodies(self.client.receive_all("orders", 3000)), bodies)

    def test_at_a_rate(self):  # RDR-3
        self.dead_letter_all("orders", *[b"x"] * 50)
        job = self.client.redrive("orders" + DEAD, max_rate=10)

        done = []
        while job.state == Job.STATE_RUNNING:
            self.advance(1)
            job = self.client.job(job.id)
            done.append(job.done_count)

        self.assertEqual(done[-1], 50)
        # A manual clock does what is due once for each move: one step of a tenth of the rate.
        for before, after in zip(done, done[1:]):
            self.assertLessEqual(after - before, 10)

    def test_one_that_is_cancelled_ends(self):  # JOB-1
        self.dead_letter_all("orders", *[b"x"] * 50)
        job = self.client.redrive("orders" + DEAD, max_rate=1)

        job = self.client.cancel_job(job.id)

        self.assertEqual(job.state, Job.STATE_CANCELLED)
        self.assertEqual(job.finished_at, self.after(0))
        self.advance(3600)
        active, dead = self.counts()
        self.assertLess(active, 3)
        self.assertEqual(active + dead, 50)
        self.assertEqual(self.client.cancel_job(job.id), self.client.job(job.id))

    def test_a_job_tells_what_it_was_asked(self):  # JOB-1
        asked = {"selection": Selection(dead_letter_reason="Bad", enqueued_from=self.after(-5),
                                        enqueued_before=self.after(5), sequence_numbers=[1, 2]),
                 "max_rate": 7, "dry_run": True}

        started = self.client.redrive("orders" + DEAD, target="orders", **asked)

        for job in (started, self.client.end_of(started)):
            self.assertEqual((job.entity_path, job.target), ("orders" + DEAD, "orders"))
            self.assertEqual({name: getattr(job, name) for name in asked}, asked)
            self.assertEqual(job.created_at, self.after(0))
        self.assertFalse(started.HasField("finished_at"))

    def test_jobs_are_listed_and_forgotten_after_a_day(self):  # JOB-1
        jobs = [self.client.end_of(self.client.redrive("orders" + DEAD)).id for _ in range(5)]

        listed, token = [], ""
        while True:
            page = self.client.list_jobs(2, token)
            listed += [job.id for job in page.jobs]
            token = page.next_page_token
            if not token:
                break
        self.assertEqual(listed, jobs)
        self.advance(DAY - 1)
        self.kill_and_restart()
        self.assertEqual(len(self.client.list_jobs().jobs), 5)
        self.advance(1)
        self.assertEqual(len(self.client.list_jobs().jobs), 0)
        self.assert_fails(*NO_ENTITY, self.client.job, jobs[0])
        self.assertGreater(self.client.redrive("orders" + DEAD).id, jobs[-1])

    def test_a_job_fails_when_its_queue_is_deleted(self):  # JOB-1
        self.dead_letter_all("orders", *[b"x"] * 50)
        job = self.client.redrive("orders" + DEAD, max_rate=1)

        self.client.delete("orders")

        # A step of it may still be under way, and the next one is due behind that.
        while (job := self.client.job(job.id)).state == Job.STATE_RUNNING:
            self.advance(1)
        self.assertEqual(job.state, Job.STATE_FAILED)
        self.assertNotEqual(job.last_error, "")

    def test_only_a_dead_letter_queue_is_redriven(self):
        self.assert_fails(*INVALID, self.client.redrive, "orders")
        self.assert_fails(*NO_ENTITY, self.client.redrive, "none" + DEAD)
        self.assert_fails(*NO_ENTITY, lambda: self.client.redrive("orders" + DEAD, target="none"))
        self.assertEqual(len(self.client.list_jobs().jobs), 0)

    # Deletion

    def test_selected_messages_are_deleted(self):  # PRG-2
        self.client.send("orders", b"1", b"2", b"3", b"4")
        deferred, locked = self.client.receive("orders", 2)
        self.client.defer("orders", deferred.lock_token)
        self.schedule("orders", 10, b"5")

        job = self.client.end_of(self.client.delete_selected("orders", selection=Selection(enqueued_before=self.after(1))))

        self.assertEqual((job.kind, job.state), (Job.KIND_DELETE_MESSAGES, Job.STATE_COMPLETED))
        self.assertEqual((job.matched_count, job.done_count, job.left_count), (4, 2, 2))
        self.assertEqual(wire.numbers(self.client.peek("orders").messages), [1, 2, 5])
        self.assert_settled(self.client.complete("orders", locked.lock_token))

    def test_dead_letters_are_deleted(self):  # PRG-2
        self.dead_letter_all("orders", b"1", reason="Bad")
        self.dead_letter_all("orders", b"2", reason="Worse")

        self.client.end_of(self.client.delete_selected(
            "orders" + DEAD, selection=Selection(dead_letter_reason="Bad")))

        self.assertEqual(wire.bodies(self.client.peek("orders" + DEAD).messages), [b"2"])

    # Purge

    def test_a_purge_takes_everything_at_once(self):  # PRG-1
        self.client.create("unique", requires_duplicate_detection=True)
        self.client.send("unique", *(wire.Message(message_id=str(number)) for number in range(100)))
        deferred, locked, delayed = self.client.receive("unique", 3)
        self.client.defer("unique", deferred.lock_token)
        self.client.abandon_for("unique", delayed.lock_token, delay=wire.seconds(100))
        self.schedule("unique", 10, b"scheduled")

        self.assertEqual(self.client.purge("unique"), 100)

        runtime = self.client.runtime("unique")
        self.assertEqual((runtime.active_message_count, runtime.locked_message_count, runtime.deferred_message_count,
                          runtime.delayed_message_count, runtime.scheduled_message_count), (0, 0, 0, 0, 1))
        self.assert_fails(grpc.StatusCode.ABORTED, "MessageLockLost", self.client.complete, "unique", locked.lock_token)
        self.assertEqual(self.client.send("unique", wire.Message(message_id="5"))[0].WhichOneof("outcome"), "duplicate_of")
        self.advance(200)
        self.assertEqual(wire.bodies(self.client.receive("unique", 5)), [b"scheduled"])

    def test_scheduled_messages_only_if_asked(self):  # PRG-1
        self.client.send("orders", b"1")
        scheduled = self.schedule("orders", 10, b"2", b"3")

        self.assertEqual(self.client.purge("orders", include_scheduled=True), 3)

        self.assertEqual(self.client.runtime("orders").total_message_count, 0)
        self.assertEqual(list(self.client.list_scheduled("orders").messages), [])
        self.assertEqual(list(self.client.peek("orders").messages), [])
        self.assert_fails(grpc.StatusCode.NOT_FOUND, "MessageNotFound",
                          self.client.cancel_scheduled, "orders", scheduled[0])
        self.advance(10)
        self.assertEqual(list(self.client.receive("orders")), [])

    def test_a_dead_letter_queue_is_purged_alone(self):  # PRG-1
        self.dead_letter_all("orders", b"1", b"2")
        self.client.send("orders", b"3")

        self.assert_fails(*INVALID, lambda: self.client.purge("orders" + DEAD, include_scheduled=True))
        self.assertEqual(self.counts(), (1, 2))
        self.assertEqual(self.client.purge("orders" + DEAD), 2)

        self.assertEqual(self.counts(), (1, 0))

    def test_a_purged_queue_stays_so_after_a_crash(self):  # PRG-1
        self.client.send("orders", *[b"x"] * 1000)
        self.client.purge("orders")
        self.client.send("orders", b"new")

        self.kill_and_restart()

        self.assertEqual(self.counts(), (1, 0))
        self.assertEqual(wire.bodies(self.client.receive("orders", 5)), [b"new"])

    def test_purges_one_after_the_other(self):  # PRG-1
        for _ in range(10):
            self.client.send("orders", b"x")
            while True:
                try:
                    self.assertEqual(self.client.purge("orders"), 1)
                    break
                except grpc.RpcError as error:  # The last purges are still being reclaimed.
                    self.assertEqual(error.code(), grpc.StatusCode.UNAVAILABLE)
        self.assertEqual(self.counts(), (0, 0))


if __name__ == "__main__":
    unittest.main()
