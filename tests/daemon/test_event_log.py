"""The story of a message: what the event log of its entity tells, over the daemon and over kill -9."""

import random
import subprocess

import grpc

import daemon_test
import damaged_disk
import rest_client
import test_access
import test_console
import wire
from proton import Message as AmqpMessage
from proton.utils import BlockingConnection
from wire import Message, messaging_pb2

KINDS = messaging_pb2.MessageEventKind
LOG = {"event_log_size_in_kilobytes": 1024}


def trace(client, wanted, path=""):
    """All events, in the order in which they happened."""
    events = []
    token = ""
    while True:
        request = messaging_pb2.TraceMessageRequest(entity_path=path, page_token=token)
        if isinstance(wanted, int):
            request.sequence_number = wanted
        else:
            request.message_id = wanted
        page = client.messaging.TraceMessage(request, timeout=wire.TIMEOUT)
        events += page.events
        token = page.next_page_token
        if not token:
            return sorted(events, key=lambda event: event.order)


def kinds(events):
    return [KINDS.Name(event.kind).removeprefix("MESSAGE_EVENT_KIND_").lower() for event in events]


class EventLogTest(daemon_test.DaemonTest):

    def test_a_story_over_kill_9_and_after_the_message_is_gone(self):
        daemon = self.start()
        self.client.create("orders", **LOG)
        self.client.create("other", **LOG)
        self.client.send("orders", Message(body=b"secret", message_id="a"))
        self.client.send("other", Message(body=b"x", message_id="b"))
        lost = self.client.receive_one("orders")
        daemon.kill()

        daemon = self.start()
        self.client.dead_letter("orders", lost.lock_token, reason="no stock", description="ask the shop")
        dead = self.client.receive_one("orders/$DeadLetterQueue")
        self.client.complete("orders/$DeadLetterQueue", dead.lock_token)
        daemon.kill()

        self.start()
        story = trace(self.client, "a")
        self.assertEqual(kinds(story), ["sent", "delivered", "dead_lettered", "delivered", "completed"])
        self.assertEqual([event.entity_path for event in story],
                         ["orders"] * 2 + ["orders/$DeadLetterQueue"] * 3)
        self.assertEqual(story[2].reason, "no stock: ask the shop")
        self.assertEqual(story[1].until, lost.locked_until)
        self.assertTrue(all(event.door == messaging_pb2.DOOR_GRPC for event in story), story)
        self.assertTrue(all(event.client.startswith("ipv4:127.0.0.1:") for event in story), story)
        self.assertEqual(kinds(trace(self.client, 1, "orders")), kinds(story))
        self.assertEqual(kinds(trace(self.client, "b")), ["sent"])

    def test_it_is_off_until_somebody_switches_it_on(self):
        self.start()
        self.client.create("orders")
        self.client.send("orders", Message(body=b"x", message_id="before"))
        self.assertFalse(self.client.get("orders").HasField("event_log_size_in_kilobytes"))

        self.client.update("orders", mask=["event_log_size_in_kilobytes"], **LOG)
        self.client.send("orders", Message(body=b"x", message_id="on"))
        self.assertEqual(self.client.get("orders").event_log_retention.seconds, 7 * 86400)
        self.assertEqual(kinds(trace(self.client, "before")), [])
        self.assertEqual(kinds(trace(self.client, "on")), ["sent"])

        self.client.update("orders", mask=["event_log_size_in_kilobytes"])
        self.assertEqual(kinds(trace(self.client, "on")), [])
        self.assertFalse(self.client.get("orders").HasField("event_log_retention"))

    def test_sizes_and_times_have_bounds(self):
        self.start()
        for wrong in ({"event_log_size_in_kilobytes": 63}, {"event_log_size_in_kilobytes": 1048577},
                      {"event_log_size_in_kilobytes": -1}, {**LOG, "event_log_retention": {"seconds": 59}},
                      {**LOG, "event_log_retention": {"seconds": 366 * 86400}}):
            with self.assertRaises(grpc.RpcError) as refused:
                self.client.create("orders", **wrong)
            self.assertEqual(refused.exception.code(), grpc.StatusCode.OUT_OF_RANGE, wrong)
            self.assertIn("event_log_", refused.exception.details())

    def test_a_topic_tells_of_its_copies(self):
        self.start()
        self.client.topics.create("sales", **LOG)
        path = self.client.topics.subscribe("sales", "all", **LOG)
        self.client.send("sales", Message(body=b"x", message_id="a"))
        self.client.complete(path, self.client.receive_one(path).lock_token)

        story = trace(self.client, "a", "sales")

        self.assertEqual(kinds(story), ["published", "copied", "delivered", "completed"])
        self.assertEqual(story[0].copy_count, 1)

    def test_a_large_log_is_told_in_pages(self):
        self.start()
        self.client.create("orders", event_log_size_in_kilobytes=65536)
        for batch in range(9):
            self.client.send("orders", *[Message(body=b"x", message_id="y" * 120)] * 4499,
                             Message(body=b"x", message_id=f"last-{batch}"))

        for batch in (0, 8):
            self.assertEqual(kinds(trace(self.client, f"last-{batch}", "orders")), ["sent"])


class DoorsTest(rest_client.RestTest):

    def test_each_door_is_named(self):
        daemon = self.serve(places=f"{rest_client.PLACES},console://127.0.0.1:0")
        self.client.create("orders", **LOG)
        connection = BlockingConnection(f"amqp://127.0.0.1:{self.port_of(daemon, 'amqp')}", timeout=wire.TIMEOUT,
                                        allowed_mechs="ANONYMOUS")
        self.addCleanup(connection.close)
        connection.create_sender("orders").send(AmqpMessage(body="x", id="a"))
        self.assertEqual(self.lock("orders").status, 201)
        port = self.port_of(daemon, "console")
        self.client.send("orders", Message(body=b"x", message_id="b"))
        got = test_console.ask(port, "Messaging/Receive", {"entityPath": "orders", "maxMessages": 1})
        self.assertEqual(got.status, 200)

        doors = [(KINDS.Name(event.kind).rpartition("_")[2], messaging_pb2.Door.Name(event.door))
                 for wanted in ("a", "b") for event in trace(self.client, wanted)]

        self.assertEqual(doors, [("SENT", "DOOR_AMQP"), ("DELIVERED", "DOOR_HTTP"),
                                 ("SENT", "DOOR_GRPC"), ("DELIVERED", "DOOR_CONSOLE")])


class DamagedEventLogTest(daemon_test.DaemonTest):

    def send_others(self, first):
        """Rows enough for some blocks, with ids of noise, which stand in their file as they are; the ids."""
        ids = [random.Random(first + number).randbytes(60).hex() for number in range(400)]
        for at in range(0, len(ids), 20):
            self.client.send("orders", *[Message(body=b"x", message_id=each) for each in ids[at:at + 20]])
        return ids

    def test_a_story_goes_on_behind_damage_and_says_that_something_is_missing(self):
        daemon = self.start()
        self.client.create("orders", event_log_size_in_kilobytes=65536)
        self.client.send("orders", Message(body=b"x", message_id="a"))
        between = self.send_others(0)
        self.client.complete("orders", self.client.receive_one("orders").lock_token)
        after = self.send_others(1000)
        self.assertEqual(daemon.terminate(), 0)

        damaged_disk.flip(self.data, between[200].encode(), table="events")
        daemon = self.start()

        self.assertEqual(kinds(trace(self.client, "a")), ["sent", "delivered", "completed"])
        self.assertEqual(kinds(trace(self.client, after[399])), ["sent"])
        self.assertEqual(kinds(trace(self.client, between[200])), [])
        told = subprocess.run([daemon_test.WHARF, "--address", daemon.address, "trace", "a"], text=True,
                              capture_output=True, timeout=wire.TIMEOUT, check=False)
        self.assertIn("places at which event logs cannot be read: 1", told.stdout)


class WhoAskedTest(test_access.AccessTest):

    def test_who_asked_hears_who_may_manage_the_namespace(self):
        self.start_on()
        self.root.create("orders", **LOG)
        sender, _ = self.rule_client("orders", "sender", "Send")
        listener, _ = self.rule_client("orders", "listener", "Listen")
        sender.send("orders", Message(body=b"x", message_id="a"))
        listener.receive("orders")

        told = trace(self.root, "a")
        self.assertEqual([event.identity for event in told], ["orders#sender", "orders#listener"])
        self.assertTrue(all(event.client for event in told))
        seen = trace(listener, "a", "orders")
        self.assertEqual(kinds(seen), ["sent", "delivered"])
        self.assertEqual([(event.client, event.identity, event.door) for event in seen], [("", "", 0)] * 2)
        self.assert_code(grpc.StatusCode.PERMISSION_DENIED, trace, sender, "a", "orders")
