"""Bad input: every refusal says what it is, changes nothing, and the broker goes on."""

import unittest

import grpc

import wire
from wire import Message, messaging_pb2

ARGUMENT_ERROR = grpc.StatusCode.INVALID_ARGUMENT, "ArgumentError"


class ErrorTest(wire.WireTest):

    def tearDown(self):
        name = self.new_queue()
        self.assertEqual(self.client.send(name, b"still there")[0].sequence_number, 1)

    def test_an_unknown_entity(self):  # ERR-1
        name = self.new_name()

        for call in (self.client.receive, self.client.peek, lambda path: self.client.send(path, b"x"),
                     lambda path: self.client.complete(path, wire.UNKNOWN_TOKEN), self.client.get):
            info = self.assert_fails(grpc.StatusCode.NOT_FOUND, "MessagingEntityNotFound", call, name)
            self.assertEqual(info.metadata["entity_path"], name)
            self.assertEqual(info.metadata["is_transient"], "false")

    def test_a_message_over_the_limit(self):  # SIZ-1, SIZ-8, ERR-8
        name = self.new_queue(max_message_size_in_kilobytes=1)

        self.assert_fails(grpc.StatusCode.INVALID_ARGUMENT, "MessageSizeExceeded", self.client.send, name, b"x" * 2000)
        self.assertEqual(self.client.runtime(name).total_message_count, 0)

    def test_a_request_over_the_limit_of_the_transport(self):
        name = self.new_queue()

        with self.assertRaises(grpc.RpcError) as caught:
            self.client.send(name, b"x" * (64 << 20))

        self.assertIn(caught.exception.code(),
                      (grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.RESOURCE_EXHAUSTED))

    def test_who_waits_for_centuries_waits_for_ever(self):
        name = self.new_queue()
        request = messaging_pb2.SendRequest(entity_path=name, messages=[Message(body=b"x")])

        # Beyond 2262 the client itself counts over its end.
        for years in (1, 100, 200):
            sent = self.client.messaging.Send(request, timeout=years * 365 * 24 * 3600)
            self.assertEqual(len(sent.results), 1)

    def test_nothing_to_send(self):  # ERR-15
        self.assert_fails(*ARGUMENT_ERROR, self.client.send, self.new_queue())

    def test_a_negative_number(self):  # ERR-16
        self.assert_fails(grpc.StatusCode.OUT_OF_RANGE, "ArgumentOutOfRange", self.client.peek, self.new_queue(), -1)

    def test_a_token_that_nobody_holds(self):  # ERR-4
        self.assert_fails(grpc.StatusCode.ABORTED, "MessageLockLost",
                          self.client.complete, self.new_queue(), wire.UNKNOWN_TOKEN)

    def test_what_is_no_token(self):  # STL-11, ERR-15
        name = self.new_queue()
        self.client.send(name, b"x")
        token = self.client.receive_one(name).lock_token

        peeked, short, long, good = self.client.complete(name, b"", token[:15], token + b"x", token)

        self.assert_error(peeked.error, grpc.StatusCode.FAILED_PRECONDITION, "InvalidOperation")
        self.assert_error(short.error, *ARGUMENT_ERROR)
        self.assert_error(long.error, *ARGUMENT_ERROR)
        self.assert_settled([good])

    def test_a_settlement_without_a_verb(self):  # ERR-15
        name = self.new_queue()

        self.assert_fails(*ARGUMENT_ERROR, self.client.settle, name, [wire.UNKNOWN_TOKEN])

    def test_properties_outside_the_range_of_their_type(self):  # ERR-16
        name = self.new_queue()

        for value in ({"int8_value": 128}, {"int16_value": -32769}, {"uint8_value": 256}, {"uint16_value": 65536}):
            message = Message(application_properties={"n": wire.Value(**value)})
            self.assert_fails(grpc.StatusCode.OUT_OF_RANGE, "ArgumentOutOfRange", self.client.send, name, message)

    def test_a_uuid_has_16_bytes(self):  # ERR-15
        message = Message(application_properties={"id": wire.Value(uuid_value=b"short")})

        self.assert_fails(*ARGUMENT_ERROR, self.client.send, self.new_queue(), message)

    def test_bytes_that_are_no_request(self):  # ERR-15
        good = messaging_pb2.SendRequest(entity_path=self.new_queue(), messages=[Message(body=b"x" * 50)])
        whole = good.SerializeToString()

        for method in ("Messaging/Send", "Messaging/Receive", "Messaging/Settle", "Messaging/RenewLock",
                       "Messaging/Peek", "Management/CreateQueue", "Management/GetQueue", "Management/ListQueues",
                       "Management/GetBrokerStatistics"):
            call = self.client.channel.unary_unary(f"/wharf.v1.{method}")
            for truncated in (whole[:-1], b"\x0a\xff\xff\xff\xff\x0f", b"\xff"):
                with self.subTest(method=method, truncated=truncated[-8:]):
                    self.assert_fails(*ARGUMENT_ERROR, call, truncated, timeout=wire.TIMEOUT)

    def test_bytes_that_are_no_request_in_a_stream(self):  # ERR-15
        for method in ("SendStream", "ReceiveStream"):
            call = self.client.channel.stream_stream(f"/wharf.v1.Messaging/{method}")
            with self.subTest(method=method):
                self.assert_fails(*ARGUMENT_ERROR, list, call(iter([b"\x12\x05abc"]), timeout=wire.TIMEOUT))

    def test_a_method_that_does_not_exist(self):
        call = self.client.channel.unary_unary("/wharf.v1.Messaging/Teleport")

        with self.assertRaises(grpc.RpcError) as caught:
            call(b"", timeout=wire.TIMEOUT)

        self.assertEqual(caught.exception.code(), grpc.StatusCode.UNIMPLEMENTED)


if __name__ == "__main__":
    unittest.main()
