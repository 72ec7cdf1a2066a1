"""How three nodes show what they do: health, /readyz and metrics of each of them, also of who follows or waits."""

import json
import subprocess
import unittest

import cluster_nodes
import daemon_test
import operations
import test_metrics
import wire
from cluster_nodes import LoneNode

from grpc.health.v1 import health_pb2, health_pb2_grpc  # noqa: E402  pylint: disable=wrong-import-order

SERVING, NOT_SERVING = health_pb2.HealthCheckResponse.SERVING, health_pb2.HealthCheckResponse.NOT_SERVING


class ClusterOperationsTest(cluster_nodes.ClusterTest):

    def start_watched(self, count=3):
        return self.start_cluster(count, listen=operations.PLACES)

    def health(self, node, service):
        stub = health_pb2_grpc.HealthStub(node.client.channel)
        return stub.Check(health_pb2.HealthCheckRequest(service=service), timeout=wire.TIMEOUT).status

    def ask(self, node, path, **headers):
        status, _, body = operations.get(operations.port_of(node.daemon), path, headers)
        return status, body

    def values(self, node):
        status, text = self.ask(node, "/metrics")
        self.assertEqual(status, 200)
        return test_metrics.parse(text)[0]

    def leads(self, node):
        """What all that watch it are told."""
        return (self.ask(node, "/readyz/leader")[0] == 200, self.health(node, "wharf.v1.Messaging") == SERVING,
                self.values(node).get("wharf_cluster_leads") == 1)

    def takes_part(self, node):
        return (self.ask(node, "/livez")[0], self.ask(node, "/readyz")[0], self.health(node, ""))

    def test_who_takes_part_is_ready_and_who_leads_is_the_leader(self):
        first = self.start_watched()
        for node in self.nodes:
            self.eventually(lambda node=node: self.leads(node) == (3 * (node is first,)))
            self.assertEqual(self.takes_part(node), (200, 200, SERVING))
        second = self.nodes[1]
        self.assertEqual(self.ask(first, "/readyz"), (200, "ok\ncluster: this node leads its cluster\n"
                                                      "insecure: listeners may do without TLS and without access\n"))
        wanted = "not-leading: this node does not lead its cluster; 'n1' does\n"
        self.eventually(lambda: wanted in self.ask(second, "/readyz/leader")[1])
        report = json.loads(self.ask(second, "/readyz", Accept="application/json")[1])
        self.assertEqual((report["ok"], report["cluster"]["leads"]), (True, False))

        first.daemon.kill()

        others = self.nodes[1:]
        leader = self.leader_of(others)
        for node in others:
            self.eventually(lambda node=node: self.leads(node) == (3 * (node is leader,)))
            self.assertEqual(self.takes_part(node), (200, 200, SERVING))
        first.restart()
        self.eventually(lambda: f"'{leader.name}' does" in self.ask(first, "/readyz")[1])
        self.assertEqual(self.leads(first), (False, False, False))

    def test_without_a_majority_nobody_leads_and_who_is_left_says_so(self):
        first = self.start_watched()
        for node in self.nodes[1:]:
            node.daemon.kill()
        self.eventually(lambda: self.leads(first) == (False, False, False))
        self.eventually(lambda: "the cluster has no leader just now" in self.ask(first, "/readyz/leader")[1])
        self.assertEqual(self.takes_part(first), (200, 200, SERVING))
        self.eventually(lambda: self.values(first).get("wharf_cluster_knows_leader") == 0)

    def test_a_node_that_waits_is_ready_to_be_invited(self):
        node = LoneNode(self, "n1", listen=operations.PLACES)
        self.assertEqual(self.takes_part(node), (200, 200, SERVING))
        self.assertIn("cluster: this node belongs to no cluster yet", self.ask(node, "/readyz")[1])
        self.assertEqual(self.leads(node), (False, False, False))
        values = self.values(node)
        self.assertEqual((values["wharf_cluster_waits"], values["wharf_ready"]), (1, 1))
        self.assertIn('wharf_disk_free_bytes', values)

    def test_each_node_tells_what_it_knows(self):
        first = self.start_watched()
        first.client.create("orders")
        first.client.send("orders", b"x")
        second, third = self.nodes[1:]

        def looked():
            values = self.values(first)
            return (values.get("wharf_cluster_failures_survived") == 1 and
                    values.get('wharf_cluster_member_lag_entries{member="n3"}') == 0 and
                    'wharf_cluster_member_clock_offset_seconds{member="n3"}' in values)
        self.eventually(looked)
        values = self.values(first)
        self.assertEqual(values['wharf_cluster_members{role="voter"}'], 3)
        self.assertEqual(values['wharf_cluster_leaderships_total{event="begun"}'], 1)
        self.assertEqual(values['wharf_entity_messages{entity="orders",state="available"}'], 1)
        self.assertGreater(values["wharf_cluster_log_sync_seconds_count"], 0)
        self.assertGreater(values["wharf_cluster_log_bytes"], 0)
        self.assertLess(abs(values['wharf_cluster_member_clock_offset_seconds{member="n3"}']), 1)
        follower = self.values(second)
        self.assertEqual(follower["wharf_cluster_leads"], 0)
        self.assertEqual([series for series in follower if series.startswith(("wharf_entit", "wharf_messages"))], [])
        self.assertGreater(follower["wharf_disk_free_bytes"], 0)
        self.eventually(lambda: self.values(second).get('wharf_cluster_member_reachable{member="n1"}') == 1)

        third.daemon.kill()
        first.client.send("orders", b"y")

        self.eventually(lambda: self.values(first)['wharf_cluster_member_reachable{member="n3"}'] == 0)
        self.eventually(lambda: self.values(first)['wharf_cluster_member_lag_seconds{member="n3"}'] > 1)
        self.assertGreater(self.values(first)['wharf_cluster_member_lag_bytes{member="n3"}'], 0)
        self.assertEqual(self.values(first)["wharf_cluster_failures_survived"], 0)
        (member,) = [member for member in first.status().members if member.name == "n3"]
        self.assertGreater(member.lag.ToTimedelta().total_seconds(), 1)
        self.assertIn("Not reached: n3.", first.status().one_more_loss)

    def test_the_counters_of_the_broker_know_the_cluster(self):
        first = self.start_watched()
        self.eventually(lambda: first.client.statistics().cluster.leader == "n1")
        self.eventually(lambda: len(first.client.statistics().cluster.members) == 3)
        self.assertEqual(first.client.statistics().cluster.leadership_begun_count, 1)
        shown = subprocess.run([daemon_test.WHARF, "--address", first.daemon.address, "stats"], capture_output=True,
                               text=True, timeout=wire.TIMEOUT, check=True).stdout
        self.assertRegex(shown, r"cluster\.leader +n1\n")

        first.cluster.TransferLeadership(cluster_nodes.transfer_request(self.nodes[1]), timeout=wire.TIMEOUT)

        self.eventually(self.nodes[1].leads)
        self.eventually(lambda: first.status().leadership_ended_count == 1)
        self.eventually(lambda: self.nodes[1].status().leadership_begun_count == 1)

    def test_who_was_removed_says_how_it_comes_back(self):
        first = self.start_watched()
        third = self.nodes[2]
        first.remove(third)
        self.eventually(lambda: len(first.status().members) == 2)
        # It asks them for what it lacks, and is told; so are those who ask them how they are.
        self.eventually(lambda: "n3" in first.status().refused_peer)
        self.assertLess(first.status().refused_ago.ToTimedelta().total_seconds(), wire.TIMEOUT)

        def refused():
            with self.assertRaises(cluster_nodes.grpc.RpcError) as raised:
                first.add(third)
            return "stop 'n3', empty its data folder, start it and add it again" in raised.exception.details()
        self.eventually(refused)

        third.daemon.kill()
        third.wipe()
        third.restart()
        self.eventually(lambda: first.add(third) is not None)
        self.eventually(lambda: sum(member.voter for member in first.status().members) == 3)


if __name__ == "__main__":
    unittest.main()
