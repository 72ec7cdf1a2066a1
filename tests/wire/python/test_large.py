"""Large messages: out and in by chunks, whole or not at all, and without filling the broker's memory."""

import hashlib
import random
import unittest

import grpc

import wire
from wire import Message, messaging_pb2

CHUNK = 256 << 10
MIB = 1 << 20
ARGUMENT_ERROR = grpc.StatusCode.INVALID_ARGUMENT, "ArgumentError"
ABORTED = grpc.StatusCode.ABORTED, "MessageLockLost"
RECEIVE_AND_DELETE = messaging_pb2.RECEIVE_MODE_RECEIVE_AND_DELETE


def body_of(size, seed=1):
    return random.Random(seed).randbytes(size)


class LargeSender(wire.Stream):
    """A send stream that knows how a large message is cut."""

    def __init__(self, client):
        super().__init__(client.messaging.SendStream)

    def header(self, request_id, path, size, message=None):
        header = messaging_pb2.LargeMessageHeader(entity_path=path, message=message or Message(), body_size=size)
        self.write(messaging_pb2.SendStreamRequest(request_id=request_id, header=header))

    def chunk(self, data, request_id=0):
        chunk = messaging_pb2.MessageChunk(data=data)
        self.write(messaging_pb2.SendStreamRequest(request_id=request_id, chunk=chunk))

    def chunks(self, body, size=CHUNK):
        for at in range(0, len(body), size):
            self.chunk(body[at:at + size])

    def large(self, request_id, path, body, message=None, size=CHUNK):
        self.header(request_id, path, len(body), message)
        self.chunks(body, size)

    def small(self, request_id, path, body=b"small"):
        send = messaging_pb2.SendRequest(entity_path=path, messages=[Message(body=body)])
        self.write(messaging_pb2.SendStreamRequest(request_id=request_id, send=send))

    def results(self):
        """Ends the stream; answers (request id, result) for every receipt, in order."""
        self.writes_done()
        return [(answer.request_id, answer.results[0]) for answer in self.call]


class LargeReceiver(wire.ReceiveStream):

    def delivery(self):
        """The next large delivery: its message and its body."""
        header = self.expect("header")
        body = bytearray()  # Grows in place: bytes would be copied whole for each chunk.
        while len(body) < header.body_size:
            body += self.expect("chunk").data
        return header.message, bytes(body)


class LargeTest(wire.WireTest):

    def new_large_queue(self, **properties):
        return self.new_queue(max_message_size_in_kilobytes=102400, **properties)

    def send_large(self, path, body, **options):
        """Sends one; answers its number."""
        sender = LargeSender(self.client)
        sender.large(1, path, body, **options)
        ((_, result),) = sender.results()
        self.assertEqual(result.WhichOneof("outcome"), "sequence_number", result)
        return result.sequence_number

    def receiver(self, path, **options):
        stream = LargeReceiver(self.client, path, **options)
        self.addCleanup(stream.cancel)
        stream.expect("started")
        return stream

    def assert_unknown_to_receivers(self, name):
        runtime = self.client.runtime(name)
        self.assertEqual((runtime.active_message_count, runtime.locked_message_count), (0, 0))

    def test_it_comes_back_with_all_that_it_was_sent_with(self):  # SIZ-8
        name = self.new_large_queue()
        body = body_of(3 * MIB + 5)
        message = Message(message_id="m", subject="s", application_properties={"a": wire.Value(int32_value=1)})

        number = self.send_large(name, body, message=message)
        stream = self.receiver(name)
        stream.grant(1)
        received, received_body = stream.delivery()

        self.assertEqual(received_body, body)
        self.assertEqual((received.message, received.sequence_number, received.delivery_count), (message, number, 0))
        self.assertGreater(received.size, len(body))
        stream.settle(7, [received.lock_token], complete=messaging_pb2.Complete())
        self.assertEqual(stream.expect("settled").settled, 1)
        self.assert_unknown_to_receivers(name)

    def test_chunks_of_any_size_make_the_same_body(self):  # SIZ-8
        name = self.new_large_queue()
        body = body_of(MIB + 1)

        for size in (CHUNK, 100_000, 65_537):
            self.send_large(name, body, size=size)

        stream = self.receiver(name)
        stream.grant(3)
        for _ in range(3):
            self.assertEqual(stream.delivery()[1], body)

    def test_a_header_may_announce_a_small_body(self):  # SIZ-8
        name = self.new_large_queue()
        bodies = [b"", b"x", body_of(MIB)]

        for body in bodies:
            self.send_large(name, body)

        self.assertEqual([message.message.body for message in self.client.receive_all(name, 3)], bodies)

    def test_the_order_of_the_stream_is_the_order_of_the_queue(self):  # SND-4
        name = self.new_large_queue()
        large = body_of(2 * MIB)
        sender = LargeSender(self.client)

        sender.small(1, name, b"before")
        sender.large(2, name, large)
        sender.small(3, name, b"between")
        sender.large(4, name, large)
        sender.small(5, name, b"behind")

        results = sender.results()
        self.assertEqual([(at, result.sequence_number) for at, result in results], [(n, n) for n in range(1, 6)])
        stream = self.receiver(name)
        stream.grant(5)
        self.assertEqual(stream.deliveries(1)[0].message.body, b"before")
        self.assertEqual(stream.delivery()[1], large)
        self.assertEqual(stream.deliveries(1)[0].message.body, b"between")
        self.assertEqual(stream.delivery()[1], large)
        self.assertEqual(stream.deliveries(1)[0].message.body, b"behind")

    def test_a_bad_header_is_answered_once_and_its_chunks_are_skipped(self):  # ERR-1, ERR-8
        name = self.new_large_queue()
        small_only = self.new_queue()
        body = body_of(2 * MIB)
        sender = LargeSender(self.client)

        sender.large(1, name + "-nobody", body)
        sender.large(2, small_only, body)
        sender.header(3, name, -1)
        sender.chunks(body)
        sender.header(4, name, len(body), Message(body=b"here"))
        sender.chunks(body)
        sender.large(5, name + "/$DeadLetterQueue", body)
        sender.large(6, name, body)
        sender.small(7, name)

        results = sender.results()
        self.assertEqual([request_id for request_id, _ in results], list(range(1, 8)))
        self.assert_error(results[0][1].error, grpc.StatusCode.NOT_FOUND, "MessagingEntityNotFound")
        self.assert_error(results[1][1].error, grpc.StatusCode.INVALID_ARGUMENT, "MessageSizeExceeded")
        self.assert_error(results[2][1].error, grpc.StatusCode.OUT_OF_RANGE, "ArgumentOutOfRange")
        self.assert_error(results[3][1].error, *ARGUMENT_ERROR)
        self.assert_error(results[4][1].error, grpc.StatusCode.FAILED_PRECONDITION, "InvalidOperation")
        self.assertEqual((results[5][1].sequence_number, results[6][1].sequence_number), (1, 2))

    def test_chunks_that_do_not_fit_are_named_and_the_stream_goes_on(self):  # ERR-15
        name = self.new_large_queue()
        size = 2 * MIB
        cases = (
            ([CHUNK, 100, 100], "must be equal"),
            ([CHUNK + 1], "from 1 to 262144"),
            ([0], "from 1 to 262144"),
            ([CHUNK] * 3, "ended after 786432 of the 2097152 bytes"),
            ([200_000] * 11, "more bytes than the 2097152"),
        )
        sender = LargeSender(self.client)

        for request_id, (chunks, _) in enumerate(cases):
            sender.header(request_id, name, size)
            for chunk in chunks:
                sender.chunk(b"x" * chunk)
            sender.small(100 + request_id, name)
        results = dict(sender.results())

        for request_id, (_, sentence) in enumerate(cases):
            with self.subTest(sentence=sentence):
                error = results[request_id].error
                self.assert_error(error, *ARGUMENT_ERROR)
                self.assertIn(sentence, error.message)
                self.assertEqual(results[100 + request_id].sequence_number, request_id + 1)

    def test_chunks_that_belong_to_nothing_are_answered_once(self):  # ERR-15
        name = self.new_large_queue()
        sender = LargeSender(self.client)

        sender.chunk(b"x", request_id=1)
        sender.chunk(b"x", request_id=2)
        sender.large(3, name, b"y" * 1000, size=1000)
        sender.chunk(b"x", request_id=4)
        sender.small(5, name)

        results = sender.results()
        self.assertEqual([request_id for request_id, _ in results], [1, 3, 4, 5])
        self.assert_error(results[0][1].error, *ARGUMENT_ERROR)
        self.assertEqual(results[1][1].sequence_number, 1)
        self.assert_error(results[2][1].error, *ARGUMENT_ERROR)
        self.assertEqual(results[3][1].sequence_number, 2)

    def test_a_stream_that_ends_in_the_middle_leaves_nothing(self):
        name = self.new_large_queue()
        cut_short = LargeSender(self.client)
        cut_short.header(1, name, 2 * MIB)
        cut_short.chunk(b"x" * CHUNK)
        ((_, result),) = cut_short.results()
        self.assert_error(result.error, *ARGUMENT_ERROR)
        broken = LargeSender(self.client)
        broken.header(1, name, 2 * MIB)
        broken.chunk(b"x" * CHUNK)
        broken.cancel()

        self.assert_unknown_to_receivers(name)
        self.assertEqual(self.send_large(name, body_of(2 * MIB)), 1)

    def test_one_piece_is_refused_over_a_stream_too(self):  # SIZ-8
        name = self.new_large_queue()
        sender = LargeSender(self.client)
        sender.small(1, name, b"x" * (MIB + 1))
        sender.small(2, name)

        (_, refused), (_, sent) = sender.results()

        self.assert_error(refused.error, grpc.StatusCode.INVALID_ARGUMENT, "MessageSizeExceeded")
        self.assertEqual(sent.sequence_number, 1)

    def test_single_calls_do_not_deliver_it(self):  # SIZ-8, PEEK-1
        name = self.new_large_queue()
        self.client.send(name, b"small")
        self.send_large(name, body_of(2 * MIB))

        (message,) = self.client.receive(name, 10)
        self.assertEqual(message.message.body, b"small")
        refused = grpc.StatusCode.INVALID_ARGUMENT, "MessageSizeExceeded"
        self.assert_fails(*refused, self.client.receive, name, 10)
        self.assertEqual(self.client.runtime(name).locked_message_count, 1)
        peeked = self.client.peek(name).messages[1]
        self.assertEqual((peeked.message.body, peeked.size, peeked.delivery_count), (b"", 2 * MIB, 0))

    def test_credit_counts_its_bytes(self):
        name = self.new_large_queue()
        body = body_of(2 * MIB)
        self.client.send(name, b"small")
        self.send_large(name, body)
        stream = self.receiver(name)

        stream.grant(10, bytes=1000)
        (small,) = stream.deliveries(1)
        stream.drain()
        self.assertEqual(stream.expect("drained").messages, 9)
        stream.settle(1, [small.lock_token], complete=messaging_pb2.Complete())
        stream.expect("settled")
        stream.grant(1, bytes=1)  # Nothing is outstanding: one that is larger may come.
        self.assertEqual(stream.delivery()[1], body)

    def test_answers_stand_between_its_chunks_and_drained_behind_them(self):
        name = self.new_large_queue()
        body = body_of(40 * MIB)
        self.client.send(name, b"small")
        self.send_large(name, body)
        stream = self.receiver(name)
        stream.grant(2)
        (small,) = stream.deliveries(1)
        size = stream.expect("header").body_size
        stream.settle(1, [small.lock_token], complete=messaging_pb2.Complete())
        stream.drain()
        # Settled before the rest is read: what was written ahead of us is far less than it.
        self.wait_until(lambda: self.client.runtime(name).total_message_count == 1)

        kinds = []
        while size > 0:
            response = stream.read()
            kinds.append(response.WhichOneof("response"))
            size -= len(response.chunk.data)

        self.assertEqual(kinds.count("settled"), 1)
        self.assertEqual(kinds.count("chunk"), 160)
        self.assertEqual(len(kinds), 161)
        stream.expect("drained")

    def test_settled_by_another_in_the_middle_the_stream_fails(self):
        name = self.new_large_queue()
        self.send_large(name, body_of(60 * MIB))
        stream = self.receiver(name)
        stream.grant(1)
        token = stream.expect("header").message.lock_token
        self.assert_settled(self.client.complete(name, token))

        with self.assertRaises(grpc.RpcError) as caught:
            while True:
                stream.expect("chunk")

        self.assertEqual(caught.exception.code(), ABORTED[0])
        self.assert_error(wire.status_of(caught.exception), *ABORTED)

    def test_deleted_with_its_queue_in_the_middle_the_stream_fails(self):  # EPR-33
        name = self.new_large_queue()
        self.send_large(name, body_of(60 * MIB))
        stream = self.receiver(name)
        stream.grant(1)
        stream.expect("header")
        self.client.delete(name)

        with self.assertRaises(grpc.RpcError) as caught:
            while True:
                stream.expect("chunk")

        self.assertIn(caught.exception.code(), (grpc.StatusCode.NOT_FOUND, grpc.StatusCode.ABORTED))

    def test_taken_for_good_and_gone_in_the_middle_the_stream_ends(self):
        name = self.new_large_queue()
        self.send_large(name, body_of(60 * MIB))
        stream = self.receiver(name, mode=RECEIVE_AND_DELETE)
        stream.grant(1)
        stream.expect("header")
        self.client.delete(name)

        with self.assertRaises(grpc.RpcError) as caught:
            while True:
                stream.expect("chunk")

        self.assertIn(caught.exception.code(), (grpc.StatusCode.NOT_FOUND, grpc.StatusCode.ABORTED))

    def test_not_delivered_whole_it_was_not_delivered(self):  # LCK-14
        name = self.new_large_queue()
        body = body_of(60 * MIB)
        self.send_large(name, body)
        broken = self.receiver(name)
        broken.grant(1)
        broken.expect("header")
        broken.cancel()

        stream = self.receiver(name)
        stream.grant(1)
        message, again = stream.delivery()

        self.assertEqual(message.delivery_count, 0)
        self.assertEqual(hashlib.sha256(again).digest(), hashlib.sha256(body).digest())

    def test_without_a_lock_it_comes_once_and_whole(self):  # RCV-1
        name = self.new_large_queue()
        body = body_of(10 * MIB)
        self.send_large(name, body)
        stream = self.receiver(name, mode=RECEIVE_AND_DELETE)
        stream.grant(2)

        message, received = stream.delivery()

        self.assertEqual((received, message.lock_token), (body, b""))
        self.assert_unknown_to_receivers(name)

    def test_dead_lettered_and_received_again(self):  # DLQ-5, DLQ-9
        name = self.new_large_queue()
        body = body_of(2 * MIB)
        self.send_large(name, body)
        stream = self.receiver(name)
        stream.grant(1)
        message, _ = stream.delivery()
        self.assert_settled(self.client.dead_letter(name, message.lock_token, reason="because"))

        dead = self.receiver(name + "/$DeadLetterQueue")
        dead.grant(1)
        message, received = dead.delivery()

        self.assertEqual(received, body)
        self.assertEqual(message.message.application_properties["DeadLetterReason"].string_value, "because")


class LargeMemoryTest(wire.OwnBrokerTest):
    """With a daemon whose memory nobody else uses."""

    MEMORY_LIMIT = 300 << 10  # KiB

    def test_100_mib_out_and_in_are_the_same_and_not_held_in_memory(self):  # SIZ-8, reliability 6
        size = 100 * MIB
        self.client.create("orders", max_message_size_in_kilobytes=102400)
        block = body_of(MIB - 1)  # Rows that are alike would hide one in the place of another.
        sent = hashlib.sha256()
        sender = LargeSender(self.client)
        sender.header(1, "orders", size)
        for at in range(0, size, CHUNK):
            data = (block[at % 1000:] + block)[:CHUNK - 8] + at.to_bytes(8, "big")
            sent.update(data)
            sender.chunk(data)
        ((_, result),) = sender.results()
        self.assertEqual(result.sequence_number, 1)

        stream = LargeReceiver(self.client, "orders")
        self.addCleanup(stream.cancel)
        stream.expect("started")
        stream.grant(1)
        left = stream.expect("header").body_size
        self.assertEqual(left, size)
        received = hashlib.sha256()
        while left > 0:
            data = stream.expect("chunk").data
            received.update(data)
            left -= len(data)

        self.assertEqual(received.digest(), sent.digest())
        self.assertLess(self.daemon.peak_memory(), self.MEMORY_LIMIT)


if __name__ == "__main__":
    unittest.main()
