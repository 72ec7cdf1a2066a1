"""Receiving as a stream: credit, deliveries, settlements on the same stream, drain and stop."""

import unittest

import grpc

import wire
from wire import messaging_pb2

COMPLETE = {"complete": messaging_pb2.Complete()}


def bodies(messages):
    return [message.message.body for message in messages]


class ReceiveStreamTest(wire.WireTest):

    def new_stream(self, path, **options):
        stream = wire.ReceiveStream(self.client, path, **options)
        self.addCleanup(stream.cancel)
        return stream

    def started(self, path, **options):
        stream = self.new_stream(path, **options)
        stream.expect("started")
        return stream

    def test_the_start_tells_the_lock_duration(self):
        name = self.new_queue(lock_duration=wire.seconds(45))

        stream = self.new_stream(name)

        self.assertEqual(stream.expect("started").lock_duration.ToSeconds(), 45)

    def test_credit_is_a_promise_and_a_limit(self):  # LNK-2
        name = self.new_queue()
        self.client.send(name, b"0", b"1", b"2", b"3")
        stream = self.started(name)

        stream.grant(2)
        first = stream.deliveries(2)
        stream.drain()
        nothing_left = stream.expect("drained")
        stream.grant(1)
        stream.grant(1)
        second = stream.deliveries(2)

        self.assertEqual(bodies(first) + bodies(second), [b"0", b"1", b"2", b"3"])
        self.assertEqual(nothing_left.messages, 0)

    def test_a_message_reaches_a_stream_that_waits(self):
        name = self.new_queue()
        stream = self.started(name)
        stream.grant(10)

        for body in (b"a", b"b"):
            self.client.send(name, body)
            self.assertEqual(bodies(stream.deliveries(1)), [body])

    def test_settlements_travel_on_the_stream(self):  # STL-1, STL-2, STL-4, STL-13, STL-12, CNT-3, CNT-7, CNT-11
        name = self.new_queue()
        self.client.send(name, b"0", b"1", b"2", b"3")
        stream = self.started(name)
        stream.grant(4)
        tokens = [message.lock_token for message in stream.deliveries(4)]

        stream.settle(11, [tokens[0], wire.UNKNOWN_TOKEN], **COMPLETE)
        stream.settle(12, [tokens[1]], abandon=messaging_pb2.Abandon())
        stream.settle(13, [tokens[2]], dead_letter=messaging_pb2.DeadLetter(reason="because"))
        stream.settle(14, [tokens[3]], release=messaging_pb2.Release())
        outcomes = {outcome.request_id: outcome for outcome in (stream.expect("settled") for _ in range(4))}

        self.assertEqual({request_id: outcome.settled for request_id, outcome in outcomes.items()},
                         {11: 1, 12: 1, 13: 1, 14: 1})
        (failure,) = outcomes[11].failures
        self.assertEqual(failure.lock_token, wire.UNKNOWN_TOKEN)
        self.assert_error(failure.error, grpc.StatusCode.ABORTED, "MessageLockLost")
        self.assertEqual([(m.message.body, m.delivery_count) for m in self.client.receive(name, 9)],
                         [(b"1", 1), (b"3", 0)])
        self.assertEqual(bodies(self.client.peek(name + "/$DeadLetterQueue").messages), [b"2"])

    def test_locks_are_renewed_on_the_stream(self):  # LCK-2, LCK-4
        name = self.new_queue(lock_duration=wire.seconds(60))
        self.client.send(name, b"x")
        stream = self.started(name)
        stream.grant(1)
        (message,) = stream.deliveries(1)
        self.client.update(name, lock_duration=wire.seconds(600))

        stream.renew(5, [message.lock_token, wire.UNKNOWN_TOKEN])
        outcome = stream.expect("renewed")

        self.assertEqual(outcome.request_id, 5)
        known, unknown = outcome.results
        self.assertGreaterEqual(known.locked_until.ToSeconds() - message.locked_until.ToSeconds(), 539)
        self.assert_error(unknown.error, grpc.StatusCode.ABORTED, "MessageLockLost")

    def test_drain_sends_what_is_there_and_reports_the_rest(self):  # LNK-3
        name = self.new_queue()
        self.client.send(name, b"0", b"1", b"2")
        stream = self.started(name)

        stream.grant(10)
        stream.drain()

        self.assertEqual(bodies(stream.deliveries(3)), [b"0", b"1", b"2"])
        self.assertEqual(stream.expect("drained").messages, 7)
        self.client.send(name, b"not for the stream")
        self.assertEqual(bodies(self.client.receive(name)), [b"not for the stream"])

    def test_credit_can_be_taken_back(self):
        name = self.new_queue()
        stream = self.started(name)

        stream.grant(10)
        stream.revoke(8)
        stream.drain()

        self.assertEqual(stream.expect("drained").messages, 2)

    def test_after_stop_settlements_go_on_and_deliveries_do_not(self):
        name = self.new_queue()
        self.client.send(name, b"0", b"1")
        stream = self.started(name)
        stream.grant(1)
        (message,) = stream.deliveries(1)

        stream.stop()
        stream.expect("stopped")
        stream.grant(5)
        stream.settle(1, [message.lock_token], **COMPLETE)
        stream.expect("settled")

        self.assertEqual(bodies(self.client.receive(name, 5)), [b"1"])

    def test_messages_stay_locked_when_their_stream_ends(self):  # LCK-9, LCK-7
        name = self.new_queue()
        self.client.send(name, b"0", b"1")
        stream = self.started(name)
        stream.grant(1)
        (message,) = stream.deliveries(1)

        stream.writes_done()
        self.assertEqual(list(stream.call), [])

        self.assertEqual(bodies(self.client.receive(name, 5)), [b"1"])
        self.assertEqual(self.client.runtime(name).locked_message_count, 2)
        self.assert_settled(self.client.complete(name, message.lock_token))

    def test_what_could_not_be_written_is_free_when_the_stream_ends(self):  # LCK-14
        name = self.new_queue(lock_duration=wire.seconds(300))
        self.client.send(name, *[b"x" * 100_000] * 10)
        # It takes 64 KiB ahead of its reader, and the ten messages go in one response.
        narrow = wire.Client(options=[("grpc.http2.bdp_probe", 0)])
        self.addCleanup(narrow.close)
        stream = wire.ReceiveStream(narrow, name)
        stream.expect("started")
        stream.grant(10)
        self.wait_until(lambda: self.client.runtime(name).locked_message_count == 10)

        stream.cancel()

        self.assertEqual([message.delivery_count for message in self.client.receive_all(name, 10)], [0] * 10)

    def test_receive_and_delete_needs_no_settlement(self):  # RCV-1
        name = self.new_queue()
        self.client.send(name, b"0", b"1")
        stream = self.started(name, mode=messaging_pb2.RECEIVE_MODE_RECEIVE_AND_DELETE)

        stream.grant(5)
        messages = stream.deliveries(2)

        self.assertEqual([(m.message.body, m.lock_token) for m in messages], [(b"0", b""), (b"1", b"")])
        self.assertEqual(self.client.runtime(name).total_message_count, 0)

    def test_credit_in_bytes_holds_back_what_does_not_fit(self):
        name = self.new_queue()
        self.client.send(name, b"x" * 1000, b"y" * 1000, b"z" * 1000)
        size = self.client.peek(name).messages[0].size
        stream = self.started(name)

        stream.grant(3, bytes=size * 2 + size // 2)
        messages = stream.deliveries(2)
        stream.drain()

        self.assertEqual(bodies(messages), [b"x" * 1000, b"y" * 1000])
        self.assertEqual(stream.expect("drained").messages, 1)

    def test_a_stream_begins_with_start(self):  # ERR-15
        stream = wire.Stream(self.client.messaging.ReceiveStream)
        self.addCleanup(stream.cancel)

        stream.write(messaging_pb2.ReceiveStreamRequest(grant=messaging_pb2.ReceiveCredit(messages=1)))

        with self.assertRaises(grpc.RpcError) as caught:
            stream.read()
        self.assertIn(wire.error_info(wire.status_of(caught.exception)).reason, ("ArgumentError", "InvalidOperation"))

    def test_a_stream_on_nothing_fails(self):  # ERR-1
        stream = self.new_stream(self.new_name())

        self.assert_fails(grpc.StatusCode.NOT_FOUND, "MessagingEntityNotFound", stream.read)


if __name__ == "__main__":
    unittest.main()
