"""A node of a cluster whose state is damaged or gone: it takes that of another member, and is itself again."""

import glob
import os
import pathlib
import re
import shutil
import time

import cluster_nodes
import damaged_disk
import daemon_test
import operations
import wire
from cluster_nodes import Node
from free_ports import free_port


class ClusterDamageTest(cluster_nodes.ClusterTest):

    def start_with_messages(self, count=3, flags=(), padding=b"x" * 1000):
        """At ports that stay: a node that takes a state opens its folder anew. All have all of it on their disks."""
        self.nodes = [Node(self, f"n{number}", flags=flags,
                           listen=f"127.0.0.1:{free_port()},operations://127.0.0.1:{free_port()}")
                      for number in range(1, count + 1)]
        first, *others = self.nodes
        first.found()
        self.eventually(first.leads)
        for node in others:
            self.eventually(lambda node=node: first.add(node) is not None)
        self.eventually(lambda: sum(member.voter for member in first.status().members) == count)
        first.client.create("orders")
        self.names = [b"message %d." % number for number in range(20)]
        first.client.send("orders", *[name + padding for name in self.names])
        for node in self.nodes:
            self.eventually(lambda node=node: node.status().applied_index >= first.status().committed_index)
        for node in self.nodes:
            self.assertEqual(node.daemon.terminate(), 0)  # What is in memory goes to tables.
        return first

    @staticmethod
    def manifest(node):
        """That of a state in the data folder itself."""
        return f"{node.data}/" + pathlib.Path(node.data, "CURRENT").read_text(encoding="ascii").strip()

    def start_all(self):
        for node in self.nodes:
            if node.daemon.exit_code() is not None:
                node.restart()

    def lead(self, node):
        """Whoever leads hands over to it, as soon as it can."""
        def leads():
            leader = self.leader_of([each for each in self.nodes if each.daemon.exit_code() is None])
            if leader is node:
                return True
            leader.cluster.TransferLeadership(cluster_nodes.transfer_request(node), timeout=wire.TIMEOUT)
            return False
        self.eventually(leads)

    def assert_whole(self, node):
        """It has every message, when it leads."""
        self.lead(node)
        bodies = [message.message.body for message in node.client.receive_all("orders", len(self.names))]
        self.assertEqual([body[:len(name)] for body, name in zip(bodies, self.names)], self.names)

    def await_whole(self, node):
        """A node that opens its folder anew is not there for a moment."""
        def caught_up():
            running = [each for each in self.nodes if each.daemon.exit_code() is None]
            return node.status().applied_index >= self.leader_of(running).status().committed_index > 0
        self.eventually(caught_up)
        self.assertEqual(node.status().trouble, "")

    def test_a_state_that_cannot_be_opened_is_taken_from_another_node(self):  # reliability 21, 22
        self.start_with_messages()
        third = self.nodes[2]
        with open(self.manifest(third), "r+b") as file:
            file.write(b"\xff" * 64)

        self.start_all()

        self.await_whole(third)
        for said in (r"MANIFEST-\d+ is damaged .*: the state of another member takes its place",
                     "takes the place of the one that is lost"):
            daemon_test.wait_for_line(third.daemon, said)
        self.assert_whole(third)
        self.assertEqual(glob.glob(f"{third.data}/MANIFEST-*"), [], "the damaged state takes no space")

    def test_damage_that_a_leader_meets_ends_it_and_another_state_takes_its_place(self):  # reliability 20, 21
        self.start_with_messages()
        third = self.nodes[2]
        damaged_disk.flip(third.data, self.names[7])
        for node in self.nodes[:2]:
            node.restart()

        log = self.start_until_it_ends(third)

        # Not the last line: its other threads may say something until the process is gone.
        self.assertRegex("".join(log), "error wharfd ends: .*the next start takes the state of another member")
        self.assertTrue(os.path.exists(f"{third.data}/DAMAGED"))
        third.restart()
        self.await_whole(third)
        self.assert_whole(third)

    def start_until_it_ends(self, node):
        """Whoever meets the damage first: a compaction, which may be before it is ready, or a reader when it leads."""
        try:
            node.restart()
            self.lead(node)
            self.eventually(lambda: self.peek_ends(node))
        except AssertionError:
            self.assertIsNotNone(node.daemon.exit_code(), node.daemon.log)
        self.eventually(lambda: node.daemon.exit_code() is not None)
        return node.daemon.log

    @staticmethod
    def peek_ends(node):
        try:
            node.client.peek("orders", 0)
        except wire.grpc.RpcError:
            pass
        return node.daemon.exit_code() is not None

    def test_a_state_that_is_gone_is_awaited_until_somebody_has_one(self):  # reliability 22
        first = self.start_with_messages()
        third = self.nodes[2]
        for path in glob.glob(f"{third.data}/*"):
            if re.search(r"/(\d+\.(sst|blob|log)|CURRENT|IDENTITY|MANIFEST-.*|OPTIONS-.*|LOG.*)$", path):
                os.unlink(path)
        third.restart()

        said = third.status()
        self.assertIn("takes the state of another member", said.trouble)
        self.assertEqual([member.name for member in said.members], ["n1", "n2", "n3"])
        self.assertEqual(said.leader, "")
        _, _, ready = operations.get(operations.port_of(third.daemon), "/readyz")
        self.assertIn("cluster: this node has lost its state, and takes that of another one; ", ready)
        with self.assertRaises(wire.grpc.RpcError) as raised:
            third.client.get("orders")
        self.assertIn("has lost its state", raised.exception.details())
        self.assertNotIn(third.data, raised.exception.details())
        _, _, metrics = operations.get(operations.port_of(third.daemon), "/metrics")
        self.assertIn("\nwharf_cluster_lacks_state 1\n", metrics)
        third.daemon.kill()
        third.restart()
        first.restart()  # One other is no majority, and has what is needed.

        self.eventually(lambda: "takes the place of the one that is lost" in "".join(third.daemon.log))
        self.eventually(lambda: self.leader_of([first, third]) is not None)
        self.start_all()
        self.await_whole(third)
        self.assert_whole(third)

    def test_killed_again_and_again_while_it_heals_it_heals(self):  # reliability 3, 34
        self.start_with_messages(flags=("--peer-snapshot-rate", "1MiB"), padding=os.urandom(100_000))
        third = self.nodes[2]
        with open(self.manifest(third), "r+b") as file:
            file.write(b"\xff" * 64)
        for node in self.nodes[:2]:
            node.restart()
        for kill in range(10):
            third.restart()
            self.eventually(lambda: "is on its way" in "".join(third.daemon.log) or third.status().trouble == "")
            time.sleep(0.05 * kill)
            third.daemon.kill()

        third.restart()

        self.await_whole(third)
        self.assert_whole(third)

    def test_a_node_that_is_alone_keeps_what_it_has(self):
        first = self.start_with_messages(count=1)
        self.cannot_compare("it is alone")
        manifest = self.manifest(first)
        copy = shutil.copytree(first.data, f"{self.folder.name}/copy")
        with open(manifest, "r+b") as file:
            file.write(b"\xff" * 64)

        with self.assertRaises(AssertionError) as raised:
            first.restart()

        self.assertIn("knows no other one whose state could take its place", str(raised.exception))
        shutil.copy(f"{copy}/{os.path.basename(manifest)}", manifest)
        first.restart()
        self.assert_whole(first)
