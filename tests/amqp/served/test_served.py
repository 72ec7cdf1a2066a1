"""wharfd serves AMQP 1.0: who comes in, what becomes of it when the daemon ends, and what is told of it."""

import os
import pathlib
import signal
import subprocess
import time
import unittest

import access_calls
import certificates
import cluster_nodes
import daemon_test
import operations
import served
import test_node
import wire
from free_ports import free_port
from proton import ConnectionException, Delivery, Message
from proton.reactor import AtMostOnce
from proton.utils import ConnectionClosed, LinkDetached
from wharf.v1 import cluster_pb2  # pylint: disable=wrong-import-order

SDK_STEPS = ("sent", "settled", "drained", "filled a batch", "kept what AMQP says",
             "read what is dead", "subscribed", "told what is missing", "closed")
SESSION_STEPS = ("received and deleted", "scheduled", "renewed and deferred", "settled behind its link", "found nothing",
                 "accepted", "kept its state", "given back", "ruled", "closed")
HAS_SDK = test_node.major_version() >= 20
FORCED = "amqp:connection:forced"


def token_of(delivery):
    """The lock token: a tag has it as .NET writes a Guid."""
    tag = delivery.tag if isinstance(delivery.tag, bytes) else delivery.tag.encode("utf-8", "surrogateescape")
    return tag[3::-1] + tag[5:3:-1] + tag[7:5:-1] + tag[8:]


def data(body, **properties):
    """A message whose body is one data section."""
    return Message(body=body, inferred=True, **properties)


class Serves(served.ServedTest):

    def test_what_comes_by_one_door_leaves_by_the_other(self):
        self.serve()
        self.client.create("q")
        connection = self.dial()

        self.assertEqual(connection.create_sender("q").send(data(b"from AMQP", id="m1")).remote_state,
                         Delivery.ACCEPTED)
        held = self.client.receive_one("q")
        self.assertEqual((held.message.body, held.message.message_id), (b"from AMQP", "m1"))
        self.client.complete("q", held.lock_token)
        self.client.send("q", b"from gRPC")
        receiver = connection.create_receiver("q", credit=1)
        self.assertEqual(receiver.receive(timeout=wire.TIMEOUT).body, b"from gRPC")
        receiver.accept()

    @unittest.skipUnless(HAS_SDK, "the SDK's packages need Node 20")
    def test_azures_sdk_with_nothing_changed_but_its_connection_string(self):
        self.serve()
        self.create_what_the_sdk_wants(self.client)
        self.tell("sdk_story.mjs", served.connection_string(self.port), steps=SDK_STEPS)

    @unittest.skipUnless(HAS_SDK, "the SDK's packages need Node 20")
    def test_azures_sdk_holds_sessions_and_asks_management(self):
        # LCK-8, DEF-6, DEF-10, MGM-2, MGM-4, MGM-5, MGM-7, MGM-8, MGM-9, MGM-11, MGM-12, MGM-13
        self.serve()
        self.create_what_the_sdk_wants(self.client)
        self.tell("sdk_session_story.mjs", served.connection_string(self.port), steps=SESSION_STEPS)

    def test_a_large_message_comes_chunk_by_chunk_in_both_modes(self):
        self.serve()
        self.client.create("q", max_message_size_in_kilobytes=102400)
        body = os.urandom((5 << 20) + 7)
        for _ in range(2):
            self.client.send_large("q", body)
        self.client.send("q", b"behind them")
        connection = self.dial()

        receiver = connection.create_receiver("q")
        self.assertEqual(receiver.receive(timeout=wire.TIMEOUT).body, body)
        receiver.accept()
        receiver.close()
        consumer = connection.create_receiver("q", options=AtMostOnce())
        self.assertEqual(consumer.receive(timeout=wire.TIMEOUT).body, body)
        self.assertEqual(consumer.receive(timeout=wire.TIMEOUT).body, b"behind them")
        self.assertEqual(daemon_test.stored(self.client, "q"), {})

    def test_what_is_received_and_deleted_comes_hundred_by_hundred(self):
        self.serve()
        self.client.create("q")
        for number in range(350):
            self.client.send("q", b"%d" % number)
        consumer = self.dial().create_receiver("q", credit=1000, options=AtMostOnce())
        self.assertEqual([int(consumer.receive(timeout=wire.TIMEOUT).body) for _ in range(350)], list(range(350)))
        self.assertEqual(daemon_test.stored(self.client, "q"), {})

    def test_several_places_and_a_unix_socket(self):
        path = f"{self.folder.name}/amqp.sock"
        daemon = self.serve("amqp://127.0.0.1:0", f"amqp://unix:{path}")
        (ready,) = [line for line in daemon.log if "wharfd ready on " in line]
        self.assertIn(f" amqp://unix:{path} ", ready)
        self.assertTrue(pathlib.Path(path).is_socket())
        self.assertEqual(daemon.terminate(), 0)
        self.assertFalse(pathlib.Path(path).exists())

    def test_one_connection_too_many_is_turned_away(self):
        self.serve(flags=("--max-connections=1",))
        self.client.create("q")
        first = self.dial()
        with self.assertRaises(ConnectionException):
            self.dial()
        first.create_sender("q").send(data(b"one"))
        self.assertEqual(self.metric("wharf_amqp_connections_refused_total"), 1)

    # --- what is told of it

    def test_connections_links_and_refusals_are_counted_and_found_in_the_log(self):
        daemon = self.serve()
        self.client.create("q")
        self.assertFalse(self.client.statistics().amqp.open_connection_count)
        self.assertEqual(operations.get(self.http_port, "/readyz")[2], "ok\n")
        connection = self.dial()
        connection.create_sender("q")
        connection.create_receiver("q", credit=1)
        with self.assertRaises(LinkDetached) as caught:
            connection.create_sender("nowhere")
        self.assertEqual(caught.exception.condition, "amqp:not-found")

        told = self.client.statistics().amqp
        self.assertEqual((told.open_connection_count, told.open_link_count, told.accepted_connection_count,
                          told.accepted_link_count, told.refused_link_count), (1, 2, 1, 2, 1))
        for name, value in (("connections_total", 1), ("open_connections", 1), ("links_total", 2), ("open_links", 2),
                            ("links_refused_total", 1), ("connections_refused_total", 0)):
            self.assertEqual(self.metric(f"wharf_amqp_{name}"), value, name)
        self.assertGreater(told.received_frame_count, 5)
        self.assertGreater(told.sent_frame_count, 5)
        self.assertGreaterEqual(self.metric("wharf_amqp_frames_received_total"), told.received_frame_count)
        self.assertGreaterEqual(self.metric("wharf_amqp_frames_sent_total"), told.sent_frame_count)
        tracking_id = str(caught.exception).split("TrackingId:")[1].split(",")[0]
        daemon_test.wait_for_line(daemon, tracking_id)
        connection.close()
        daemon_test.wait_for(lambda: self.assertEqual(self.metric("wharf_amqp_open_links"), 0), AssertionError)
        daemon_test.wait_for(lambda: self.assertEqual(self.metric("wharf_amqp_open_connections"), 0), AssertionError)

    def test_who_does_not_listen_for_it_tells_nothing_of_it(self):
        self.start()
        self.assertFalse(self.client.statistics().HasField("amqp"))

    def test_a_link_on_which_nothing_is_done_ends_where_that_is_wanted(self):  # LNK-6
        config = pathlib.Path(self.folder.name, "wharfd.toml")
        config.write_text("")
        daemon = self.serve(flags=(f"--config={config}",))
        self.client.create("q")
        connection = self.dial()
        connection.create_sender("q")
        connection.create_receiver("q")
        config.write_text('amqp-link-idle-time = "1s"\n')
        daemon.send_signal(signal.SIGHUP)
        daemon_test.wait_for_line(daemon, "amqp-link-idle-time is now")
        for _ in range(2):
            with self.assertRaises(LinkDetached) as caught:
                connection.wait(lambda: False, timeout=wire.TIMEOUT)
            self.assertEqual(caught.exception.condition, "amqp:link:detach-forced")
        daemon_test.wait_for_line(daemon, "nothing was done on the link")
        self.assertEqual(connection.create_sender("q").send(data(b"again")).remote_state, Delivery.ACCEPTED)

    # --- its end

    def test_a_stop_tells_why_and_is_over_soon(self):
        daemon = self.serve()
        self.client.create("q")
        idle, busy = self.dial(), self.dial()
        idle.create_sender("q")
        busy.create_receiver("q", credit=10)
        begun = time.monotonic()

        self.assertEqual(daemon.terminate(), 0)

        self.assertLess(time.monotonic() - begun, 5)
        for connection in (idle, busy):
            with self.assertRaisesRegex(ConnectionClosed, FORCED):
                connection.wait(lambda: False, timeout=wire.TIMEOUT)

    def test_who_hears_an_answer_before_a_stop_has_its_message(self):
        daemon = self.serve()
        self.client.create("q")
        connection = self.dial()
        sender = connection.create_sender("q")
        deliveries = [sender.link.send(data(b"%d" % number)) for number in range(500)]
        connection.wait(lambda: any(delivery.remote_state for delivery in deliveries), timeout=wire.TIMEOUT)

        daemon.send_signal(15)
        with self.assertRaisesRegex(ConnectionClosed, FORCED):
            connection.wait(lambda: False, timeout=wire.TIMEOUT)
        self.assertEqual(daemon.wait(), 0)

        accepted = {number for number, delivery in enumerate(deliveries) if delivery.remote_state == Delivery.ACCEPTED}
        self.serve()
        stored = {int(body) for body in daemon_test.stored(self.client, "q").values()}
        # What was read was answered: no client is left in doubt.
        self.assertEqual(stored, accepted)

    def test_a_lock_outlives_a_broker_that_was_killed(self):
        amqp = f"amqp://127.0.0.1:{free_port()}"
        daemon = self.serve(amqp=amqp)
        self.client.create("q")
        connection = self.dial()
        connection.create_sender("q").send(data(b"one"))
        receiver = connection.create_receiver("q", credit=1)
        receiver.receive(timeout=wire.TIMEOUT)
        token = token_of(receiver.fetcher.unsettled[0])

        daemon.kill()
        # Proton would wait a minute to close what it has not heard to be gone.
        with self.assertRaises(ConnectionException):
            connection.wait(lambda: False, timeout=wire.TIMEOUT)
        self.serve(amqp=amqp)

        self.assertEqual(list(self.client.receive("q")), [])
        self.assertTrue(self.client.complete("q", token))
        self.assertEqual(daemon_test.stored(self.client, "q"), {})

    @unittest.skipUnless(HAS_SDK, "the SDK's packages need Node 20")
    def test_azures_sdk_goes_on_after_a_kill_and_settles_what_it_held(self):
        amqp = f"amqp://127.0.0.1:{free_port()}"
        daemon = self.serve(amqp=amqp)
        self.create_what_the_sdk_wants(self.client)
        test_node.install()
        with subprocess.Popen(["node", "sdk_kill_story.mjs", served.connection_string(self.port)], cwd=test_node.NODE,
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as program:
            self.addCleanup(program.kill)
            self.assertEqual(program.stdout.readline(), "holds one\n")
            daemon.kill()
            self.serve(amqp=amqp)
            told, _ = program.communicate("it is there\n", timeout=wire.TIMEOUT)
        self.assertEqual(told.splitlines(), ["settled it", "sent and received", "streams on", "closed"])
        self.assertEqual(program.returncode, 0)
        self.assertEqual(daemon_test.stored(self.client, "q"), {})

    # --- who may come in

    def test_access_is_that_of_the_rules(self):
        self.serve(flags=("--access=on",))
        root = access_calls.connection_of(pathlib.Path(self.data, "root-connection-string").read_text())
        name, key = root["SharedAccessKeyName"], root["SharedAccessKey"]
        client = access_calls.AccessClient(self.client.address, access_calls.make_token("sb://localhost/", name, key))
        self.addCleanup(client.close)
        self.create_what_the_sdk_wants(client)
        sender = client.make_rule("q", "sender", "Send")

        with self.assertRaises(LinkDetached) as caught:
            self.dial(mechanism="PLAIN", user=name, key="wrong" + key).create_sender("q")
        self.assertEqual(caught.exception.condition, "amqp:unauthorized-access")
        connection = self.dial(mechanism="PLAIN", user="sender", key=sender.primary_key)
        connection.create_sender("q").send(data(b"one"))
        with self.assertRaises(LinkDetached) as caught:
            connection.create_receiver("q")
        self.assertEqual(caught.exception.condition, "amqp:unauthorized-access")
        self.assertEqual(client.statistics().amqp.refused_link_count, 2)
        client.purge("q")
        if HAS_SDK:
            self.tell("sdk_story.mjs", served.connection_string(self.port, name, key), steps=SDK_STEPS)
            self.tell("sdk_session_story.mjs", served.connection_string(self.port, name, key), steps=SESSION_STEPS)

    def test_over_tls(self):
        authority = certificates.Authority(self.folder.name)
        identity = authority.sign("broker")
        daemon = self.serve("amqp+tls://127.0.0.1:0", flags=("--tls-cert", str(identity.certificate),
                                                               "--tls-key", str(identity.key)))
        port = served.amqp_port(daemon, "amqp+tls")
        self.create_what_the_sdk_wants(self.client)
        connection = self.dial(port, authority=authority)
        connection.create_sender("q").send(data(b"one"))
        self.assertEqual(self.client.purge("q"), 1)
        with self.assertRaises(ConnectionException):
            self.dial(port, authority=certificates.Authority(self.folder.name, "foreign"))
        if HAS_SDK:
            self.tell("sdk_story.mjs", served.connection_string(port, more=""), steps=SDK_STEPS,
                      env={**os.environ, "NODE_EXTRA_CA_CERTS": str(authority.certificate)})

    # --- a node of a cluster

    def test_a_node_serves_while_it_leads(self):
        node = cluster_nodes.LoneNode(self, "n1", listen=f"{served.PLACES},amqp://127.0.0.1:0")
        self.port = served.amqp_port(node.daemon)
        with self.assertRaisesRegex(ConnectionException, FORCED):
            self.dial()
        node.cluster.Found(cluster_pb2.FoundClusterRequest(), timeout=wire.TIMEOUT)
        daemon_test.wait_for(lambda: node.client.create("q"), Exception)

        connection = self.dial()
        connection.create_sender("q").send(data(b"one"))
        begun = time.monotonic()
        self.assertEqual(node.daemon.terminate(), 0)
        self.assertLess(time.monotonic() - begun, 5)
        with self.assertRaisesRegex(ConnectionClosed, FORCED):
            connection.wait(lambda: False, timeout=wire.TIMEOUT)


if __name__ == "__main__":
    unittest.main()
