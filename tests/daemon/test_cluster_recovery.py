"""Of a node that is left, when the others are gone for good, a cluster of its own is made, with all that it has."""

import os
import subprocess
import unittest

import grpc

import cluster_nodes
import daemon_test
import wire

NUMBERS = [b"%d" % number for number in range(50)]


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, timeout=wire.TIMEOUT, check=False)


def wharf_recover(node, *more):
    return run(daemon_test.WHARF, "cluster", "recover", "--data", node.data, "--node", node.name, *more)


def wharfd_recover(node, *more):
    return run(os.environ["WHARFD"], "recover", "--data", node.data, *node.flags(), *more)


class ClusterRecoveryTest(cluster_nodes.ClusterTest):

    def start_with_messages(self):
        """Acknowledged: NUMBERS in `orders`, of which the first one is completed and `self.locked` is held."""
        leader = self.start_cluster()
        leader.client.create("orders", lock_duration=wire.seconds(5 * 60))
        leader.client.send("orders", *NUMBERS)
        completed, self.locked = leader.client.receive_all("orders", 2)
        self.assert_settled(leader.client.complete("orders", completed.lock_token))
        return leader

    def kill_all(self):
        """When all have all of it."""
        leader = self.leader_of(self.nodes)
        for node in self.nodes:
            self.eventually(lambda node=node: node.status().applied_index >= leader.status().committed_index)
        for node in self.nodes:
            node.daemon.kill()

    def recovered(self, recover, node):
        """Who is asked whether the loss is accepted does nothing before that."""
        told = recover(node)
        self.assertEqual(told.returncode, 1, told)
        self.assertRegex(told.stdout, r"of members n1, n2, n3\nits log ends at entry \d+ of term \d+")
        self.assertIn("would be lost", told.stdout)
        done = recover(node, "--accept-loss")
        self.assertEqual((done.returncode, done.stderr), (0, ""), done)
        node.restart()
        self.assertIs(self.leader_of([node]), node)
        return done.stdout

    def assert_has_all(self, client):
        """What was acknowledged, once each, in order, and nothing else."""
        self.assert_settled(client.complete("orders", self.locked.lock_token))
        self.assertEqual(wire.bodies(client.receive_all("orders", len(NUMBERS) - 2)), NUMBERS[2:])
        self.assertEqual(list(client.receive("orders")), [])

    def test_one_that_is_left_becomes_a_cluster_of_its_own(self):
        self.start_with_messages()
        self.kill_all()
        self.cannot_compare("of the last one another cluster is made, which has no other member")
        third = self.nodes[2]

        self.recovered(wharfd_recover, third)

        self.assert_has_all(third.client)
        self.assertEqual([member.name for member in third.status().members], ["n3"])
        running = wharfd_recover(third, "--accept-loss")
        self.assertEqual(running.returncode, 1)
        self.assertIn("in use by another wharfd", running.stderr)

    def test_the_command_line_makes_one_that_refuses_who_was_there_before_and_takes_who_is_new(self):
        before = self.start_with_messages().status().cluster_id
        self.kill_all()
        first, second, third = self.nodes
        self.cannot_compare("it is of the cluster before", first, second)

        told = self.recovered(wharf_recover, third)

        cluster = third.status().cluster_id
        self.assertNotEqual(cluster, before)
        self.assertIn(cluster, told)
        self.assertEqual([(member.name, member.voter) for member in third.status().members], [("n3", True)])
        self.assert_refuses_member(third, first, before)
        # At a port that stays: it is sent a snapshot, and opens its folder anew.
        fourth = cluster_nodes.Node(self, "n4", listen=f"127.0.0.1:{cluster_nodes.free_port()}")
        self.eventually(lambda: third.add(fourth) is not None)
        self.wait_for_voters([third, fourth])
        self.assert_equal(third, fourth)
        self.assert_has_all(third.client)

    def assert_refuses_member(self, node, old, cluster):
        """It comes back, and wants the others of its cluster; and it is not taken when somebody asks for it."""
        old.restart()
        refusal = f"it belongs to cluster {cluster}, this node to cluster {node.status().cluster_id}"
        self.eventually(lambda: refusal in node.status().refused_peer)
        self.assertIn(f"{old.name} from ", node.status().refused_peer)

        def is_not_taken():
            with self.assertRaises(grpc.RpcError) as raised:
                node.add(old)
            return f"of cluster {cluster} already" in raised.exception.details()
        self.eventually(is_not_taken)
        self.assertEqual([member.name for member in node.status().members], [node.name])
        self.assertEqual(old.status().leader, "")

    def assert_equal(self, *nodes):
        def look():  # Who was just added may be reached a moment later.
            verified = run(daemon_test.WHARF, "--address", ",".join(node.daemon.address for node in nodes), "cluster",
                           "verify")
            self.assertEqual(verified.returncode, 0, verified)
            self.assertRegex(verified.stdout, f"^{', '.join(node.name for node in nodes)} hold the same: ")
        daemon_test.wait_for(look, AssertionError)


if __name__ == "__main__":
    unittest.main()
