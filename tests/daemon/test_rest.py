"""Service Bus over plain HTTP: send, lock, take and settle; half of it read through another door."""

import base64
import contextlib
import datetime
import http.client
import json
import pathlib
import re
import socket
import ssl
import subprocess
import threading
import time
import unittest

import certificates
import daemon_test
import operations
import rest_client
import wire
from access_calls import make_token
from atom_client import entry
from cluster_nodes import ClusterTest
from free_ports import free_port
from google.protobuf.timestamp_pb2 import Timestamp
from proton import Message as AmqpMessage
from proton.utils import BlockingConnection
from rest_client import RestAccessTest, RestTest
from topic_calls import sql
from wharf.v1 import management_pb2
from wharf.v1.message_pb2 import Message, PropertyValue

MIB = 1 << 20
BATCH = {"Content-Type": "application/vnd.microsoft.servicebus.json"}


class DataTest(RestTest):

    def setUp(self):
        super().setUp()
        self.daemon = self.serve()
        self.client.create("q")

    def test_what_is_sent_over_http_is_received_over_grpc(self):  # RST-1, RST-10, USR-1, USR-5, USR-7, PRP-24
        self.send("q", b"payload", {"Content-Type": "text/plain;charset=utf-8", "color": '"red"', "Count": "17",
                                    "ratio": "1.5", "is-good": "true", "none": "null", "bare": "12345,ABC",
                                    "when": '"Thu, 01 Jan 1970 00:00:10 GMT"'},
                  CorrelationId="c", ForcePersistence=True, Label="l", MessageId="m", PartitionKey="p", ReplyTo="r",
                  ReplyToSessionId="rs", SessionId="p", TimeToLive=3600, To="t", ViaPartitionKey="v", Unknown=[1])

        received = self.client.receive_one("q")

        message = received.message
        self.assertEqual(message.body, b"payload")
        self.assertEqual(message.content_type, "text/plain;charset=utf-8")
        self.assertEqual((message.message_id, message.correlation_id, message.subject, message.to), tuple("mclt"))
        self.assertEqual((message.reply_to, message.reply_to_session_id), ("r", "rs"))
        self.assertEqual((message.session_id, message.partition_key, message.via_partition_key), tuple("ppv"))
        self.assertEqual(message.time_to_live.seconds, 3600)
        self.assertEqual(dict(message.application_properties), {
            "color": PropertyValue(string_value="red"), "Count": PropertyValue(int64_value=17),
            "ratio": PropertyValue(double_value=1.5), "is-good": PropertyValue(bool_value=True),
            "none": message.application_properties["none"], "bare": PropertyValue(string_value="12345,ABC"),
            "when": PropertyValue(timestamp_value=Timestamp(seconds=10))})

    def test_what_is_sent_over_grpc_is_received_over_http(self):  # RST-3, RST-4, RST-11, USR-2, USR-3, USR-7
        now = datetime.datetime.now(datetime.timezone.utc)
        properties = {"Color": PropertyValue(string_value='r"ed'), "n": PropertyValue(int32_value=-7),
                      "whole": PropertyValue(double_value=2), "yes": PropertyValue(bool_value=True),
                      "money": PropertyValue(decimal_value="12.50"),
                      "when": PropertyValue(timestamp_value=Timestamp(seconds=10))}
        message = Message(body=b"payload", content_type="a/b", message_id="m/1", correlation_id="c", subject="l",
                          to="t", reply_to="r", session_id="s", application_properties=properties)
        message.time_to_live.seconds = 60
        self.client.send("q", message)

        locked = self.lock("q")

        self.assertEqual((locked.status, locked.body, locked.headers["Content-Type"]), (201, b"payload", "a/b"))
        self.assertEqual(locked.user(), {"Color": '"r\\"ed"', "n": "-7", "whole": "2.0", "yes": "true",
                                         "money": '"12.50"', "when": '"Thu, 01 Jan 1970 00:00:10 GMT"'})
        told = locked.broker
        expected = {"MessageId": "m/1", "CorrelationId": "c", "Label": "l", "To": "t", "ReplyTo": "r", "SessionId": "s",
                    "SequenceNumber": 1, "DeliveryCount": 1, "State": "Active", "TimeToLive": 60}
        self.assertEqual({name: told[name] for name in expected}, expected)
        for name in ("EnqueuedTimeUtc", "ExpiresAtUtc", "LockedUntilUtc"):
            time_told = datetime.datetime.strptime(told[name], "%a, %d %b %Y %H:%M:%S GMT")
            self.assertLess(abs(time_told.replace(tzinfo=datetime.timezone.utc) - now), datetime.timedelta(minutes=5))
        # An id that could be taken for a part of the path gives way to the number.
        self.assertEqual(locked.headers["Location"],
                         f"http://127.0.0.1:{self.port}/q/messages/1/{told['LockToken']}")

    def test_what_is_sent_over_http_is_received_over_amqp_and_the_reverse(self):  # USR-6, USR-7, PRP-1
        connection = BlockingConnection(f"amqp://127.0.0.1:{self.port_of(self.daemon, 'amqp')}", timeout=wire.TIMEOUT,
                                        allowed_mechs="ANONYMOUS")
        self.addCleanup(connection.close)
        self.send("q", b"payload", {"color": '"red"', "Count": "17"}, Label="l")
        receiver = connection.create_receiver("q", credit=1)
        got = receiver.receive(timeout=wire.TIMEOUT)
        self.assertEqual((bytes(got.body), got.subject), (b"payload", "l"))
        self.assertEqual(got.properties, {"color": "red", "Count": 17})
        self.assertEqual(len(got.id), 36)  # Drawn: it was sent without one.
        receiver.accept()
        receiver.close()

        sender = connection.create_sender("q")
        sender.send(AmqpMessage(body="a text", id="m", properties={"n": 1, "list": [1, 2], "bad name": "x"}))
        answer = self.take("q")
        self.assertEqual((answer.status, answer.body, answer.broker["MessageId"]), (200, b"a text", "m"))
        self.assertEqual(answer.user(), {"n": "1"})
        self.assertEqual(answer.headers["x-wharf-omitted"], '"list", "bad name"')

    def test_a_property_under_a_name_of_http_is_kept_or_named(self):  # USR-1, USR-7
        """What is only dangerous on its way out comes in, for all doors that can say it, and for rules; what does not
        is named in the answer, unless clients and proxies write it by themselves."""
        taken = {"Status": "new", "Age": "old", "From": "x", "Link": "l", "Range": "r", "Close": "c", "Warning": "w",
                 "Expires": "e", "Allow": "a", "Server": "s", "Vary": "v", "Set-Cookie": "k", "Content-Kind": "t"}
        dropped = {"Via": "1.1 proxy", "Sec-Fetch-Mode": "cors", "User-Agent": "x", "Cookie": "secret",
                   "X-Forwarded-For": "10.0.0.1", "x-ms-retrypolicy": "NoRetry"}
        named = {"Content-Encoding": "gzip", "x-ms-color": "7", "Accept": '"x"', "Proxy-Level": "1"}
        self.client.topics.create("t")
        self.client.topics.create_subscription("t", "new", sql("Status = 'new' AND [Content-Kind] = 't'"))
        for path in ("q", "t"):
            quoted = {name: f'"{value}"' for name, value in taken.items()}
            answer = self.send(path, b"x", {**quoted, **dropped, **named})
            self.assertEqual(answer.headers["x-wharf-omitted"], ", ".join(f'"{name}"' for name in named))

        received = self.client.receive_one("q").message
        self.assertEqual({name: value.string_value for name, value in received.application_properties.items()}, taken)
        locked = self.lock("t/subscriptions/new")
        self.assertEqual(locked.status, 201)
        self.assertEqual(locked.user(), {})
        omitted = set(json.loads(f"[{locked.headers['x-wharf-omitted']}]"))
        self.assertEqual(omitted, set(taken))
        for name in ("Set-Cookie", "Status", "Link"):
            self.assertNotIn(name, locked.headers)
        self.assertNotIn("x-wharf-omitted", self.send("q", b"x", {**dropped, "color": '"red"'}).headers)

    def test_the_names_that_are_not_kept_are_those_of_the_page(self):  # USR-1
        page = pathlib.Path(__file__).resolve().parents[2].joinpath("broker/doors/amqp/AZURE.md").read_text("utf-8")
        rows = [line.split("|") for line in page.split("Names of properties over HTTP")[1].splitlines() if "`" in line]
        names = [[name.replace("*", "thing") for name in re.findall(r"`([a-z0-9*-]+)`", row[1])] for row in rows]
        self.assertGreater(min(len(row) for row in names), 15)
        # What means something else to this request, however it is written.
        names[0] = sorted(set(names[0]) - {"authorization", "connection", "content-length", "expect", "host", "origin",
                                           "proxy-connection", "transfer-encoding", "upgrade"})
        own, omitted, kept = names

        for bare, value in ((True, "1"), (False, '"x"')):
            answer = self.send("q", b"x", {name: value for row in names for name in row})
            told = json.loads(f"[{answer.headers['x-wharf-omitted']}]")
            self.assertEqual(sorted(told), sorted(omitted + ([] if bare else own)))
            received = self.client.receive_one("q").message
            self.assertEqual(sorted(received.application_properties), sorted(kept))
        everything = {name: PropertyValue(int64_value=1) for row in names for name in row}
        self.client.send("q", Message(body=b"x", application_properties=everything))
        taken = self.take("q")
        self.assertEqual(taken.user(), {})
        self.assertEqual(sorted(json.loads(f"[{taken.headers['x-wharf-omitted']}]")), sorted(everything))

    def test_a_batch_is_all_or_nothing(self):  # RST-2, SND-5
        batch = [{"Body": "one", "BrokerProperties": {"Label": "l", "TimeToLiveTimeSpan": "00:10:00"},
                  "UserProperties": {"color": "red", "n": 1, "x": 1.5, "b": False, "none": None}},
                 {"Body": base64.b64encode(b"\x00\xff").decode(), "IsBodyBase64": True}]
        answer = self.ask("POST", "/q/messages", json.dumps(batch), {**BATCH, "ignored": '"x"'})
        self.assertEqual((answer.status, answer.body), (201, b""))
        one, two = self.client.receive_all("q", 2)
        self.assertEqual((one.message.body, one.message.subject, two.message.body), (b"one", "l", b"\x00\xff"))
        self.assertEqual(one.message.time_to_live.seconds, 600)
        self.assertEqual(one.message.application_properties["n"].int64_value, 1)
        self.assertEqual(set(one.message.application_properties), {"color", "n", "x", "b", "none"})
        self.assertEqual(len(two.message.message_id), 36)

        for bad, words in ((b"[]", "a batch"), (b"{}", "array"), (b"[1]", "message 1"), (b"[" * 10000, "deep"),
                           (b'[{},{"Body":1}]', "message 2"), (b'[{"Body":"?","IsBodyBase64":true}]', "base64"),
                           (b'[{"Body":"\xff"}]', "JSON"),
                           (b'[{"BrokerProperties":{"TimeToLive":"1"}}]', "TimeToLive")):
            self.assert_refused(400, words, self.ask("POST", "/q/messages", bad, BATCH))
        batch = [{"Body": "one"}, {"Body": "x", "BrokerProperties": {"MessageId": "m" * 200}}]
        self.assertEqual(self.ask("POST", "/q/messages", json.dumps(batch), BATCH).status, 400)
        self.assertEqual(self.client.runtime("q").active_message_count, 2)

    def test_a_lock_is_completed_given_back_and_renewed_by_its_place(self):  # RST-5, RST-6, RST-7, RST-12
        self.send("q", b"1", MessageId="m")
        locked = self.lock("q")
        self.assertEqual(locked.place, f"/q/messages/m/{locked.broker['LockToken']}")
        self.assertEqual(self.lock("q", 0).status, 204)
        renewed = self.ask("POST", locked.place)
        self.assertEqual((renewed.status, renewed.broker["LockToken"]), (200, locked.broker["LockToken"]))
        self.assertEqual(self.ask("PUT", locked.place).status, 200)
        again = self.lock("q")
        self.assertEqual((again.body, again.broker["DeliveryCount"]), (b"1", 2))
        for method in ("DELETE", "PUT", "POST"):
            self.assert_refused(404, "SubCode=40400", self.ask(method, locked.place))
        # The lock decides, and nothing else is looked at.
        self.assertEqual(self.ask("DELETE", again.place.replace("/m/", "/17/")).status, 200)
        self.assert_refused(404, "SubCode=40400", self.ask("DELETE", again.place))
        self.assertEqual(self.client.runtime("q").total_message_count, 0)

    def test_a_place_outlives_the_daemon(self):  # RST-12
        self.send("q")
        locked = self.lock("q")
        self.daemon.kill()
        self.serve()
        self.assertEqual(self.ask("DELETE", locked.place).status, 200)
        self.assertEqual(self.client.runtime("q").total_message_count, 0)

    def test_topics_subscriptions_and_dead_letters(self):  # RST-9, RST-8, DLQ-10
        self.client.topics.create("t/x")
        self.client.topics.create_subscription("t/x", "s", max_delivery_count=1)
        self.send("T/x", b"1")
        locked = self.lock("t/x/Subscriptions/S")
        self.assertEqual((locked.status, locked.body), (201, b"1"))
        self.assertEqual(self.ask("PUT", locked.place).status, 200)
        dead = self.take("t/x/subscriptions/s/$DeadLetterQueue")
        self.assertEqual((dead.status, dead.body), (200, b"1"))
        self.assertEqual(dead.user()["DeadLetterReason"], '"MaxDeliveryCountExceeded"')
        self.assertEqual(self.take("t%2Fx/subscriptions/s/%24deadletterqueue", 0).status, 204)
        self.assert_refused(400, "", self.ask("POST", "/t/x/subscriptions/s/messages", b"x"))
        self.assert_refused(400, "", self.lock("t/x", 0))

    def test_an_entity_wins_over_every_path(self):
        for name in ("health", "metrics", "api/v1/x", "messages", "a/messages", "a/messages/head"):
            self.client.create(name)
            self.send(name, name.encode())
            self.assertEqual(self.take(name).body, name.encode())

    def test_an_entity_wins_over_what_asks_for_messages(self):  # CNF-17
        """Where its path looks like that of a lock, or of a receive: all but POST is for it."""
        names = "q/messages/head", f"q/messages/1/{'0' * 31}1", "q/messages/1/zz"
        for name in names:
            self.client.create(name)
        self.send("q", b"kept")
        for name in names:
            self.assertIn(b"QueueDescription", self.ask("GET", f"/{name}").body)
            updated = self.ask("PUT", f"/{name}", entry("<UserMetadata>seen</UserMetadata>").encode(), {"If-Match": "*"})
            self.assertEqual(updated.status, 200, updated.body)
            self.assertEqual(self.ask("DELETE", f"/{name}").status, 200)
            self.assert_refused(404, "", self.ask("GET", f"/{name}"))
        made = self.ask("PUT", "/q/messages/1/zz", entry().encode(), {"Content-Type": "application/atom+xml"})
        self.assertEqual(made.status, 201, made.body)
        self.assertEqual(self.take("q").body, b"kept")

    def test_a_lock_whose_url_was_cut_is_told_of_locks(self):  # RST-5, RST-6, RST-7
        self.client.topics.create("t")
        self.client.topics.subscribe("t", "messages")
        self.send("q", b"1")
        cut = self.lock("q").place[:-1]
        for method in ("DELETE", "PUT", "POST"):
            for place in (cut, "/q/messages/1/zz", "/t/subscriptions/messages/messages/1/zz"):
                self.assert_refused(404, "there is no such lock: its URL", self.ask(method, place))
            self.assert_refused(410, "there is no entity named 'none'", self.ask(method, "/none/messages/1/zz"))
        for name in ("r", "00000000-0000-0000-0000-000000000001"):
            path = f"/t/Subscriptions/messages/Rules/{name}"
            rule = entry('<Filter i:type="TrueFilter"/>', "RuleDescription")
            self.assertEqual(self.ask("PUT", path, rule.encode()).status, 201)
            self.assertEqual(self.ask("DELETE", path).status, 200)

    def test_a_target_may_name_our_host(self):
        def status(target, host="localhost"):
            with socket.create_connection(("127.0.0.1", self.port), timeout=wire.TIMEOUT) as client:
                client.sendall(f"POST {target} HTTP/1.1\r\nHost: {host}\r\nContent-Length: 1\r\n\r\nx".encode())
                return client.makefile("rb").readline().split()[1]

        self.assertEqual(status("http://localhost/q/messages?timeout=3"), b"201")
        self.assertEqual(status("HTTPS://LOCALHOST/q/messages"), b"201")
        for target in ("http://elsewhere/q/messages", "http://localhost@evil/q/messages", "ftp://localhost/q/messages",
                       "localhost/q/messages", "http://localhost:1/q/messages", "*"):
            self.assertEqual(status(target), b"400", target)
        self.assertEqual(status("http://evil.example/q/messages", "evil.example"), b"403")
        self.assertEqual(self.client.runtime("q").total_message_count, 2)

    def test_what_is_wrong_in_a_batch_is_said_by_number_and_in_the_words_of_http(self):  # RST-2
        good = {"Body": "x"}
        for bad, words in (({"TimeToLive": -1}, "message 3: TimeToLive must be more than zero"),
                           ({"MessageId": "m" * 200}, "message 3: MessageId is longer than"),
                           ({"SessionId": "a", "PartitionKey": "b"}, "message 3: PartitionKey and SessionId must be")):
            batch = json.dumps([good, good, {"BrokerProperties": bad}, good])
            self.assert_refused(400, words, self.ask("POST", "/q/messages", batch, BATCH))
            self.assert_refused(400, words.split(": ")[1], self.ask("POST", "/q/messages", b"x", broker=bad))
        self.assertEqual(self.client.runtime("q").total_message_count, 0)

    def test_pages_of_other_sites_are_refused(self):
        for headers in ({"Host": "evil.example"}, {"Origin": "http://evil.example"}, {"Origin": "null"}):
            answer = self.ask("POST", "/q/messages", b"x", {**headers, "Authorization": "of any content"})
            self.assert_refused(403, "this is not for", answer)
        self.assertEqual(self.take("q", 0).status, 204)

    def test_many_readers_of_large_messages_each_get_one(self):  # RST-13
        self.client.update("q", mask=["max_message_size_in_kilobytes"], max_message_size_in_kilobytes=102400)
        bodies = [bytes([number]) * (2 * MIB) for number in range(4)]
        answers = []
        readers = [threading.Thread(target=lambda: answers.append(self.take("q", 60))) for _ in range(4)]
        for reader in readers:
            reader.start()
        for body in bodies:
            self.client.send_large("q", body)
        for reader in readers:
            reader.join(wire.TIMEOUT)
        self.assertEqual(sorted(answer.status for answer in answers), [200] * 4)
        self.assertTrue(sorted(answer.body for answer in answers) == bodies)

    def test_a_large_message_that_may_not_be_locked_is_told_soon(self):
        self.daemon.terminate()
        self.serve("--max-locked-messages=1")
        self.client.create("large", max_message_size_in_kilobytes=102400)
        self.client.send_large("large", b"x" * (2 * MIB))
        self.client.send_large("large", b"y" * (2 * MIB))
        self.assertEqual(self.lock("large").body[:1], b"x")
        self.assertIn(self.lock("large", 1).status, (204, 503))

    def test_scheduled_messages_wait_for_their_time(self):  # RST-8, RST-10
        at = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(hours=1)
        self.send("q", ScheduledEnqueueTimeUtc=at.strftime("%a, %d %b %Y %H:%M:%S GMT"))
        self.send("q", ScheduledEnqueueTimeUtc=at.strftime("%Y-%m-%dT%H:%M:%S.5Z"))
        self.assertEqual(self.client.runtime("q").scheduled_message_count, 2)
        self.assertEqual(self.take("q", 0).status, 204)

    def test_who_waits_is_answered_when_there_is_something(self):  # RST-3
        answers = []
        waiting = threading.Thread(target=lambda: answers.append(self.take("q", 60)))
        waiting.start()
        self.send("q", b"now")
        waiting.join(wire.TIMEOUT)
        self.assertEqual(answers[0].body, b"now")
        self.assert_refused(400, "timeout", self.take("q", "soon"))
        self.assert_refused(400, "timeout", self.take("q", -1))
        began = time.monotonic()
        self.assertEqual(self.take("q", 1).status, 204)
        self.assertGreaterEqual(time.monotonic() - began, 0.9)

    def test_who_leaves_while_waiting_takes_nothing_with_him(self):  # LCK-14
        for _ in range(8):
            client = socket.create_connection(("127.0.0.1", self.port))
            client.sendall(b"POST /q/messages/head?timeout=60 HTTP/1.1\r\nHost: localhost\r\n\r\n")
            daemon_test.wait_for(lambda: self.assertGreater(self.waiting(), 0), AssertionError)
            client.close()
            daemon_test.wait_for(lambda: self.assertEqual(self.waiting(), 0), AssertionError)
        self.send("q", b"1")
        self.assertEqual(self.lock("q").broker["DeliveryCount"], 1)

    def waiting(self):
        """Connections that are open at the HTTP listener."""
        return self.client.statistics().http.open_connection_count

    def test_a_large_body_goes_out_in_pieces(self):  # RST-13
        self.client.update("q", mask=["max_message_size_in_kilobytes"], max_message_size_in_kilobytes=102400)
        body = bytes(range(256)) * (12 * 1024)
        self.client.send_large("q", body)
        self.client.send_large("q", body[::-1])
        self.send("q", b"behind them")

        locked = self.lock("q")
        self.assertEqual(locked.status, 201)
        self.assertEqual(locked.headers["Transfer-Encoding"], "chunked")
        self.assertTrue(locked.body == body)
        self.assertEqual(self.ask("DELETE", locked.place).status, 200)
        taken = self.take("q")
        self.assertTrue(taken.body == body[::-1])
        self.assertEqual(self.take("q").body, b"behind them")
        self.assertEqual(self.client.runtime("q").total_message_count, 0)

    def test_a_large_body_that_nobody_reads_to_its_end_goes_back(self):  # RST-13, LCK-14
        self.client.update("q", mask=["max_message_size_in_kilobytes"], max_message_size_in_kilobytes=102400)
        self.client.send_large("q", b"x" * (16 * MIB))
        client = socket.create_connection(("127.0.0.1", self.port))
        client.sendall(b"POST /q/messages/head HTTP/1.1\r\nHost: localhost\r\n\r\n")
        self.assertTrue(client.recv(10).startswith(b"HTTP/1.1 2"))
        client.close()

        self.assertEqual(self.lock("q").broker["DeliveryCount"], 1)

    def test_what_is_too_large_or_too_much_is_refused(self):  # SIZ-1, SIZ-5, SIZ-6, QUO-1
        self.assert_refused(403, "too long", self.ask("POST", "/q/messages", b"x" * (MIB + 1)))
        self.assertEqual(self.ask("POST", "/q/messages", b"x", {"a": '"' + "x" * 70000 + '"'}).status, 431)
        self.assert_refused(400, "", self.ask("POST", "/q/messages", broker={"MessageId": "m" * 129}))
        self.client.create("small", max_message_size_in_kilobytes=1)
        self.assert_refused(403, "SubCode=40300", self.ask("POST", "/small/messages", b"x" * 2000))
        self.assert_refused(410, "SubCode=41000", self.ask("POST", "/none/messages", b"x"))
        self.assert_refused(410, "SubCode=41000", self.lock("none"))
        self.assert_refused(410, "SubCode=41000", self.lock("n" * 300))
        self.assert_refused(410, "SubCode=41000", self.lock("../../etc/passwd"))
        for path in ("/q%00/messages", "/q%0d%0aX/messages", "/q%/messages"):
            self.assert_refused(400, "SubCode=40000", self.ask("POST", path, b"x"))
        self.assertEqual(self.take("q", 0).status, 204)

    def test_a_batch_that_fills_a_body_is_taken(self):  # SIZ-2
        """Whoever sends it reckons with its own bytes, and not with the ids that the messages get."""
        batch = json.dumps([{"Body": "x" * 240}] * 4000, separators=(",", ":")).encode()
        self.assertLess(len(batch), MIB)
        self.assertGreater(4000 * (240 + 36), MIB)
        self.assertEqual(self.ask("POST", "/q/messages", batch, BATCH).status, 201)
        self.assertEqual(self.client.runtime("q").active_message_count, 4000)

    def test_one_message_has_no_bound_of_a_batch(self):  # SIZ-1
        """Up to what its entity takes: also the longest that is held, with what it says beside its body."""
        self.client.create("more", max_message_size_in_kilobytes=2048)
        for more in (-1, 0):
            self.send("more", b"x" * (MIB + more), {"color": '"red"'})
        self.assertEqual(self.client.runtime("more").active_message_count, 2)

    def test_a_larger_body_may_come_in_where_it_is_said(self):  # RST-13
        self.daemon.terminate()
        self.serve("--http-max-body=8MiB")
        self.client.create("large", max_message_size_in_kilobytes=102400)
        body = bytes(range(256)) * (5 * MIB // 256) + b"end"
        self.send("large", body, {"color": '"red"'})
        self.assert_refused(403, "SubCode=40300", self.ask("POST", "/q/messages", body))
        answer = self.take("large")
        self.assertTrue(answer.body == body)
        self.assertEqual(answer.user(), {"color": '"red"'})

    def test_entities_that_take_no_part_each_say_why(self):
        self.client.create("letters", requires_session=True)
        self.assert_refused(400, "SessionId", self.ask("POST", "/letters/messages", b"x"))
        self.send("letters", b"x", SessionId="s")
        self.assert_refused(400, "session", self.lock("letters", 0))
        self.client.create("off", status=management_pb2.ENTITY_STATUS_DISABLED)
        self.assert_refused(403, "SubCode=40301", self.ask("POST", "/off/messages", b"x"))
        self.client.create("away", forward_to="q")
        self.assert_refused(400, "forward", self.lock("away", 0))

    def test_bad_properties_are_named(self):
        for broker, word in (([], "object"), ({"Label": 1}, "Label"), ({"TimeToLive": "soon"}, "TimeToLive"),
                             ({"TimeToLive": 1e300}, "TimeToLive"), ({"ScheduledEnqueueTimeUtc": "soon"}, "Scheduled"),
                             ({"TimeToLiveTimeSpan": "1:2:3"}, "TimeSpan")):
            self.assert_refused(400, word, self.ask("POST", "/q/messages", broker=broker))
        for text in ("{", "[" * 10000, '{"a":1e999999}', "{'a':1}"):
            answer = self.ask("POST", "/q/messages", b"", {"BrokerProperties": text})
            self.assert_refused(400, "BrokerProperties", answer)

    def test_a_message_writes_no_header_of_ours(self):
        evil = {"Set-Cookie": "a=b", "Location": "http://evil", "Content-Length": "0", "Transfer-Encoding": "x",
                "BrokerProperties": "{}", "a\r\nX-Evil": "1", "": "no name", "Access-Control-Allow-Origin": "*",
                "fine": "a\r\nX-Evil: 1\x00\x7f ä"}
        message = Message(body=b"x", content_type="text/plain\r\nX-Evil: 1", application_properties={
            name: PropertyValue(string_value=value) for name, value in evil.items() if name})
        message.message_id = "m\r\nX-Evil: 1"
        self.client.send("q", message)

        locked = self.lock("q")

        self.assertEqual(locked.user(), {"fine": '"a\\r\\nX-Evil: 1\\u0000\\u007f \\u00e4"'})
        self.assertEqual(locked.broker["MessageId"], message.message_id)
        self.assertNotIn("Content-Type", locked.headers)
        omitted = json.loads(f"[{locked.headers['x-wharf-omitted']}]")
        self.assertEqual(set(omitted), {"Content-Type", *(name for name in evil if name not in ("", "fine"))})
        self.assertEqual(self.ask("DELETE", locked.place).status, 200)

    def test_what_is_too_long_for_a_header_is_left_out_and_named(self):  # RST-4
        # Six times as long where it is escaped: more than a header may have.
        long = "\x01" * 12000
        self.client.send("q", Message(body=b"x", subject=long, correlation_id="c", application_properties={
            "long": PropertyValue(string_value=long), "short": PropertyValue(string_value="s")}))

        locked = self.lock("q")

        self.assertEqual((locked.status, locked.body), (201, b"x"))
        self.assertEqual((locked.broker["CorrelationId"], locked.broker["SequenceNumber"]), ("c", 1))
        self.assertNotIn("Label", locked.broker)
        self.assertEqual(locked.headers["short"], '"s"')
        self.assertNotIn("long", locked.headers)
        self.assertEqual(set(json.loads(f"[{locked.headers['x-wharf-omitted']}]")), {"long", "BrokerProperties.Label"})
        self.assertEqual(self.ask("DELETE", locked.place).status, 200)

    def test_a_client_that_ends_with_a_line_too_many_and_leaves_takes_nothing(self):
        with socket.create_connection(("127.0.0.1", self.port)) as client:
            client.sendall(b"DELETE /q/messages/head?timeout=60 HTTP/1.1\r\nHost: localhost\r\n\r\n\r\n")
            daemon_test.wait_for(lambda: self.assertEqual(
                self.client.statistics().http.open_connection_count, 1), AssertionError)
        daemon_test.wait_for(lambda: self.assertEqual(
            self.client.statistics().http.open_connection_count, 0), AssertionError)
        self.client.send("q", b"kept")
        self.assertEqual(self.ask("DELETE", "/q/messages/head?timeout=5").body, b"kept")

    def test_names_and_values_survive_both_ways(self):  # USR-3, USR-4, USR-5
        connection = socket.create_connection(("127.0.0.1", self.port))
        connection.sendall(b"POST /q/messages HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n"
                           b"CaSe: 1\r\ncase: 2\r\nquoted: \"a\\u00e4\\n\"\r\nlatin: \xe4\r\nutf: \xc3\xa4\r\n"
                           b"odd: \"C:\\dir\"\r\nzero: 007\r\nbig: 18446744073709551615\r\n\r\n")
        self.assertTrue(connection.recv(100).startswith(b"HTTP/1.1 201"))
        connection.close()
        answer = self.take("q")
        self.assertEqual(answer.user(), {"CaSe": "1", "case": "2", "quoted": '"a\\u00e4\\n"', "latin": '"\\u00e4"',
                                         "utf": '"\\u00e4"', "odd": '"C:\\\\dir"', "zero": '"007"',
                                         "big": "18446744073709551615"})

    def test_curl_can_do_all_of_it(self):
        def curl(*arguments):
            return subprocess.run(["curl", "-s", "-w", "%{http_code}", *arguments], stdout=subprocess.PIPE, text=True,
                                  check=True, timeout=wire.TIMEOUT).stdout
        base = f"http://127.0.0.1:{self.port}/q/messages"
        self.assertEqual(curl("-d", "hello", base), "201")
        chunked = ("-H", "Transfer-Encoding: chunked", "-H", "Expect: 100-continue")
        self.assertEqual(curl(*chunked, "-d", "again", base), "201")
        self.assertEqual(curl("-X", "DELETE", f"{base}/head?timeout=5"), "hello200")
        self.assertEqual(curl("-X", "POST", f"{base}/head?timeout=5"), "again201")
        self.assertEqual(curl("-X", "POST", f"{base}/head?timeout=0"), "204")

    def test_the_readme_says_what_works(self):
        readme = pathlib.Path(__file__).resolve().parents[2].joinpath("README.md").read_text(encoding="utf-8")
        lines = readme.split("## Over plain HTTP")[1].split("```sh")[2].split("```")[0]
        self.assertEqual(lines.count("curl -f"), 8)
        self.client.create("orders")
        script = lines.replace("127.0.0.1:5300", f"127.0.0.1:{self.port}").replace("curl", "curl -s")
        done = subprocess.run(["bash", "-ec", script], cwd=self.folder.name, stdout=subprocess.PIPE, text=True,
                              check=True, timeout=wire.TIMEOUT)
        self.assertEqual(done.stdout, "one coffee")
        self.assertEqual(pathlib.Path(self.folder.name, "order").read_text(encoding="ascii"), "tea")
        self.assertEqual(self.client.runtime("orders").total_message_count, 0)

    def test_requests_are_counted_by_kind_and_status(self):
        self.send("q")
        self.assertEqual(self.ask("POST", "/none/messages", b"x").status, 410)
        self.assertEqual(self.ask("POST", "/q%00/messages", b"x").status, 400)
        locked = self.lock("q")
        self.assertEqual(self.ask("DELETE", locked.place).status, 200)

        seen = self.client.statistics().http
        self.assertEqual({(row.kind, row.status): row.count for row in seen.requests},
                         {("send", "201"): 1, ("send", "410"): 1, ("refused", "400"): 1, ("peek-lock", "201"): 1,
                          ("complete", "200"): 1})
        self.assertEqual((seen.accepted_connection_count, seen.refused_connection_count), (5, 0))
        shown = subprocess.run([daemon_test.WHARF, "stats", "--address", self.daemon.address], stdout=subprocess.PIPE,
                               text=True, check=True, timeout=wire.TIMEOUT).stdout
        self.assertNotIn("http.requests", shown)
        self.assertRegex(shown, r"ROUTE +STATUS +COUNT\n(.*\n)*send +201 +1\nsend +410 +1\n(.*\n)*refused +400 +1\n")
        told = operations.get(self.port_of(self.daemon, "operations"), "/metrics")[2]
        self.assertIn('wharf_servicebus_requests_total{kind="send",status="410"} 1\n', told)

    def test_a_failure_stands_in_the_log_under_its_tracking_id(self):
        self.daemon.terminate()
        daemon = self.serve("--log-level=debug")
        answer = self.ask("POST", "/none/messages", b"x")
        (tracking_id,) = re.findall(r"TrackingId:([0-9a-f-]{36})", answer.body.decode())
        self.assertIn("none", daemon_test.wait_for_line(daemon, tracking_id))
        # What is refused before it is known what is asked has an id, too.
        for place, headers in (("/q%00/messages", {}), ("/q/messages", {"Host": "elsewhere.example"})):
            answer = self.ask("POST", place, b"x", headers=headers)
            (tracking_id,) = re.findall(r"TrackingId:([0-9a-f-]{36})", answer.body.decode())
            self.assertIn(f"refused with {answer.status}", daemon_test.wait_for_line(daemon, tracking_id))
        # And so has what only HTTP can ask wrong.
        for method, headers, status in (("PATCH", {}, 405), ("PUT", {"If-Match": '"of-before"'}, 412)):
            answer = self.ask(method, "/q", entry("").encode(), headers=headers)
            self.assertEqual(answer.status, status)
            (tracking_id,) = re.findall(r"TrackingId:([0-9a-f-]{36})", answer.body.decode())
            self.assertIn(f"fails: {status}: ", daemon_test.wait_for_line(daemon, tracking_id))

    def test_a_stop_answers_those_who_wait(self):
        waiting = socket.create_connection(("127.0.0.1", self.port), timeout=wire.TIMEOUT)
        self.addCleanup(waiting.close)
        waiting.sendall(b"DELETE /q/messages/head?timeout=60 HTTP/1.1\r\nHost: localhost\r\n"
                        b"Connection: close\r\nExpect: 100-continue\r\n\r\n")
        heard = waiting.makefile("rb")
        self.assertEqual(heard.read(25), b"HTTP/1.1 100 Continue\r\n\r\n")  # It is read, and let in.
        self.assertEqual(self.daemon.terminate(), 0)
        self.assertTrue(heard.read().startswith(b"HTTP/1.1 204 "))


class TlsTest(RestTest):

    def serve_tls(self):
        """Its port, and whom a client of it believes."""
        authority = certificates.Authority(self.folder.name)
        identity = authority.sign("broker")
        daemon = self.start(listen="127.0.0.1:0,servicebus+tls://127.0.0.1:0",
                            flags=("--tls-cert", str(identity.certificate), "--tls-key", str(identity.key)))
        self.client.create("q")
        return self.port_of(daemon, r"servicebus\+tls"), ssl.create_default_context(cafile=str(authority.certificate))

    def test_what_comes_behind_the_last_answer_harms_nobody(self):
        port, context = self.serve_tls()
        with context.wrap_socket(socket.create_connection(("127.0.0.1", port), timeout=wire.TIMEOUT),
                                 server_hostname="127.0.0.1", suppress_ragged_eofs=False) as client:
            client.sendall(b"DELETE /q/messages/head?timeout=1 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            self.assertTrue(client.recv(4096).startswith(b"HTTP/1.1 204 "))
            with contextlib.suppress(OSError):
                for _ in range(100):
                    client.sendall(b"x" * 100)
        self.assertEqual(self.client.runtime("q").total_message_count, 0)  # It lives.

    def test_one_connection_carries_many_requests_over_tls(self):
        port, context = self.serve_tls()
        connection = http.client.HTTPSConnection("127.0.0.1", port, timeout=wire.TIMEOUT, context=context)
        self.addCleanup(connection.close)

        def ask(method, path, body=b""):
            connection.request(method, path, body=body)
            return rest_client.Answer(connection.getresponse())

        for number in range(5):
            body = b"%d" % number * (200 << 10)
            self.assertEqual(ask("POST", "/q/messages", body).status, 201)
            self.assertEqual(ask("DELETE", "/none/messages/head").status, 410)
            locked = ask("POST", "/q/messages/head?timeout=30")
            self.assertTrue(locked.body == body)
            self.assertTrue(locked.headers["Location"].startswith(f"https://127.0.0.1:{port}/q/messages/"))
            self.assertEqual(ask("DELETE", locked.place).status, 200)
            self.assertEqual(ask("POST", "/q/messages/head?timeout=0").status, 204)
        self.assertEqual(self.client.statistics().http.accepted_connection_count, 1)


class RoomTest(RestTest):

    def test_a_message_that_would_find_no_room_goes_back_uncounted(self):
        """Who waits already is held to the bound as well as who comes."""
        path = f"{self.folder.name}/http.sock"
        self.serve("--http-max-outgoing=1MiB", places=f"{rest_client.PLACES},servicebus://unix:{path}")
        for queue in ("large", "q"):
            self.client.create(queue, max_message_size_in_kilobytes=1024)
        waiting = threading.Thread(target=lambda: answers.append(self.lock("q", timeout=60)))
        answers = []
        waiting.start()
        deaf = []
        for _ in range(3):
            self.client.send("large", bytes(900_000))
            deaf.append(socket.socket(socket.AF_UNIX))
            self.addCleanup(deaf[-1].close)
            deaf[-1].connect(path)
            deaf[-1].sendall(b"POST /large/messages/head HTTP/1.1\r\nHost: localhost\r\n\r\n")
            deaf[-1].recv(1)  # The answer has begun; nobody reads the rest.

        self.client.send("q", b"kept")
        waiting.join(wire.TIMEOUT)
        self.assert_refused(503, "takes all the room", answers[0])
        self.assert_refused(503, "takes all the room", self.lock("q"))

        for reader in deaf:
            reader.close()
        seen = []
        daemon_test.wait_for(lambda: seen.append(self.lock("q", timeout=0).broker["DeliveryCount"]), TypeError)
        self.assertEqual(seen, [1])


class NodeTest(RestTest):

    def test_a_node_that_does_not_lead_says_to_come_again(self):
        self.serve("--node=a", f"--peer-listen=127.0.0.1:{free_port()}", "--insecure")
        for method, path in (("POST", "/q/messages"), ("DELETE", "/q/messages/head"), ("POST", "/q/messages/head")):
            answer = self.ask(method, path, b"x")
            self.assert_refused(503, "waits to be invited", answer)
            self.assertEqual(answer.headers["Retry-After"], "1")


class ThreeNodesTest(ClusterTest):

    def ask(self, node, method, path, body=b""):
        (ready,) = [line for line in node.daemon.log if "wharfd ready on " in line]
        port = int(re.search(r" servicebus://127\.0\.0\.1:(\d+) ", ready).group(1))
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=wire.TIMEOUT)
        self.addCleanup(connection.close)
        connection.request(method, path, body=body)
        return rest_client.Answer(connection.getresponse())

    def test_every_node_serves_by_the_one_that_leads(self):
        leader = self.start_cluster(listen="127.0.0.1:0,servicebus://127.0.0.1:0")
        leader.client.create("q")
        for number, node in enumerate(self.nodes):
            self.assertEqual(self.ask(node, "POST", "/q/messages", b"%d" % number * 100_000).status, 201)
        _, second, third = self.nodes

        locked = self.ask(second, "POST", "/q/messages/head?timeout=30")
        self.assertEqual(locked.body, b"0" * 100_000)
        self.assertEqual(self.ask(third, "DELETE", locked.place).status, 200)
        self.assertEqual(self.ask(third, "DELETE", "/q/messages/head?timeout=30").body, b"1" * 100_000)
        self.assertEqual(list(daemon_test.stored(leader.client, "q").values()), [b"2" * 100_000])
        self.assertEqual(leader.client.statistics().http.accepted_connection_count, 6)

    def test_without_a_leader_a_node_says_to_come_again(self):
        leader = self.start_cluster(listen="127.0.0.1:0,servicebus://127.0.0.1:0")
        leader.client.create("q")
        _, second, third = self.nodes
        for node in (leader, third):
            node.daemon.kill()
        daemon_test.wait_for(lambda: self.assertEqual(self.ask(second, "POST", "/q/messages", b"x").status, 503),
                             (AssertionError, OSError, http.client.HTTPException))


class RightsTest(RestAccessTest):

    def test_who_has_the_right_is_let_through_and_nobody_else(self):  # SEC-4, SEC-5, SEC-6, SEC-21, SEC-22
        send = self.token_for("q", "Send", f"http://127.0.0.1:{self.port}/Q/messages?timeout=3&api-version=2016-07")
        listen = self.token_for("q", "Listen")
        self.token = send
        self.send("q")
        self.assert_refused(401, "SubCode=40100", self.lock("q"))
        self.token = listen
        self.assert_refused(401, "SubCode=40100", self.ask("POST", "/q/messages", b"x"))
        locked = self.lock("q")
        self.assertEqual(locked.status, 201)
        self.token = send
        self.assert_refused(401, "SubCode=40100", self.ask("DELETE", locked.place))
        self.token = listen
        self.assertEqual(self.ask("DELETE", locked.place, headers={"Host": "ns.example.org"}).status, 200)

    def answer_to_head(self, method, path):
        """What is answered to who has not begun with the body yet."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=wire.TIMEOUT) as waiting:
            waiting.sendall((f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: {self.token}\r\n"
                             "Content-Length: 900000\r\nExpect: 100-continue\r\n\r\n").encode())
            return waiting.makefile("rb").readline()

    def test_who_lacks_the_right_is_refused_before_the_body(self):  # SEC-21, SEC-24
        send, listen = self.token_for("q", "Send"), self.token_for("q", "Listen")
        manage = self.token_for("q", "Manage")
        for token, method, path, status in (
                (listen, "POST", "/q/messages", b"401"), (send, "POST", "/none/messages", b"401"),
                (send, "PUT", "/q", b"401"), (manage, "PUT", "/none", b"401"),
                (send, "POST", "/q/messages", b"100"), (manage, "POST", "/Q/messages", b"100"),
                (manage, "PUT", "/q", b"100")):
            self.token = token
            with self.subTest(method=method, path=path, status=status):
                self.assertEqual(self.answer_to_head(method, path).split()[1], status)
        self.assertEqual(self.root.statistics().forbidden_count, 4)

    def test_a_refusal_says_nothing_of_what_there_is(self):
        texts = set()
        for token in (None, "nonsense", "SharedAccessSignature sr=x", "x" * 61440,
                      make_token("sb://h/q", "RootManageSharedAccessKey", "wrong"),
                      make_token("sb://h/q", "RootManageSharedAccessKey", self.root_key, lifetime=-1)):
            self.token = token
            for method, path in (("POST", "/q/messages"), ("POST", "/none/messages"), ("GET", "/q"), ("GET", "/none"),
                                 ("GET", "/$Resources/Queues"), ("DELETE", "/none/messages/head"), ("GET", "/health")):
                answer = self.ask(method, path, b"x")
                self.assertEqual(answer.status, 401, answer.body)
                texts.add(answer.body.decode().split("TrackingId")[0].split(" at 20")[0] + str(token)[:60])
        self.assertEqual(len(texts), 6)

    def test_refusals_are_counted_and_logged(self):
        def hear(line, asked):
            """Asks until the log says so of one that was `asked`: it has a line a second, and that a moment later."""
            answer = self.lock("q")
            asked.append(re.search("TrackingId:([0-9a-f-]{36})", answer.body.decode())[1])
            pattern = rf"warning refused a call from 127\.0\.0\.1:\d+ {line} \(tracking id ([0-9a-f-]{{36}})\)"
            told = (re.search(pattern, said) for said in self.daemon.log)
            if not any(found and found[1] in asked for found in told):
                raise LookupError(self.daemon.log)
            return answer

        for token, line, counter in (
                (make_token("sb://h/q", "Listen", "k" * 44),
                 "that claims the rule 'Listen': the token is not valid: .*", "unauthorized_count"),
                (self.token_for("q", "Send"), "with rule q#[Ss]end: the token gives no right to Listen on 'q'",
                 "forbidden_count")):
            self.token = token
            before = getattr(self.root.statistics(), counter)
            asked = []
            answer = daemon_test.wait_for(lambda line=line, asked=asked: hear(line, asked), LookupError)
            self.assertEqual(answer.status, 401)
            self.assertEqual(getattr(self.root.statistics(), counter), before + len(asked))

    def test_a_token_that_lapses_ends_the_wait(self):
        self.token = self.token_for("q", "Listen", lifetime=2)
        self.assert_refused(401, "lapsed", self.lock("q", 60))


if __name__ == "__main__":
    unittest.main()
