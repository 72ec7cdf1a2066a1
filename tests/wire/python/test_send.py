"""Sending: unary, atomic, in parts, and as a stream; what a message carries arrives as it was sent."""

import unittest

import grpc

import wire
from wire import Message, Value, messaging_pb2

KIB = 1024

# One value of every type that an application property may have (USR-2), its edges where it has some.
EVERY_TYPE = {
    "null": Value(),
    "bool": Value(bool_value=True),
    "int8": Value(int8_value=-128),
    "int16": Value(int16_value=-32768),
    "int32": Value(int32_value=-2**31),
    "int64": Value(int64_value=-2**63),
    "uint8": Value(uint8_value=255),
    "uint16": Value(uint16_value=65535),
    "uint32": Value(uint32_value=2**32 - 1),
    "uint64": Value(uint64_value=2**64 - 1),
    "float": Value(float_value=1.5),
    "double": Value(double_value=-2.5e300),
    "decimal": Value(decimal_value="12.50"),
    "char": Value(char_value=0x1F6A2),
    "string": Value(string_value="Grüße, 船"),
    "empty string": Value(string_value=""),
    "uuid": Value(uuid_value=bytes(range(16))),
    "timestamp": Value(timestamp_value={"seconds": 1_700_000_000, "nanos": 123_456_700}),
    "timespan": Value(timespan_value={"seconds": -90, "nanos": -500_000_000}),
    "uri": Value(uri_value="https://example.org/a?b=c"),
    "datetime offset": Value(datetime_offset_value={"seconds": -62_000_000_000}),
    "symbol of AMQP": Value(encoded_value=b"\xa3\x06symbol"),
    "list of AMQP": Value(encoded_value=b"\xc0\x04\x02\x54\x01\x41"),
}


class SendTest(wire.WireTest):

    def test_numbers_begin_with_one_and_have_no_gaps(self):  # SEQ-1, SEQ-2, SEQ-5
        name = self.new_queue(max_message_size_in_kilobytes=1)

        numbers = [self.client.send(name, b"x")[0].sequence_number]
        results = self.client.send(name, b"y", b"z" * 2 * KIB, b"z")
        numbers += [result.sequence_number for result in results if result.HasField("sequence_number")]

        self.assertEqual(numbers, [1, 2, 3])

    def test_each_message_of_a_list_stands_for_itself(self):  # SIZ-8, ERR-8
        name = self.new_queue(max_message_size_in_kilobytes=1)

        results = self.client.send(name, b"good", b"x" * 2 * KIB, b"good too")

        self.assertEqual([result.WhichOneof("outcome") for result in results],
                         ["sequence_number", "error", "sequence_number"])
        self.assert_error(results[1].error, grpc.StatusCode.INVALID_ARGUMENT, "MessageSizeExceeded")
        self.assertEqual([m.message.body for m in self.client.peek(name).messages], [b"good", b"good too"])

    def test_an_atomic_list_is_stored_whole_or_not_at_all(self):  # SND-5
        name = self.new_queue(max_message_size_in_kilobytes=1)

        self.assert_fails(grpc.StatusCode.INVALID_ARGUMENT, "MessageSizeExceeded",
                          self.client.send, name, b"good", b"x" * 2 * KIB, atomic=True)
        results = self.client.send(name, b"a", b"b", b"c", atomic=True)

        self.assertEqual([result.sequence_number for result in results], [1, 2, 3])
        self.assertEqual(self.client.runtime(name).active_message_count, 3)

    def test_a_stream_answers_in_order_while_much_is_under_way(self):  # SND-4
        name, other = self.new_queue(), self.new_queue()
        stream = wire.Stream(self.client.messaging.SendStream)

        for number in range(500):
            path = other if number % 5 == 0 else name
            body = b"%d" % number
            stream.write(messaging_pb2.SendStreamRequest(
                request_id=number, send=messaging_pb2.SendRequest(entity_path=path, messages=[Message(body=body)])))
        stream.writes_done()
        answers = list(stream.call)

        self.assertEqual([answer.request_id for answer in answers], list(range(500)))
        numbers = [answer.results[0].sequence_number for answer in answers if answer.request_id % 5]
        self.assertEqual(numbers, list(range(1, 401)))
        bodies = [int(m.message.body) for m in self.client.peek(name, count=250).messages]
        self.assertEqual(bodies, [number for number in range(500) if number % 5][:250])

    def test_a_refused_request_does_not_end_its_stream(self):
        name = self.new_queue()
        stream = wire.Stream(self.client.messaging.SendStream)

        for request_id, path in ((1, name), (2, name + "-nobody"), (3, name)):
            stream.write(messaging_pb2.SendStreamRequest(
                request_id=request_id, send=messaging_pb2.SendRequest(entity_path=path, messages=[Message()])))
        stream.writes_done()
        good, refused, good_too = list(stream.call)

        self.assertEqual((good.results[0].sequence_number, good_too.results[0].sequence_number), (1, 2))
        self.assertEqual(refused.request_id, 2)
        self.assert_error(refused.results[0].error, grpc.StatusCode.NOT_FOUND, "MessagingEntityNotFound")

    def test_every_type_of_property_comes_back_as_it_was(self):  # USR-2, USR-3
        name = self.new_queue()
        sent = Message(application_properties=EVERY_TYPE)
        sent.application_properties["Case"].string_value = "upper"
        sent.application_properties["case"].string_value = "lower"

        self.client.send(name, sent)

        received = self.client.receive_one(name).message.application_properties
        self.assertEqual(dict(received), dict(sent.application_properties))

    def test_every_part_of_a_message_comes_back_as_it_was(self):
        # PRP-1 to PRP-10, PRP-26, PRP-27, PRP-29, SND-9
        name = self.new_queue()
        sent = Message(
            body=bytes(range(256)), message_id="id-1", correlation_id="request-9", content_type="application/json",
            subject="order", to="somewhere", reply_to="answers", reply_to_session_id="s-2", session_id="s-1",
            partition_key="s-1", via_partition_key="via", content_encoding="gzip",
            user_id=b"\x00user", creation_time={"seconds": 1_700_000_000}, group_sequence=7, priority=9, durable=True,
            first_acquirer=False, application_properties={"a": Value(int32_value=1)},
            annotations={"x-own": Value(string_value="kept")}, footer={"sum": Value(uint64_value=1)},
            # The message-id as a string that is written longer than it need be.
            amqp_form={"fields": [{"place": 0, "value": b"\xb1\0\0\0\x04id-1"}], "property_count": 13,
                       "properties": {"code": 0xd0}, "annotations": b"\x53\x07\x41"})

        self.client.send(name, sent)

        self.assertEqual(self.client.receive_one(name).message, sent)

    def test_what_is_said_to_be_amqp_and_is_not_is_refused(self):
        name = self.new_queue()
        for bad in (Message(application_properties={"a": Value(encoded_value=b"\xa3\x06short")}),
                    Message(amqp_form={"footer": b"none"})):
            self.assert_fails(grpc.StatusCode.INVALID_ARGUMENT, "ArgumentError", self.client.send, name, bad)

    def test_absent_is_not_the_same_as_empty(self):
        name = self.new_queue()

        self.client.send(name, Message(), Message(subject="", body=b""))

        bare, empty = self.client.receive(name, 2)
        self.assertFalse(bare.message.HasField("subject"))
        self.assertTrue(empty.message.HasField("subject"))

    def test_a_schedule_in_the_past_means_now(self):  # PRP-12
        name = self.new_queue()

        self.client.send(name, Message(body=b"late", scheduled_enqueue_time={"seconds": 1_000_000_000}))

        self.assertEqual(self.client.receive_one(name).message.body, b"late")

    def test_time_never_runs_backwards_along_the_numbers(self):  # SEQ-12
        name = self.new_queue()
        for _ in range(10):
            self.client.send(name, b"a", b"b")

        messages = self.client.peek(name).messages

        times = [message.enqueued_time.ToNanoseconds() for message in messages]
        self.assertEqual(times, sorted(times))
        self.assertEqual([message.sequence_number for message in messages], list(range(1, 21)))

    def test_a_dead_letter_queue_cannot_be_sent_to(self):  # SND-7, DLQ-2
        name = self.new_queue()

        self.assert_fails(grpc.StatusCode.FAILED_PRECONDITION, "InvalidOperation",
                          self.client.send, name + "/$DeadLetterQueue", b"x")

    def test_a_time_to_live_must_be_positive(self):  # TTL-18
        name = self.new_queue()

        for value in (0, -1):
            self.assert_fails(grpc.StatusCode.INVALID_ARGUMENT, "ArgumentError",
                              self.client.send, name, Message(time_to_live=wire.seconds(value)))

    def test_ids_have_128_characters_at_most(self):  # SIZ-6
        name = self.new_queue()

        for field in ("message_id", "session_id", "partition_key", "reply_to_session_id"):
            self.client.send(name, Message(**{field: "ü" * 128}))
            self.assert_fails(grpc.StatusCode.INVALID_ARGUMENT, "ArgumentError",
                              self.client.send, name, Message(**{field: "x" * 129}))


if __name__ == "__main__":
    unittest.main()
