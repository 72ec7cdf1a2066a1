"""Members that change: who was wiped, who is gone, who is not who was meant, and what is left to decide."""

import shutil
import unittest

import grpc

import cluster_nodes
import wire
from wharf.v1 import cluster_pb2  # pylint: disable=wrong-import-order
from wire import messaging_pb2


class ClusterMembersTest(cluster_nodes.ClusterTest):

    def assert_nobody_leads(self, nodes):
        """And none of them acknowledges anything."""
        for node in nodes:
            self.eventually(lambda node=node: node.status().leader == "")
            with self.assertRaises(grpc.RpcError) as raised:
                node.client.messaging.Send(messaging_pb2.SendRequest(
                    entity_path="orders", messages=[wire.as_message(b"lost?")]), timeout=wire.TIMEOUT)
            self.assertEqual(raised.exception.code(), grpc.StatusCode.UNAVAILABLE)

    def test_a_node_on_an_empty_disk_votes_for_nobody_under_its_old_name(self):  # reliability 33
        leader = self.start_cluster()
        leader.client.create("orders")
        leader.client.send("orders", b"acknowledged")
        wiped, other = (node for node in self.nodes if node is not leader)
        wiped.daemon.kill()
        wiped.wipe()
        wiped.restart()
        self.eventually(wiped.waits)

        leader.daemon.kill()

        # It may have promised, and heard, what it knows nothing of any more.
        self.assert_nobody_leads([other])
        self.assertTrue(wiped.waits())
        leader.restart()
        again = self.leader_of([leader, other])
        self.eventually(lambda: again.remove(wiped) is not None)
        self.eventually(lambda: again.add(wiped) is not None)
        self.wait_for_voters(self.nodes)
        # Now that it has what the others have, it is one of two.
        again.daemon.kill()
        last = self.leader_of([node for node in self.nodes if node is not again])
        self.assertEqual(wire.bodies(last.client.receive("orders", 9)), [b"acknowledged"])

    def test_who_is_removed_is_missed_by_no_majority(self):  # reliability 32
        leader = self.start_cluster()
        leader.client.create("orders")
        gone, other = (node for node in self.nodes if node is not leader)
        gone.daemon.kill()
        self.eventually(lambda: any(not member.reachable
                                    for member in leader.status().members if member.name == gone.name))

        with self.assertRaises(grpc.RpcError) as raised:
            leader.remove(other)
        self.assertIn("could not go on: of the 2 voters left 1 can be reached", raised.exception.details())
        leader.remove(gone)
        self.cannot_compare("it is no member any more", gone)
        leader.client.send("orders", b"of two")
        self.wait_for_voters([leader, other])

        # The one that was removed comes back, and is no majority with the one that is left.
        leader.daemon.kill()
        gone.restart()
        self.assert_nobody_leads([gone, other])
        leader.restart()
        again = self.leader_of([leader, other])
        self.assertEqual(wire.bodies(again.client.receive("orders", 9)), [b"of two"])

    def copy_that_runs(self, node):
        """A second daemon, on a copy of the folder of this one."""
        node.daemon.kill()
        copy = f"{node.data}-copy"
        shutil.copytree(node.data, copy)
        node.restart()
        self.eventually(lambda: all(member.reachable for member in self.leader_of(self.nodes).status().members))
        flags = ("--node", node.name, "--peer-listen", f"127.0.0.1:{cluster_nodes.free_port()}", "--insecure")
        daemon = wire.Daemon(copy, flags=flags)
        self.addCleanup(daemon.kill)
        return daemon

    def test_a_copy_of_a_folder_is_refused_by_who_knows_the_first(self):  # reliability 66
        leader = self.start_cluster()
        leader.client.create("orders")
        first = next(node for node in self.nodes if node is not leader)

        copy = self.copy_that_runs(first)

        self.eventually(lambda: f"node {first.name} " in leader.status().refused_peer)
        self.assertRegex(leader.status().refused_peer, r"is there twice: .*; is the folder of one a copy of the other's\?")
        self.assertIsNone(copy.exit_code())
        leader.client.send("orders", b"of three")
        self.assertEqual({member.name for member in leader.status().members if member.reachable}, {"n1", "n2", "n3"})

    def test_who_answers_at_an_address_is_who_was_meant(self):  # reliability 66
        leader = cluster_nodes.LoneNode(self, "n1")
        leader.found()
        other = cluster_nodes.LoneNode(self, "n3")
        for address, sentence in ((other.peer_address, "it invites node n2, this is node n3"),
                                  (leader.peer_address, "member 'n1' has the address"),
                                  (other.daemon.address, "n2 at .* has not taken the invitation: "),
                                  (f"127.0.0.1:{cluster_nodes.free_port()}", "Connection refused")):
            with self.subTest(address=address), self.assertRaises(grpc.RpcError) as raised:
                leader.cluster.AddMember(cluster_pb2.AddMemberRequest(name="n2", peer_address=address),
                                         timeout=wire.TIMEOUT)
            self.assertRegex(raised.exception.details(), sentence)
        self.assertTrue(other.waits())
        self.assertEqual([member.name for member in leader.status().members], ["n1"])


if __name__ == "__main__":
    unittest.main()
