"""Requests are read when there is room for them: a client that does not deliver keeps nobody out."""

import concurrent.futures
import unittest

import grpc

import daemon_test
import slow_call
import wire

SEND = "/wharf.v1.Messaging/Send"
PLACES = 8  # At the gate, over all connections.


class ReadingTest(daemon_test.DaemonTest):

    def begin_slow_call(self, daemon):
        call = slow_call.SlowCall(daemon.address, SEND, length=1 << 20, come=1000)
        self.addCleanup(call.close)
        return call

    def test_a_call_that_does_not_come_loses_its_place(self):
        daemon = self.start()
        self.client.create("orders")
        slow = [self.begin_slow_call(daemon) for _ in range(PLACES)]

        # Which of them came first nobody can tell from outside.
        with concurrent.futures.ThreadPoolExecutor(PLACES) as pool:
            ends = [pool.submit(call.trailers, wire.TIMEOUT) for call in slow]
            while not any(end.done() for end in ends):
                self.client.send("orders", b"small")
            first = next(concurrent.futures.as_completed(ends)).result()
            for call in slow:
                call.hang_up()

        self.assertIn(b"came too slowly", first)

    def test_a_call_that_does_not_come_ends_with_the_broker(self):
        daemon = self.start()
        slow = self.begin_slow_call(daemon)

        self.assertEqual(daemon.terminate(), 0)

        self.assertIn(b"the broker is stopping", slow.trailers(wire.TIMEOUT))

    def test_a_call_without_a_request_is_told_so(self):
        self.start()
        call = self.client.channel.stream_unary("/wharf.v1.Management/ListQueues")

        with self.assertRaises(grpc.RpcError) as error:
            call(iter([]), timeout=wire.TIMEOUT)

        self.assertEqual(error.exception.code(), grpc.StatusCode.INVALID_ARGUMENT)
        self.assertIn("has no request", error.exception.details())

    def test_a_request_that_is_longer_than_memory_is_cut_off(self):
        daemon = self.start()
        call = self.client.channel.unary_unary(SEND)

        with self.assertRaises(grpc.RpcError) as error:
            call(bytes(1 << 30), timeout=wire.TIMEOUT)

        self.assertEqual(error.exception.code(), grpc.StatusCode.RESOURCE_EXHAUSTED)
        self.assertLess(daemon.peak_memory(), 600 << 10)


if __name__ == "__main__":
    unittest.main()
