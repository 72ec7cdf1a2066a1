"""A cluster and its network: whatever is cut and healed, in whatever order, what was acknowledged is there."""

import random
import unittest

import grpc

import peer_network
import wire
from asked_sends import AskedSends
from wharf.v1 import cluster_pb2  # pylint: disable=wrong-import-order

SEED = 28


class ClusterNetworkTest(peer_network.NetworkTest):

    def test_links_that_are_cut_and_healed_one_by_one_lose_nothing(self):  # reliability 28
        chance = random.Random(SEED)
        leader = self.start_network()
        leader.client.create("orders")
        sends = AskedSends("orders")

        def ask_all():
            for _ in range(5):
                for node in self.nodes:
                    sends.ask(node)

        sends.ask(leader).result()
        ask_all()
        ways = self.network.ways()
        for change in (self.cut, self.heal):
            chance.shuffle(ways)
            for way in ways:
                change(way)
                ask_all()
            if change == self.cut:
                for node in self.nodes:
                    self.eventually(lambda node=node: node.status().leader == "")
                ask_all()

        leader = self.leader_of(self.nodes)
        ask_all()
        with self.subTest(seed=SEED):
            sends.assert_kept(self, leader.client)
            said = self.verified()
            self.assertFalse(said.trouble, said)

    def test_of_two_sides_that_change_the_members_one_is_right(self):  # reliability 32
        """Who led removes one of the others while it is cut off from both, and these remove it."""
        apart = self.start_network()
        others = [node for node in self.nodes if node is not apart]
        self.cut(*(way for way in self.network.ways() if apart.name in way))
        request = cluster_pb2.RemoveMemberRequest(name=others[0].name)
        removal = apart.cluster.RemoveMember.future(request, timeout=wire.TIMEOUT)

        leader = self.leader_of(others)
        self.eventually(lambda: leader.remove(apart) is not None)
        self.cannot_compare("it is no member any more", apart)

        self.assertIn(removal.exception().code(),
                      (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.FAILED_PRECONDITION))
        self.network.heal(*self.network.ways())
        self.eventually(lambda: f"{apart.name} from " in leader.status().refused_peer)
        self.wait_for_voters(others)
        leader.client.create("orders")
        leader.client.send("orders", b"of two")
        self.assertEqual(apart.status().leader, "")


if __name__ == "__main__":
    unittest.main()
