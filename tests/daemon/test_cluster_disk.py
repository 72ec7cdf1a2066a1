"""A node of a cluster whose disk gets full leaves leading to who has room, follows while it can, and ends in a word.
One whose disk does not answer serves nobody, though it cannot say so itself."""

import concurrent.futures
import shutil

import cluster_nodes
import daemon_test
import full_disk
import operations
import wire
from cluster_nodes import Node
from free_ports import free_port
from machine import Machine

# The marks are low, and segments of the log are small, so that a small disk has room for all of it.
MARKS = ("--min-free-disk", "16MiB", "--min-free-disk-to-lead", "24MiB")
FLAGS = (*MARKS, "--peer-log-bytes-max", "8MiB")


class ClusterDiskTest(cluster_nodes.ClusterTest):

    def make_small_disk(self, name):
        if not full_disk.may_mount(f"{self.folder.name}/probe"):
            self.skipTest("no file system may be mounted here")
        self.disk = full_disk.SmallDisk(f"{self.folder.name}/{name}", 200)
        self.addCleanup(self.disk.remove)

    def start_with_small_disk(self):
        """Three nodes; n1, which leads, has a disk of its own."""
        self.make_small_disk("n1")
        first = self.start_cluster(flags=FLAGS, listen=operations.PLACES)
        first.client.create("orders")
        return first

    def send_to_leader(self, nodes, body):
        def sent():
            return self.leader_of(nodes).client.send("orders", body)
        self.eventually(sent)

    def ready_text(self, node):
        return operations.get(operations.port_of(node.daemon), "/readyz", {})[2]

    def test_a_leader_hands_over_before_its_disk_is_full_and_ends_when_it_is(self):  # reliability 16, 17
        first = self.start_with_small_disk()
        others = self.nodes[1:]
        first.client.send("orders", b"before")

        self.disk.fill_to(20)

        leader = self.leader_of(others)
        self.send_to_leader([leader], b"handed over")
        daemon_test.wait_for_line(first.daemon, "leadership is handed over to")
        self.assertIn("below", first.status().trouble)
        self.eventually(lambda: "the disk of this node has" in self.ready_text(first))
        self.eventually(lambda: [member.name for member in leader.status().members if member.short_of_disk] == ["n1"])
        with self.assertRaises(wire.grpc.RpcError) as raised:
            leader.cluster.TransferLeadership(cluster_nodes.transfer_request(first), timeout=wire.TIMEOUT)
        self.assertIn("its disk is short of space", raised.exception.details())
        # It follows for as long as it can write.
        self.eventually(lambda: first.status().applied_index >= leader.status().committed_index)

        self.disk.fill()

        number = 0
        while first.daemon.exit_code() is None:
            self.send_to_leader(others, (b"%d " % number).ljust(60_000, b"x"))
            number += 1
            self.assertLess(number, 2000, "a node on a full disk goes on")
        self.assert_sentence(first.daemon.wait(), [line.rstrip() for line in first.daemon.log], "disk is full")
        self.send_to_leader(others, b"without n1")

        self.disk.make_room()
        first.restart()
        last = self.leader_of(others)
        self.eventually(lambda: first.status().applied_index >= last.status().committed_index)
        self.eventually(lambda: first.status().trouble == "")
        self.assertEqual(len(last.client.receive_all("orders", number + 3)), number + 3)

    def test_a_snapshot_that_does_not_fit_is_taken_when_there_is_room(self):  # reliability 16, 35
        self.make_small_disk("n3")
        self.nodes = [Node(self, f"n{number}", flags=(*MARKS, "--peer-log-bytes-max", "1MiB"),
                           listen=f"127.0.0.1:{free_port()}") for number in (1, 2, 3)]
        first, second, third = self.nodes
        first.found()
        self.eventually(first.leads)
        for other in (second, third):
            self.eventually(lambda other=other: first.add(other) is not None)
        self.eventually(lambda: sum(member.voter for member in first.status().members) == 3)
        first.client.create("orders")
        third.daemon.kill()
        for part in range(8):
            first.client.send("orders", *[b"%d." % part + b"x" * 60_000 for _ in range(8)])
        self.eventually(lambda: first.status().log_bytes < 2_500_000)
        self.disk.fill_to(30)

        third.restart()

        self.eventually(lambda: "cannot be taken" in third.status().snapshot)
        self.assertRegex(third.status().snapshot, r"takes \d+ MB of the disk, and \d+ MB are free")
        first.client.send("orders", b"meanwhile")
        self.disk.make_room()
        self.eventually(lambda: third.status().applied_index >= first.status().committed_index)

    def test_where_no_disk_has_room_the_one_that_leads_goes_on(self):
        free = shutil.disk_usage(self.folder.name).free // full_disk.MIB
        first = self.start_cluster(flags=("--min-free-disk-to-lead", f"{2 * free}MiB"))
        first.client.create("orders")

        self.assertIn("leads only where no other one has room", first.status().trouble)
        first.client.send("orders", b"x")
        self.assertTrue(first.leads())

    def test_a_leader_whose_disk_hangs_serves_nobody_while_it_hangs(self):  # reliability 24
        self.nodes = [Node(self, name, machine=Machine(f"{self.folder.name}/machine-{name}"), listen=operations.PLACES)
                      for name in ("n1", "n2", "n3")]
        first = self.join_all()
        first.client.create("orders")
        waiting = wire.ReceiveStream(first.client, "orders")
        waiting.expect("started")
        with concurrent.futures.ThreadPoolExecutor() as pool:
            first.machine.hold_disk(True)
            self.addCleanup(first.machine.hold_disk, False)
            held = pool.submit(first.client.send, "orders", b"held")

            second = self.leader_of(self.nodes[1:])
            second.client.send("orders", b"meanwhile")

            # Nothing of this waits for the disk.
            self.assertEqual(daemon_test.outcome_of(held.exception(wire.TIMEOUT)), "unknown")
            self.assertEqual(self.refusal(waiting.read).reason, "PartitionNotOwned")
            self.eventually(lambda: self.refusal(first.client.clock_now).reason == "PartitionNotOwned")
            self.eventually(lambda: "its disk does not answer" in operations.get(
                operations.port_of(first.daemon), "/readyz/leader")[2])

        first.machine.hold_disk(False)
        self.eventually(lambda: first.status().leader == second.name)
        self.eventually(lambda: self.refusal(first.client.clock_now).metadata.get("leader") == second.daemon.address)

    def refusal(self, call):
        """Of a call that is not served."""
        with self.assertRaises(wire.grpc.RpcError) as raised:
            call()
        return wire.error_info(wire.status_of(raised.exception))
