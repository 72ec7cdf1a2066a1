"""Asked to end, the daemon ends soon and well, whatever is under way, and keeps what it acknowledged."""

import threading
import time
import unittest

import grpc

import daemon_test
import wire

STOP_LIMIT = 5  # seconds


class StopTest(daemon_test.DaemonTest):

    def waiting_call(self):
        """A single call that waits for a message; answers a function that tells how it ended."""
        self.client.create("empty")
        ends = []

        def receive():
            try:
                ends.append(list(self.client.receive("empty", wait=60)))
            except grpc.RpcError as error:
                ends.append(error.code())

        threads = [threading.Thread(target=receive) for _ in range(3)]
        for thread in threads:
            thread.start()

        def join():
            for thread in threads:
                thread.join(wire.TIMEOUT)
            return ends
        return join

    def test_under_load_it_ends_in_time_and_keeps_everything(self):  # reliability 4, LCK-11
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
        load = daemon_test.Load(self.client, "orders")
        join_waiting = self.waiting_call()
        load.wait_for(acknowledged=500)

        begin = time.monotonic()
        code = daemon.terminate()
        elapsed = time.monotonic() - begin

        self.assertEqual(code, 0)
        self.assertLess(elapsed, STOP_LIMIT)
        self.assertRegex(daemon.log[-1], "info wharfd stopped$")
        load.join()
        self.assertEqual(len(join_waiting()), 3)
        with self.assertRaises(grpc.RpcError):
            idle.read()

        self.start()
        there = daemon_test.stored(self.client, "orders")
        self.assertEqual({number: there.get(number) for number in load.acknowledged}, load.acknowledged)
        self.assertLessEqual(set(there.values()) - set(load.acknowledged.values()), load.unknown)
        self.assertEqual(len(there), len(set(there.values())))
        self.assert_settled(self.client.complete("locked", token))

    def test_an_interrupt_from_the_keyboard_is_the_same(self):
        daemon = self.start()

        self.assertEqual(daemon.interrupt(), 0)

    def test_it_ends_while_clients_connect(self):
        """Started and stopped at once, many times: no race between the two."""
        for _ in range(5):
            daemon = self.start()
            self.assertEqual(daemon.terminate(), 0)


if __name__ == "__main__":
    unittest.main()
