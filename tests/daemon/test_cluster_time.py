"""A cluster and time: clocks that are wrong, and how long a leader may be silent."""

import os
import re
import struct
import time

import cluster_nodes
import wire

HOUR = 3600
# In whatever order they are started, n1 is elected first.
FIRST = ("--peer-election-timeout", "300ms")
LATER = ("--peer-election-timeout", "5s")


class ClusterTimeTest(cluster_nodes.ClusterTest):

    def clock_ahead(self, node, seconds):
        """The environment of a machine whose wall clock is so far ahead (tools/crash/machine)."""
        folder = f"{self.folder.name}/machine-{node.name}"
        os.makedirs(f"{folder}/synced", exist_ok=True)
        with open(f"{folder}/board", "wb") as board:
            board.write(struct.pack("<q???5x", seconds * 1_000_000, False, False, False))
        return dict(os.environ, LD_PRELOAD=os.environ["FAILING_MACHINE"], WHARF_MACHINE=folder)

    def test_a_clock_that_is_wrong_moves_nothing_after_all_were_down(self):  # reliability 38, 40
        self.nodes = [cluster_nodes.Node(self, f"n{number}", flags=FIRST if number == 1 else LATER)
                      for number in (1, 2, 3)]
        first, *others = self.nodes
        first.found()
        for node in others:
            self.eventually(lambda node=node: first.add(node) is not None)
        self.wait_for_voters(self.nodes)
        first.client.create("orders")
        message = wire.Message(body=b"fresh")
        message.time_to_live.seconds = HOUR // 2
        first.client.send("orders", message)
        for node in self.nodes:
            node.daemon.kill()
        for node in others:
            node.restart()

        first.restart(env=self.clock_ahead(first, HOUR))

        self.eventually(first.leads)
        self.eventually(lambda: first.client.receive_one("orders").message.body == b"fresh")
        self.eventually(lambda: re.search("the wall clock of n2 is 3(59|60)", "".join(first.daemon.log)))

    def test_a_leader_may_be_silent_for_as_long_as_is_said(self):
        first = self.start_cluster(flags=("--peer-election-timeout", "4s"))
        killed = time.monotonic()
        first.daemon.kill()

        self.eventually(lambda: self.leader_of(self.nodes[1:]) is not None)

        # From the last sign of life on, which came a heartbeat before at most; by default it takes one to two.
        self.assertGreater(time.monotonic() - killed, 2.2)
