"""Asked to end, the daemon ends soon and well, whatever is under way: it answers what it took, and says of the rest
that it was not done."""

import functools
import random
import signal
import threading
import time
import unittest

import grpc

import daemon_test
import wire
from http2_connection import begin_answer
from wire import management_pb2, messaging_pb2

# pylint: disable=wrong-import-position
from grpc.health.v1 import health_pb2, health_pb2_grpc  # noqa: E402

STOP_LIMIT = 5  # seconds
NONE = management_pb2.MessageSelection(sql_filter="sys.Size = 0")  # Of messages with a body.
SERVICES = ("", "wharf.v1.Backups", "wharf.v1.Clock", "wharf.v1.Cluster", "wharf.v1.Management",
            "wharf.v1.Messaging", "wharf.v1.Sessions", "wharf.v1.Topics", "wharf.v1.Transactions")
KEPT = messaging_pb2.RECEIVE_MODE_PEEK_LOCK
CONSUMED = messaging_pb2.RECEIVE_MODE_RECEIVE_AND_DELETE


class StopTest(daemon_test.DaemonTest):

    def in_background(self, call):
        """Runs it in a thread; answers a function that tells how it ended."""
        ends = []

        def run():
            try:
                ends.append(call())
            except (grpc.RpcError, AssertionError) as error:
                ends.append(error)

        thread = threading.Thread(target=run)
        thread.start()

        def join():
            thread.join(wire.TIMEOUT)
            (end,) = ends
            if isinstance(end, AssertionError):
                raise end
            return end
        return join

    def stop_in_time(self, daemon):
        begin = time.monotonic()
        code = daemon.terminate()
        elapsed = time.monotonic() - begin
        self.assertEqual(code, 0, daemon.log)
        self.assertLess(elapsed, STOP_LIMIT)
        self.assertRegex(daemon.log[-1], "info wharfd stopped$")

    def assert_not_done(self, error):
        """The end of a call or stream that says: what was not answered was not done."""
        self.assertEqual(error.code(), grpc.StatusCode.UNAVAILABLE)
        info = wire.error_info(wire.status_of(error))
        self.assertEqual((info.reason, info.metadata["outcome"], info.metadata["is_transient"]),
                         ("ServiceCommunicationProblem", "not-done", "true"))
        self.assertIn("stopping", error.details())

    def rest_of(self, stream):
        """What is still read from a stream, and how it ends."""
        responses = []
        with self.assertRaises(grpc.RpcError) as caught:
            while True:
                responses.append(stream.read())
        stream.writes_done()
        return responses, caught.exception

    def test_under_load_it_answers_everything_and_keeps_it(self):  # reliability 4, LCK-11
        daemon = self.start()
        self.client.create("orders")
        self.client.create("locked", lock_duration=wire.seconds(300))
        self.client.send("locked", b"x")
        token = self.client.receive_one("locked").lock_token
        idle = wire.ReceiveStream(self.client, "locked")
        idle.grant(10)
        idle.expect("started")
        silent = wire.Stream(self.client.messaging.SendStream)  # Open, and never says anything.
        self.addCleanup(silent.cancel)
        load = daemon_test.Load(self.client, "orders", callers=8)
        load.wait_for(acknowledged=2000)

        self.stop_in_time(daemon)

        load.join()
        self.assertEqual(load.unknown, set())
        self.assert_not_done(self.rest_of(idle)[1])
        self.assert_not_done(self.rest_of(silent)[1])
        self.start()
        self.assertEqual(daemon_test.stored(self.client, "orders"), load.acknowledged)
        self.assert_settled(self.client.complete("locked", token))

    def test_what_it_does_of_itself_goes_on_at_the_next_start(self):
        """Jobs, forwarding and the deletion of what has rows of its own, all of them begun just before it is asked."""
        daemon = self.start()
        for name in ("walked", "inbox", "relay", "dead"):
            self.client.create(name, max_size_in_megabytes=5120)
        self.client.create("gone", max_size_in_megabytes=5120)
        for _ in range(10):
            for name in ("walked", "inbox"):
                self.client.send(name, *[b"x"] * 1000)
            self.client.send("gone", *[b"x" * 8192] * 100)
            self.client.send("dead", *[b"x"] * 100)
        tokens = [each.lock_token for each in self.client.receive_all("dead", 1000)]
        self.client.dead_letter("dead", *tokens)

        self.client.update("inbox", {"forward_to"}, forward_to="relay")
        self.client.delete("gone")
        jobs = [self.client.redrive("dead/$DeadLetterQueue"),
                *(self.client.delete_selected("walked", selection=NONE) for _ in range(8))]
        self.stop_in_time(daemon)

        self.start()
        ends = [self.client.end_of(self.client.job(job.id)) for job in jobs]
        self.assertEqual([job.state for job in ends], [management_pb2.Job.STATE_COMPLETED] * len(jobs))
        self.assertEqual(self.client.runtime("dead").active_message_count, 1000)
        self.assertEqual(self.client.runtime("walked").active_message_count, 10000)
        self.wait_until(lambda: self.client.runtime("relay").active_message_count == 10000)
        self.assertEqual(self.client.runtime("inbox").total_message_count, 0)
        self.assertEqual(len(daemon_test.stored(self.client, "relay")), 10000)

    def test_waits_end_at_once(self):
        daemon = self.start()
        self.client.create("empty")
        self.client.create("sessions", requires_session=True)
        receive = self.in_background(lambda: list(self.client.receive("empty", wait=60)))
        accept = self.in_background(lambda: self.client.sessions.accept("sessions", wait=wire.seconds(60)))
        self.client.send("empty", b"x")  # Behind the other two in the broker, too: it is one connection.
        self.assertEqual(len(receive()), 1)
        receive = self.in_background(lambda: list(self.client.receive("empty", wait=60)))
        self.client.get("empty")

        self.stop_in_time(daemon)

        end = receive()
        if isinstance(end, grpc.RpcError):  # It came after the signal.
            self.assert_not_done(end)
        else:
            self.assertEqual(end, [])
        self.assertEqual(wire.error_info(wire.status_of(accept())).metadata["outcome"], "not-done")

    def test_a_stream_without_a_receipt_for_something_knows_that_it_was_not_done(self):
        daemon = self.start()
        self.client.create("orders")
        stream = wire.Stream(self.client.messaging.SendStream)
        for number in range(2000):
            stream.write(messaging_pb2.SendStreamRequest(request_id=number, send=messaging_pb2.SendRequest(
                entity_path="orders", messages=[wire.as_message(b"%d" % number)])))
        stream.read()

        self.stop_in_time(daemon)

        receipts, end = self.rest_of(stream)
        self.assert_not_done(end)
        self.start()
        there = daemon_test.stored(self.client, "orders")
        done = {b"%d" % receipt.request_id for receipt in receipts if not receipt.results[0].HasField("error")}
        self.assertEqual(set(there.values()), done | {b"0"})

    def test_half_a_large_message_is_refused(self):
        daemon = self.start()
        self.client.create("orders", max_message_size_in_kilobytes=4096)
        stream = wire.Stream(self.client.messaging.SendStream)
        header = messaging_pb2.LargeMessageHeader(entity_path="orders", message=wire.as_message(b""), body_size=2 << 20)
        stream.write(messaging_pb2.SendStreamRequest(request_id=1, header=header))
        stream.write(messaging_pb2.SendStreamRequest(chunk=messaging_pb2.MessageChunk(data=bytes(256 << 10))))
        other = wire.Stream(self.client.messaging.SendStream)
        other.write(messaging_pb2.SendStreamRequest(send=messaging_pb2.SendRequest(
            entity_path="orders", messages=[wire.as_message(b"x")])))
        other.read()

        self.stop_in_time(daemon)

        receipts, end = self.rest_of(stream)
        self.assert_not_done(end)
        for receipt in receipts:  # None if the header had not come yet.
            self.assertEqual(wire.error_info(receipt.results[0].error).metadata["outcome"], "not-done")
        self.start()
        self.assertEqual(list(daemon_test.stored(self.client, "orders").values()), [b"x"])

    def test_settlements_are_answered_and_locks_outlive_it(self):  # LCK-11
        daemon = self.start()
        self.client.create("orders", lock_duration=wire.seconds(300))
        self.client.send("orders", *[b"x"] * 100)
        stream = wire.ReceiveStream(self.client, "orders")
        stream.grant(100)
        stream.expect("started")
        tokens = []
        while len(tokens) < 100:
            tokens += [message.lock_token for message in stream.expect("deliveries").messages]
        for number, token in enumerate(tokens[:50]):
            stream.settle(number, [token], complete=messaging_pb2.Complete())

        self.stop_in_time(daemon)

        responses, end = self.rest_of(stream)
        self.assert_not_done(end)
        settled = [response.settled.request_id for response in responses
                   if response.WhichOneof("response") == "settled"]
        self.start()
        self.assertEqual(self.client.runtime("orders").total_message_count, 100 - len(settled))
        rest = [token for number, token in enumerate(tokens) if number not in settled]
        if rest:
            self.assert_settled(self.client.complete("orders", *rest), len(rest))

    def hold_up(self, daemon):
        self.addCleanup(begin_answer(daemon.address).close)

    def unread(self, mode):
        """A stream with 20 MB to read, of which little is read."""
        self.client.create("orders", lock_duration=wire.seconds(300))
        for _ in range(20):
            self.client.send("orders", *[bytes(100_000)] * 10)
        stream = wire.ReceiveStream(self.client, "orders", mode)
        stream.grant(1000)
        stream.expect("started")
        return stream

    def test_what_was_not_delivered_comes_again_and_does_not_count(self):  # LCK-14
        daemon = self.start()
        stream = self.unread(KEPT)

        self.stop_in_time(daemon)

        # It read nothing while the daemon waited for it, so it may have been cut off before it was told how it ended.
        responses, end = self.rest_of(stream)
        self.assertIn(daemon_test.outcome_of(end), ("not-done", "unknown"))
        got = {message.sequence_number for response in responses for message in response.deliveries.messages}
        self.start()
        again = self.client.receive_all("orders", 200 - len(got))
        self.assertEqual({message.sequence_number for message in again} | got, set(range(1, 201)))
        self.assertEqual({message.delivery_count for message in again}, {0})

    def test_what_is_consumed_by_its_delivery_is_not_lost(self):
        daemon = self.start()
        stream = self.unread(CONSUMED)

        end = self.in_background(daemon.terminate)
        responses, error = self.rest_of(stream)

        self.assertEqual(end(), 0)
        self.assert_not_done(error)
        got = {message.sequence_number for response in responses for message in response.deliveries.messages}
        self.start()
        left = set(daemon_test.stored(self.client, "orders"))
        self.assertEqual((got | left, got & left), (set(range(1, 201)), set()))

    def test_while_it_stops_new_calls_are_refused_and_health_says_so(self):
        daemon = self.start()
        self.client.create("held")
        health = health_pb2_grpc.HealthStub(self.client.channel)
        begin = time.monotonic()
        watch = health.Watch(health_pb2.HealthCheckRequest(service="wharf.v1.Messaging"), timeout=wire.TIMEOUT)
        self.assertEqual(next(watch).status, health_pb2.HealthCheckResponse.SERVING)
        other = self.connect(daemon)
        other.get("held")
        self.hold_up(daemon)

        end = self.in_background(lambda: self.stop_in_time(daemon))
        self.assertEqual(next(watch).status, health_pb2.HealthCheckResponse.NOT_SERVING)
        for service in SERVICES:
            self.assertEqual(health.Check(health_pb2.HealthCheckRequest(service=service), timeout=wire.TIMEOUT).status,
                             health_pb2.HealthCheckResponse.NOT_SERVING, service)
        with self.assertRaises(grpc.RpcError) as caught:
            while True:  # Health is told first.
                other.send("held", b"x")
        self.assert_not_done(caught.exception)
        _, error = self.rest_of(wire.Stream(self.connect(daemon).messaging.SendStream))
        self.assert_not_done(error)
        watch.cancel()

        self.assertIsNone(end())
        self.assertGreater(time.monotonic() - begin, 1.5)  # It was held up all the time.

    def test_who_asks_now_and_then_is_left_in_no_doubt(self):
        """Among so many somebody begins while connections are closed (GOAWAY)."""
        daemon = self.start()
        self.client.create("orders")
        is_over = threading.Event()
        self.addCleanup(is_over.set)
        askers = [self.in_background(functools.partial(self.ask_now_and_then, self.connect(daemon), is_over))
                  for _ in range(24)]
        self.client.get("orders")

        self.stop_in_time(daemon)

        is_over.set()
        # On a machine that stands still a connection may break behind one who has not read that it closes.
        heard = {end for asker in askers for end in asker()} - {("UNAVAILABLE", "unknown")}
        self.assertEqual({outcome for _, outcome in heard}, {"not-done"})

    def ask_now_and_then(self, client, is_over):
        """The code and the outcome of each request that failed."""
        ends = []
        while not is_over.wait(random.uniform(0, 0.02)):
            try:
                client.get("orders")
            except grpc.RpcError as error:
                ends.append((error.code().name, daemon_test.outcome_of(error)))
        return ends

    def test_an_interrupt_from_the_keyboard_is_the_same(self):
        daemon = self.start()

        self.assertEqual(daemon.interrupt(), 0)

    def test_signals_that_mean_nothing_do_not_end_it(self):
        daemon = self.start()

        for which in (signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2):
            daemon.send_signal(which)
            self.client.create(f"after-{which.name}")

        self.assertEqual(daemon.terminate(), 0)
        self.assertIn("nothing to reload", "".join(daemon.log))

    def test_it_ends_while_clients_connect(self):
        """Started and stopped at once, many times: no race between the two."""
        for _ in range(5):
            daemon = self.start()
            self.assertEqual(daemon.terminate(), 0)


if __name__ == "__main__":
    unittest.main()
