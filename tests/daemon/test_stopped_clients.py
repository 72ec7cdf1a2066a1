"""A client that holds locks and is heard of no more, as if its cable were pulled: its process stands still, and its
connection stands."""

import pathlib
import signal
import subprocess
import sys
import unittest

import grpc

import cluster_nodes
import daemon_test
import wire

PROGRAM = pathlib.Path(__file__).with_name("holding_client.py")
LOCK = wire.seconds(5)
LOCK_LOST = grpc.StatusCode.ABORTED, "MessageLockLost"


class StoppedClient:

    def __init__(self, test, client, count):
        """It has received so many messages of the queue `orders`, and stands still."""
        # pylint: disable=consider-using-with
        self._program = subprocess.Popen([sys.executable, "-B", PROGRAM, client.address, "orders", str(count)],
                                         stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        test.addCleanup(self._program.communicate)
        test.addCleanup(self._program.kill)
        told = [self._program.stdout.readline().split() for _ in range(count)]
        # By their bodies: the token, and until when it holds.
        self.held = {body.encode(): (bytes.fromhex(token), int(until)) for body, token, until in told}
        test.assertEqual(list(self.held), numbered(count))
        self._program.send_signal(signal.SIGSTOP)

    def settle(self):
        """It goes on; what it hears of each of its messages."""
        self._program.send_signal(signal.SIGCONT)
        told, _ = self._program.communicate("go on\n", timeout=wire.TIMEOUT)
        return told.splitlines()


def numbered(count):
    return [b"%d" % number for number in range(count)]


class StoppedClientTest(daemon_test.DaemonTest):

    def setUp(self):
        super().setUp()
        self.daemon = self.start(flags=["--clock=manual"])
        self.client.create("orders", lock_duration=wire.seconds(60))
        self.client.send("orders", *numbered(3))

    def test_its_locks_hold_until_their_time_and_no_longer(self):  # reliability 37; LCK-6
        stopped = StoppedClient(self, self.client, 3)

        self.client.advance(wire.seconds(59))
        self.assertEqual(list(self.client.receive("orders", 9)), [])
        self.client.advance(wire.seconds(1))

        again = self.client.receive("orders", 9)
        self.assertEqual([(message.message.body, message.delivery_count) for message in again],
                         [(body, 1) for body in numbered(3)])
        self.assertEqual(stopped.settle(), ["MessageLockLost"] * 3)
        self.assert_settled(self.client.complete("orders", *(message.lock_token for message in again)), 3)

    def test_it_settles_what_it_holds_if_it_comes_back_in_time(self):  # reliability 37
        stopped = StoppedClient(self, self.client, 3)
        self.client.send("orders", b"meanwhile")

        self.client.advance(wire.seconds(59))
        self.assertEqual(wire.bodies(self.client.receive("orders", 9)), [b"meanwhile"])

        self.assertEqual(stopped.settle(), ["completed"] * 3)
        self.client.advance(wire.seconds(60))
        self.assertEqual(wire.bodies(self.client.receive("orders", 9)), [b"meanwhile"])


class StoppedClientOfAClusterTest(cluster_nodes.ClusterTest):

    def test_the_next_leader_gives_them_to_nobody_before_their_time(self):  # reliability 37, 48
        leader = self.start_cluster()
        leader.client.create("orders", lock_duration=LOCK)
        leader.client.send("orders", *numbered(3))
        stopped = StoppedClient(self, leader.client, 3)

        leader.daemon.kill()
        following = self.leader_of([node for node in self.nodes if node is not leader])
        came = {}

        def all_came():
            came.update((message.message.body, message) for message in following.client.receive("orders", 9))
            return len(came) == 3
        self.eventually(all_came)

        for body, (token, until) in stopped.held.items():
            self.assertGreaterEqual(came[body].locked_until.ToNanoseconds() - LOCK.ToNanoseconds(), until)
            self.assertGreaterEqual(came[body].delivery_count, 1)
            self.assert_fails(*LOCK_LOST, following.client.complete, "orders", token)


if __name__ == "__main__":
    unittest.main()
