"""Three daemons whose states are compared: they are equal under load, and who differs is named and heals."""

import os
import re
import subprocess
import threading

import cluster_nodes
import daemon_test
import operations
import wire


class ClusterVerifyTest(cluster_nodes.ClusterTest):

    def start_nodes(self, flags=()):
        """At ports that stay: a node that takes a state opens its folder anew."""
        self.nodes = [cluster_nodes.Node(self, f"n{number}", flags=flags,
                                         listen=f"127.0.0.1:{cluster_nodes.free_port()},operations://127.0.0.1:0")
                      for number in (1, 2, 3)]
        first, *others = self.nodes
        first.found()
        self.eventually(first.leads)
        for node in others:
            self.eventually(lambda node=node: first.add(node) is not None)
        self.wait_for_voters(self.nodes)
        return first

    def start_with_messages(self):
        first = self.start_nodes()
        first.client.create("orders")
        first.client.send("orders", *[b"message %d" % number for number in range(200)])
        return first

    def flip(self, *nodes, table="messages"):
        """In what each of them has on its disk, one after the other."""
        for node in nodes:
            self.eventually(lambda: self.leader_of(self.nodes) is not None)
            applied = self.leader_of(self.nodes).status().committed_index
            self.eventually(lambda node=node, applied=applied: node.status().applied_index >= applied)
            self.assertEqual(node.daemon.terminate(), 0)
            flipped = subprocess.run([os.environ["FLIP_ROW"], node.data, table], capture_output=True, text=True,
                                     timeout=wire.TIMEOUT, check=False)
            self.assertEqual(flipped.returncode, 0, flipped.stderr)
            node.restart()
        self.eventually(lambda: all(
            sum(member.reachable for member in node.status().members) == 3 for node in self.nodes))

    def lead(self, node):
        def leads():
            leader = self.leader_of(self.nodes)
            if leader is node:
                return True
            leader.cluster.TransferLeadership(cluster_nodes.transfer_request(node), timeout=wire.TIMEOUT)
            return False
        self.eventually(leads)

    def assert_heals(self, node):
        self.eventually(lambda: "takes the place of the one that is lost" in "".join(node.daemon.log))
        self.eventually(lambda: node.status().trouble == "" and node.status().applied_index > 0)
        self.eventually(lambda: sum(member.reachable for member in node.status().members) == 3)
        ended = self.verified()
        self.assertEqual((ended.trouble, [member.trouble for member in ended.members]), ("", [""] * 3))

    def test_equal_states_are_equal_under_load(self):  # reliability 62, 68
        first = self.start_with_messages()
        is_over = threading.Event()

        def load():
            while not is_over.is_set():
                first.client.send("orders", *[b"more"] * 50)
                for _ in range(20):
                    first.client.receive_one("orders")
        thread = threading.Thread(target=load)
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(is_over.set)

        for _ in range(3):
            ended = self.verified()

            self.assertEqual((ended.trouble, ended.HasField("difference")), ("", False))
            self.assertEqual([(member.name, member.trouble) for member in ended.members],
                             [("n1", ""), ("n2", ""), ("n3", "")])
            self.assertGreater(ended.row_count, 200)
        self.assertGreater(ended.index, 0)

    def test_the_command_tells_it(self):  # reliability 68
        first = self.start_with_messages()
        third = self.nodes[2]
        addresses = ",".join(node.daemon.address for node in self.nodes)

        def verify():
            ended = subprocess.run([daemon_test.WHARF, "--address", addresses, "cluster", "verify"],
                                   capture_output=True, text=True, timeout=wire.TIMEOUT, check=False)
            return ended.returncode, ended.stdout

        code, said = verify()
        self.assertEqual(code, 0, said)
        self.assertRegex(said, r"^n1, n2, n3 hold the same: \d+ rows, .*, the last as of entry \d+\n$")
        self.flip(third)
        self.lead(first)
        code, said = verify()
        self.assertEqual(code, 1, said)
        self.assertRegex(said, r"^the state of n3 differs .* in row [0-9a-f]+ of table 'messages', as of entry \d+")
        self.eventually(lambda: "takes the place of the one that is lost" in "".join(third.daemon.log))
        third.daemon.kill()
        self.eventually(lambda: 2 == sum(member.reachable
                                         for member in self.leader_of(self.nodes[:2]).status().members))
        code, said = verify()
        self.assertEqual(code, 1, said)
        self.assertIn("n3 was not compared: it is not reached\nn1, n2 hold the same", said)

    def test_who_does_not_lead_names_who_does(self):
        self.start_with_messages()
        with self.assertRaises(wire.grpc.RpcError) as raised:
            self.verify(self.nodes[1])
        self.assertIn("does not lead", raised.exception.details())

    def test_a_row_that_was_changed_is_named_and_its_node_heals(self):  # reliability 21, 68
        first = self.start_with_messages()
        third = self.nodes[2]
        self.flip(third)
        self.lead(first)

        ended = self.verified()

        self.assertEqual((ended.difference.table, list(ended.difference.members), ended.difference.has_majority),
                         ("messages", ["n3"], True))
        self.assertIn("the state of n3 differs", ended.trouble)
        self.assertGreater(ended.difference.index, 0)
        self.assert_heals(third)

    def test_a_leader_whose_row_was_changed_hands_over_and_heals(self):  # reliability 68
        self.start_with_messages()
        third = self.nodes[2]
        self.flip(third)
        self.lead(third)

        ended = self.verified()

        self.assertEqual(list(ended.difference.members), ["n3"])
        self.eventually(lambda: self.leader_of(self.nodes[:2]) is not third)
        self.assert_heals(third)
        self.assertEqual(self.leader_of(self.nodes).client.receive_one("orders").message.body, b"message 0")

    def assert_equal_states(self):
        ended = self.verified()
        self.assertEqual((ended.trouble, ended.HasField("difference")), ("", False))
        self.assertEqual([member.trouble for member in ended.members], [""] * 3)

    def dropped_rows(self, node):
        """By its compactions, whether it leads or not."""
        _, _, page = operations.get(operations.port_of(node.daemon), "/metrics")
        return float(re.search(r"^wharf_store_dropped_rows_total (\S+)$", page, re.MULTILINE).group(1))

    def test_states_are_equal_when_much_has_expired(self):  # reliability 62, 68; TTL-10, TTL-14
        """Each node compacts by itself, and drops what it likes of that."""
        self.start_nodes(flags=("--compact-at-random", "20ms"))
        expected = []
        for leader in (self.nodes[0], self.nodes[1], self.nodes[2], self.nodes[0]):
            self.lead(leader)
            if not expected:
                leader.client.create("wisps", default_message_time_to_live=wire.seconds(3600))
                leader.client.create("orders")
            leader.client.send("wisps", b"stays")
            stays = leader.client.receive_one("wisps")
            leader.client.defer("wisps", stays.lock_token)
            expected.append(stays.sequence_number)
            wisp = wire.Message(body=b"x" * 500, time_to_live=wire.seconds(1))
            leader.client.send("wisps", *[wisp] * 2000)
            leader.client.send("orders", b"lives for ever")

            self.eventually(lambda leader=leader: leader.client.runtime("wisps").active_message_count == len(expected))

            self.assert_equal_states()
            self.assertEqual(wire.numbers(leader.client.peek("wisps").messages), expected)
            self.assertFalse(leader.client.receive("wisps"))
            for node in self.nodes:
                self.eventually(lambda node=node: self.dropped_rows(node) > 1500 * len(expected))
            self.assert_equal_states()
        self.assertEqual(self.leader_of(self.nodes).client.runtime("orders").active_message_count, len(expected))
