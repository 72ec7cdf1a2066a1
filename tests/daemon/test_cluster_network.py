"""A cluster and its network: whatever is cut and healed, in whatever order, what was acknowledged is there."""

import random
import unittest

import peer_network
from asked_sends import AskedSends

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


if __name__ == "__main__":
    unittest.main()
