"""What a cluster does with more than its logs: a broker's data become one's, and who lacks too much is sent a
snapshot."""

import grpc

import cluster_nodes
import daemon_test
import wire
from cluster_nodes import LoneNode, Node
from free_ports import free_port

# So little is kept of a log that a few hundred messages are more.
SHORT_LOG = ("--peer-log-bytes-max", "1MiB")


def bodies(messages):
    return [message.message.body for message in messages]


class SnapshotTest(cluster_nodes.ClusterTest):

    def start_node(self, name, kind=Node, **options):
        """At a port that stays: a node that opens its folder anew listens again."""
        return kind(self, name, listen=f"127.0.0.1:{free_port()}", **options)

    def join(self, leader, *others):
        for other in others:
            self.eventually(lambda other=other: leader.add(other) is not None)
            self.eventually(lambda other=other: any(
                member.voter for member in leader.status().members if member.name == other.name))
        self.wait_for_voters([leader, *others])

    def test_a_broker_with_data_founds_a_cluster_which_gets_them(self):
        alone = self.start(data=f"{self.folder.name}/n1")
        self.client.create("orders")
        self.client.send("orders", *[b"%d" % number for number in range(100)])
        locked = self.client.receive_one("orders")
        self.assertEqual(alone.terminate(), 0)
        nodes = [self.start_node(f"n{number}") for number in (1, 2, 3)]
        first, *others = nodes
        with self.assertRaises(grpc.RpcError) as raised:
            first.client.get("orders")
        self.assertIn("belongs to no cluster yet", raised.exception.details())

        first.found()
        self.eventually(first.leads)
        self.join(first, *others)
        first.daemon.kill()

        leader = self.leader_of(others)
        (settled,) = leader.client.complete("orders", locked.lock_token)
        self.assertFalse(settled.HasField("error"), settled)
        left = bodies(leader.client.receive_all("orders", 99))
        self.assertEqual(left, [b"%d" % number for number in range(1, 100)])

    def test_a_stop_while_the_folder_is_opened_anew_is_one_in_order(self):  # reliability 4
        alone = self.start(data=f"{self.folder.name}/n1")
        self.client.create("orders")
        self.assertEqual(alone.terminate(), 0)
        first = self.start_node("n1", LoneNode)

        first.found()
        daemon_test.wait_for_line(first.daemon, "wharfd opens .* anew")

        self.assertEqual(first.daemon.terminate(), 0)
        self.assertIn("wharfd stopped", first.daemon.log[-1])
        first.restart()
        self.eventually(lambda: first.client.get("orders") is not None)

    def test_a_broker_with_data_is_invited_by_nobody(self):
        alone = self.start(data=f"{self.folder.name}/n2")
        self.client.create("orders")
        self.assertEqual(alone.terminate(), 0)
        first, other = self.start_node("n1", LoneNode), self.start_node("n2", LoneNode)
        first.found()
        self.eventually(first.leads)

        def refused():
            with self.assertRaises(grpc.RpcError) as raised:
                first.add(other)
            return "has data of its own" in raised.exception.details()
        self.eventually(refused)

        self.assertTrue(other.waits())

    def test_who_was_away_for_longer_than_the_log_is_sent_a_snapshot(self):  # reliability 35
        nodes = [self.start_node(f"n{number}", flags=SHORT_LOG) for number in (1, 2, 3)]
        first, second, third = nodes
        first.found()
        self.eventually(first.leads)
        self.join(first, second, third)
        first.client.create("orders")
        third.daemon.kill()
        for part in range(8):
            first.client.send("orders", *[b"%d." % part + b"x" * 60_000 for _ in range(8)])
        self.eventually(lambda: first.status().log_bytes < 2_500_000)

        third.restart()

        self.eventually(lambda: third.status().applied_index >= first.status().committed_index)
        daemon_test.wait_for_line(third.daemon, "is on its way")
        second.daemon.kill()
        first.daemon.kill()
        second.restart()
        leader = self.leader_of([second, third])
        self.assertEqual(len(leader.client.receive_all("orders", 64)), 64)
