"""A cluster and power: what it acknowledged is on the disks of a majority, whichever lose what they had not synced."""

import unittest

import cluster_nodes
from machine import Machine


class ClusterPowerTest(cluster_nodes.ClusterTest):

    def start_on_machines(self):
        self.nodes = [cluster_nodes.Node(self, name, machine=Machine(f"{self.folder.name}/machine-{name}"))
                      for name in ("n1", "n2", "n3")]
        leader = self.join_all()
        leader.client.create("orders")
        self.sent = []
        return leader

    def send(self, leader, count):
        """Acknowledged, all of them."""
        bodies = [b"%d" % number for number in range(len(self.sent), len(self.sent) + count)]
        for body in bodies:
            leader.client.send("orders", body)
        self.sent += bodies

    @staticmethod
    def cut_power(*nodes):
        """Of all of them at once, as well as a test can."""
        for node in nodes:
            node.daemon.send_signal(9)
        for node in nodes:
            node.daemon.wait()
            node.machine.cut_power(node.data)

    def assert_kept(self):
        """Whoever leads has all that was acknowledged, in order, and the others have the same."""
        leader = self.leader_of(self.nodes)
        received = leader.client.receive_all("orders", len(self.sent))
        self.assertEqual([message.message.body for message in received], self.sent)
        self.assertEqual(list(leader.client.receive("orders")), [])
        said = self.verified()
        self.assertFalse(said.trouble, said)

    def test_power_that_goes_everywhere_takes_nothing(self):  # reliability 14
        leader = self.start_on_machines()
        for _ in range(2):
            self.send(leader, 50)
            self.cut_power(*self.nodes)
            for node in self.nodes:
                node.restart()
            leader = self.leader_of(self.nodes)
        self.assert_kept()

    def test_power_that_goes_where_the_others_do_not_run_takes_nothing(self):  # reliability 15
        leader = self.start_on_machines()
        beside, behind = (node for node in self.nodes if node is not leader)
        # What follows only two of them have; and one of these stands still when the power of the other goes.
        behind.daemon.kill()
        self.send(leader, 50)
        beside.pause()
        self.cut_power(leader)

        # Who lacks it all is there first, and the other one has what its disk was told to keep.
        behind.restart()
        leader.restart()

        self.assertIs(self.leader_of([leader, behind]), leader)
        self.send(leader, 10)
        beside.resume()
        self.eventually(lambda: beside.status().applied_index >= leader.status().committed_index)
        self.assert_kept()


if __name__ == "__main__":
    unittest.main()
