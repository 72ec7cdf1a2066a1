"""In a cluster the AMQP port of every node works: who does not lead brings its clients to the one that does."""

import socket
import time
import unittest

import certificates
import cluster_nodes
import daemon_test
import operations
import served
import wire
from proton import ConnectionException, Delivery
from proton.utils import ConnectionClosed
from test_served import FORCED, HAS_SDK, SDK_STEPS, data

PLACES = f"{served.PLACES},amqp://127.0.0.1:0"
TLS_PLACE = "amqp+tls://127.0.0.1:0"


class Relay(served.ServedTest, cluster_nodes.ClusterTest):

    def start_three(self, listen=PLACES, **options):
        """Who leads, and the two others."""
        self.start_cluster(listen=listen, **options)
        leader = self.leader_of(self.nodes)
        return leader, *(node for node in self.nodes if node is not leader)

    def dial_node(self, node, **options):
        return self.dial(port=served.amqp_port(node.daemon), **options)

    def dial_when_served(self, node):
        """A node hears a little later who leads."""
        return daemon_test.wait_for(lambda: self.dial_node(node), ConnectionException)

    def serving(self, node):
        """Connections that its door has."""
        self.http_port = operations.port_of(node.daemon)
        return self.metric("wharf_amqp_open_connections")

    def test_what_is_sent_to_one_node_is_received_at_another(self):
        leader, second, third = self.start_three()
        leader.client.create("q")

        self.assertEqual(self.dial_node(second).create_sender("q").send(data(b"by the second")).remote_state,
                         Delivery.ACCEPTED)
        receiver = self.dial_node(third).create_receiver("q", credit=1)

        self.assertEqual(receiver.receive(timeout=wire.TIMEOUT).body, b"by the second")
        receiver.accept()
        self.assertEqual([self.serving(node) for node in (leader, second, third)], [2, 0, 0])

    def test_much_goes_through_and_of_a_large_message_each_byte(self):
        leader, second, _ = self.start_three()
        leader.client.create("q", max_message_size_in_kilobytes=102400)
        body = bytes(range(256)) * (3 << 12)
        leader.client.send_large("q", body)
        connection = self.dial_node(second)
        receiver = connection.create_receiver("q")
        self.assertEqual(receiver.receive(timeout=wire.TIMEOUT).body, body)
        receiver.accept()
        sender = connection.create_sender("q")
        for number in range(200):
            sender.send(data(b"%d" % number * 1000))
        self.assertEqual([receiver.receive(timeout=wire.TIMEOUT).body[:1] for _ in range(3)], [b"0", b"1", b"2"])

    @unittest.skipUnless(HAS_SDK, "the SDK's packages need Node 20")
    def test_azures_sdk_at_a_node_that_does_not_lead(self):
        leader, second, _ = self.start_three()
        self.create_what_the_sdk_wants(leader.client)
        self.tell("sdk_story.mjs", served.connection_string(served.amqp_port(second.daemon)), steps=SDK_STEPS)

    def test_the_log_of_who_leads_tells_where_a_client_came_from(self):
        leader, second, _ = self.start_three()
        with socket.create_connection(("127.0.0.1", served.amqp_port(second.daemon))) as client:
            client.sendall(b"AMQP\x00\x01\x00\x00" + b"no frame of any protocol")
            came_from = "127.0.0.1:%d" % client.getsockname()[1]
            daemon_test.wait_for_line(leader.daemon, came_from)

    def test_clients_go_with_the_leader_and_come_again_at_the_same_node(self):
        leader, second, third = self.start_three()
        leader.client.create("q")
        connection = self.dial_node(second)
        connection.create_sender("q").send(data(b"kept"))
        held = leader.client.receive_one("q")

        leader.daemon.kill()
        with self.assertRaises(ConnectionException):
            connection.wait(lambda: False, timeout=wire.TIMEOUT)
        next_leader = self.leader_of([second, third])
        other = third if next_leader is second else second

        for node in (next_leader, other):
            self.dial_when_served(node).create_sender("q").send(data(b"later"))
        next_leader.client.complete("q", held.lock_token)
        self.assertEqual(sorted(daemon_test.stored(next_leader.client, "q").values()), [b"later", b"later"])

    def test_a_stop_of_the_leader_is_told_through_the_others(self):
        leader, second, _ = self.start_three()
        leader.client.create("q")
        connection = self.dial_node(second)
        connection.create_sender("q").send(data(b"kept"))

        self.assertEqual(leader.daemon.terminate(), 0)

        with self.assertRaisesRegex(ConnectionClosed, FORCED):
            connection.wait(lambda: False, timeout=wire.TIMEOUT)

    def test_tls_is_between_the_client_and_who_leads(self):
        authority = certificates.Authority(self.folder.name)
        identity = authority.sign("broker")
        leader, second, _ = self.start_three(flags=("--tls-cert", str(identity.certificate),
                                                    "--tls-key", str(identity.key)), listen=f"{PLACES},{TLS_PLACE}")
        leader.client.create("q")
        port = served.amqp_port(second.daemon, "amqp+tls")

        connection = self.dial(port, authority=authority)
        connection.create_sender("q").send(data(b"sealed"))

        self.assertEqual(list(daemon_test.stored(leader.client, "q").values()), [b"sealed"])
        with self.assertRaises(ConnectionException):
            self.dial(port, authority=certificates.Authority(self.folder.name, "foreign"))

    def test_without_a_leader_a_node_says_so(self):
        leader, second, third = self.start_three()
        for node in (leader, third):
            node.daemon.kill()
        def is_told():
            begun = time.monotonic()
            with self.assertRaises(ConnectionException) as caught:
                self.dial_node(second).create_sender("q")
            self.assertLess(time.monotonic() - begun, 10)
            return FORCED in str(caught.exception)
        self.eventually(is_told)

    def test_many_clients_come_at_once(self):
        leader, second, _ = self.start_three()
        leader.client.create("q")
        connections = [self.dial_node(second, heartbeat=None) for _ in range(100)]
        for number, connection in enumerate(connections):
            connection.create_sender("q").send(data(b"%d" % number))
        self.assertEqual(self.serving(leader), 100)
        self.assertEqual(len(daemon_test.stored(leader.client, "q")), 100)


if __name__ == "__main__":
    unittest.main()
