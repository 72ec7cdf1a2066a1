"""wharfd serves AMQP over WebSockets, at its listeners for HTTP: what proves the AMQP door, with nothing else changed;
who comes in, and how it ends."""

import json
import os
import pathlib
import ssl
import subprocess
import sys
import unittest
from unittest import mock

import access_calls
import certificates
import cluster_nodes
import daemon_test
import operations
import served
import test_node
import test_rights
import wire
from free_ports import free_port
from proton import Delivery
from proton.utils import ConnectionClosed
from test_served import FORCED, HAS_SDK, SDK_STEPS, SESSION_STEPS, data
from web_socket import BINARY, CLOSE, GOING_AWAY, NORMAL, PING, PONG, TEXT, Bridge, Refused, WebSocket

PLACE = "servicebus://127.0.0.1:0"
TLS_PLACE = "servicebus+tls://127.0.0.1:0"
SASL = b"AMQP\x03\x01\x00\x00"


class OverWebSocket(served.ServedTest):
    """A daemon that listens for HTTP alone; who dials it goes over a WebSocket."""

    def bridge_to(self, port, context=None):
        self.bridge = Bridge(port, context)
        self.addCleanup(self.bridge.close)
        return self.bridge.port

    def serve(self, *places, amqp=PLACE, **options):
        daemon = self.start(listen=",".join((served.PLACES, amqp, *places)), **options)
        self.http_port = operations.port_of(daemon)
        self.web_port = served.amqp_port(daemon, "servicebus")
        self.port = self.bridge_to(self.web_port)
        return daemon

    def open(self, port=None, **options):
        socket = WebSocket(port or self.web_port, **options)
        self.addCleanup(socket.close)
        return socket

    def assert_sent_away(self, connection):
        """By AMQP, and when the client has answered that, by the WebSocket."""
        with self.assertRaisesRegex(ConnectionClosed, FORCED):
            connection.wait(lambda: False, timeout=wire.TIMEOUT)
        served.quietly(connection.close)
        self.assertEqual(self.bridge.code(), GOING_AWAY)


class ReadmeStream(served.ServedTest):

    def test_the_stream_of_the_readme_receives_and_settles(self):
        """In a page a WebSocket is there by itself."""
        daemon = self.start(listen=f"{served.PLACES},console://127.0.0.1:0")
        self.client.create("orders")
        self.client.send("orders", b"one", b"two")
        readme = (pathlib.Path(__file__).resolve().parents[3] / "README.md").read_text(encoding="utf-8")
        (program,) = [block for block in readme.split("```js\n")[1:] if "wharf.v1.json" in block.split("```")[0]]
        program = program.split("```")[0].replace("127.0.0.1:8080", f"127.0.0.1:{served.amqp_port(daemon, 'console')}")
        test_node.install()
        story = pathlib.Path(test_node.NODE, "readme_stream.mjs")
        self.addCleanup(story.unlink)
        story.write_text(f"import WebSocket from 'ws';\nconst session = 'none';\n{program}", encoding="utf-8")
        with subprocess.Popen(["node", story], cwd=test_node.NODE, stdout=subprocess.PIPE, text=True) as told:
            self.assertEqual([told.stdout.readline() for _ in range(2)], ["one\n", "two\n"])
            daemon_test.wait_for(lambda: self.assertEqual(self.client.runtime("orders").total_message_count, 0),
                                 AssertionError)
            told.terminate()


class Rights(OverWebSocket, test_rights.Rights):
    """Each thing that a link can ask for, as everybody."""


class Serves(OverWebSocket):

    def test_what_comes_in_pieces_of_any_size_is_as_it_was(self):  # LNK-10
        self.serve()
        self.client.create("q", max_message_size_in_kilobytes=102400)
        connection = self.dial()
        sender = connection.create_sender("q")
        body = bytes(range(256)) * (1 << 10)

        for number in range(20):
            self.assertEqual(sender.send(data(b"%d" % number + body)).remote_state, Delivery.ACCEPTED)
        receiver = connection.create_receiver("q", credit=20)
        for number in range(20):
            self.assertEqual(receiver.receive(timeout=wire.TIMEOUT).body, b"%d" % number + body)
            receiver.accept()
        connection.close()
        self.assertEqual(self.bridge.code(), NORMAL)

    def test_much_at_once_goes_through_tls_as_well(self):
        authority = certificates.Authority(self.folder.name)
        identity = authority.sign("broker")
        daemon = self.serve(TLS_PLACE, flags=("--tls-cert", str(identity.certificate), "--tls-key", str(identity.key)))
        self.client.create("q")
        bodies = [b"%d" % number + bytes(1000) for number in range(500)]
        for body in bodies:
            self.client.send("q", body)
        port = self.bridge_to(served.amqp_port(daemon, "servicebus+tls"),
                              context=ssl.create_default_context(cafile=authority.certificate))
        receiver = self.dial(port).create_receiver("q", credit=500)
        self.assertEqual([receiver.receive(timeout=wire.TIMEOUT).body for _ in bodies], bodies)

    def test_rhea_sends_receives_and_settles(self):
        self.serve()
        self.client.create("q")
        self.tell("broker_story.mjs", f"ws://127.0.0.1:{self.web_port}/$servicebus/websocket",
                  steps=("sent", "completed", "released", "drained", "kept what AMQP says", "closed"))

    def test_pings_are_answered_and_text_is_not(self):
        self.serve()
        socket = self.open(Sec_WebSocket_Protocol="mqtt, amqp")
        self.assertIn("Sec-WebSocket-Protocol: amqp\r\n", socket.head)
        socket.send(b"there?", PING)
        self.assertEqual(socket.receive(), (PONG, b"there?"))
        socket.send(SASL)
        self.assertEqual(socket.receive()[0], BINARY)
        socket.send(b"AMQP", TEXT)
        while (heard := socket.receive())[0] == BINARY:
            pass
        self.assertEqual(heard, (CLOSE, (1003).to_bytes(2, "big")))

    # --- what is told of it

    def listed(self):
        ended = subprocess.run([daemon_test.WHARF, "--address", self.client.address, "connection", "list", "--json"],
                               text=True, capture_output=True, timeout=wire.TIMEOUT, check=True)
        return json.loads(ended.stdout)["connections"]

    def test_it_is_counted_listed_and_closed_as_any_of_amqp(self):
        self.serve()
        self.client.create("q")
        connection = self.dial()
        connection.create_sender("q").send(data(b"one"))
        told = self.client.statistics()
        self.assertEqual((told.amqp.open_connection_count, told.amqp.open_link_count), (1, 1))
        # That of who asks.
        self.assertEqual(self.metric("wharf_http_open_connections"), 1)
        (only,) = self.listed()
        self.assertRegex(only["client_address"], r"^127\.0\.0\.1:\d+$")

        subprocess.run([daemon_test.WHARF, "--address", self.client.address, "connection", "close", str(only["id"])],
                       timeout=wire.TIMEOUT, check=True, stdout=subprocess.DEVNULL)

        self.assert_sent_away(connection)

    def test_one_connection_too_many_is_told_to_come_again(self):
        self.serve(flags=("--max-connections=2", "--http-max-connections=1"))
        # They are no connections of HTTP any more.
        first, second = self.open(), self.open()
        with self.assertRaises(Refused) as refused:
            self.open()
        self.assertEqual(refused.exception.status, 503)
        self.assertIn("Retry-After: 1\r\n", refused.exception.head)
        self.assertEqual(self.metric("wharf_amqp_connections_refused_total"), 1)
        for socket in (first, second):
            socket.send(SASL)
            self.assertEqual(socket.receive()[0], BINARY)

    # --- who may come in

    def status(self, port=None, **fields):
        try:
            self.open(port, **fields)
        except Refused as refused:
            return refused.status
        return 101

    def test_a_page_of_another_origin_may_not_use_it(self):
        self.serve()
        self.assertEqual(self.status(Origin="http://localhost"), 101)
        self.assertEqual(self.status(Origin="http://evil.example"), 403)
        self.assertEqual(self.status(Host="evil.example"), 403)

    def test_where_a_right_must_be_proven_any_page_may_unless_its_certificate_does(self):
        authority = certificates.Authority(self.folder.name)
        identity, mine = authority.sign("broker"), authority.sign("me")
        daemon = self.serve(TLS_PLACE, flags=(
            "--access=on", "--tls-cert", str(identity.certificate), "--tls-key", str(identity.key), "--tls-client-ca",
            str(authority.certificate), "--tls-client-cert=optional"))
        self.assertEqual(self.status(Origin="http://evil.example", Host="evil.example"), 101)
        port = served.amqp_port(daemon, "servicebus+tls")
        context = ssl.create_default_context(cafile=authority.certificate)
        self.assertEqual(self.status(port, context=context, Origin="http://evil.example"), 101)
        context.load_cert_chain(mine.certificate, mine.key)
        self.assertEqual(self.status(port, context=context), 101)
        self.assertEqual(self.status(port, context=context, Origin="http://evil.example"), 403)
        socket = self.open(port, context=context)
        socket.send(SASL)
        while b"EXTERNAL" not in socket.receive()[1]:
            pass

    def test_what_is_no_good_upgrade_hears_why(self):
        self.serve()
        self.assertEqual(self.status(Sec_WebSocket_Protocol="mqtt"), 400)
        self.assertEqual(self.status(Sec_WebSocket_Protocol=None), 400)
        self.assertEqual(self.status(Sec_WebSocket_Key="none"), 400)
        with self.assertRaises(Refused) as refused:
            self.open(Sec_WebSocket_Version="8")
        self.assertEqual(refused.exception.status, 426)
        self.assertIn("Sec-WebSocket-Version: 13\r\n", refused.exception.head)
        # Without one it is a look at an entity.
        self.assertEqual(self.status(Upgrade=None), 404)
        self.assertEqual(self.status(), 101)

    # --- its end

    def test_a_stop_closes_both_layers_in_order(self):
        daemon = self.serve()
        self.client.create("q")
        connection = self.dial()
        sender = connection.create_sender("q")
        deliveries = [sender.link.send(data(b"%d" % number)) for number in range(200)]
        connection.wait(lambda: any(delivery.remote_state for delivery in deliveries), timeout=wire.TIMEOUT)

        daemon.send_signal(15)
        self.assert_sent_away(connection)
        self.assertEqual(daemon.wait(), 0)

        accepted = {number for number, delivery in enumerate(deliveries) if delivery.remote_state == Delivery.ACCEPTED}
        self.serve()
        self.assertEqual({int(body) for body in daemon_test.stored(self.client, "q").values()}, accepted)

    # --- nodes of a cluster

    def test_without_a_leader_it_is_told_to_come_again(self):
        node = cluster_nodes.LoneNode(self, "n1", listen=f"{served.PLACES},{PLACE}")
        with self.assertRaises(Refused) as refused:
            self.open(served.amqp_port(node.daemon, "servicebus"))
        self.assertEqual(refused.exception.status, 503)
        self.assertIn("Retry-After: 1\r\n", refused.exception.head)


class Relay(OverWebSocket, cluster_nodes.ClusterTest):

    def test_a_node_that_does_not_lead_brings_its_clients_to_the_one_that_does(self):
        self.start_cluster(listen=f"{served.PLACES},{PLACE}")
        leader = self.leader_of(self.nodes)
        second = next(node for node in self.nodes if node is not leader)
        leader.client.create("q")
        connection = self.dial(port=self.bridge_to(served.amqp_port(second.daemon, "servicebus")))
        connection.create_sender("q").send(data(b"by the second"))
        self.assertEqual(leader.client.receive_one("q").message.body, b"by the second")

        leader.daemon.send_signal(15)

        self.assert_sent_away(connection)
        self.assertEqual(leader.daemon.wait(), 0)


class Sdks(served.ServedTest):
    """Over TLS, as SDKs do; with signatures that are checked."""

    def serve(self, **options):
        self.authority = certificates.Authority(self.folder.name)
        identity = self.authority.sign("broker")
        self.place = f"servicebus+tls://127.0.0.1:{free_port()}"
        self.flags = ("--access=on", "--tls-cert", str(identity.certificate), "--tls-key", str(identity.key))
        daemon = self.serve_again()
        root = access_calls.connection_of(pathlib.Path(self.data, "root-connection-string").read_text())
        name, key = root["SharedAccessKeyName"], root["SharedAccessKey"]
        self.string = served.connection_string(served.amqp_port(daemon, "servicebus+tls"), name, key, more="")
        self.client = access_calls.AccessClient(self.client.address,
                                                access_calls.make_token("sb://localhost/", name, key))
        self.addCleanup(self.client.close)
        self.create_what_the_sdk_wants(self.client)
        believed = mock.patch.dict(os.environ, {"NODE_EXTRA_CA_CERTS": str(self.authority.certificate),
                                                "AMQP_OVER": "websocket"})
        believed.start()
        self.addCleanup(believed.stop)
        return daemon

    def serve_again(self):
        return self.start(listen=f"127.0.0.1:0,{self.place}", flags=self.flags)

    @unittest.skipUnless(HAS_SDK, "the SDK's packages need Node 20")
    def test_azures_sdk_for_javascript(self):
        self.serve()
        self.tell("sdk_story.mjs", self.string, steps=SDK_STEPS)
        self.tell("sdk_session_story.mjs", self.string, steps=SESSION_STEPS)

    @unittest.skipUnless(HAS_SDK, "the SDK's packages need Node 20")
    def test_azures_sdk_goes_on_after_a_kill_and_settles_what_it_held(self):
        daemon = self.serve()
        test_node.install()
        with subprocess.Popen(["node", "sdk_kill_story.mjs", self.string], cwd=test_node.NODE, stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True) as program:
            self.addCleanup(program.kill)
            self.assertEqual(program.stdout.readline(), "holds one\n")
            daemon.kill()
            self.serve_again()
            told, _ = program.communicate("it is there\n", timeout=wire.TIMEOUT)
        self.assertEqual(told.splitlines(), ["settled it", "sent and received", "streams on", "closed"])
        self.assertEqual(program.returncode, 0)

    def test_azures_sdk_for_python(self):
        self.serve()
        told = subprocess.run([sys.executable, "-B", pathlib.Path(__file__).with_name("sdk_story.py"), self.string,
                               self.place.replace("servicebus+tls", "sb"), self.authority.certificate],
                              timeout=wire.TIMEOUT, stdout=subprocess.PIPE, text=True)
        self.assertEqual(told.stdout.splitlines(), ["sent", "settled", "read what is dead"])
        self.assertEqual(told.returncode, 0)


if __name__ == "__main__":
    unittest.main()
