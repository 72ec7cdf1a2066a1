"""The bodies of messages as they are, at a listener of the console."""

import http.client
import json

import test_access
import test_console
import wire
from access_calls import make_token
from test_console import NAMED, PLACES, ConsoleTest, port_of

MEBI = 1 << 20


def ask_body(port, query, method="GET", body=None, **fields):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=wire.TIMEOUT)
    try:
        connection.request(method, f"/api/v1/bodies?{query}", body=body, headers={**NAMED, **fields})
        return test_console.Answer(connection.getresponse())
    finally:
        connection.close()


class BodyTest(ConsoleTest):

    def setUp(self):
        super().setUp()
        self.serve()
        self.client.create("q", max_message_size_in_kilobytes=102400)

    def look(self, query, **options):
        return ask_body(self.port, query, **options)

    def send(self, body, query="entityPath=q", **fields):
        return ask_body(self.port, query, "POST", body, **fields)

    def test_bodies_of_any_size_come_and_go_as_they_are(self):
        sizes = (0, 1, MEBI, MEBI + 1, 3 * MEBI + 12345, 20 * MEBI)
        for number, size in enumerate(sizes, start=1):
            body = (bytes(range(256)) * (size // 256 + 1))[:size]
            with self.subTest(size):
                sent = self.send(body, **{"X-Wharf-Message": json.dumps({"messageId": f"m{number}", "subject": "\u00fc"})})
                self.assertEqual((sent.status, sent.json["sequenceNumber"]), (200, str(number)), sent.body)
                got = self.look(f"entityPath=q&sequenceNumber={number}")
                self.assertEqual(got.status, 200, got.body[:500])
                self.assertEqual(len(got.body), size)
                self.assertEqual(got.body, body)
                self.assertEqual(got.headers["Content-Type"], "application/octet-stream")
                self.assertEqual(got.headers["Content-Disposition"], "attachment")
                self.assertEqual(got.headers["X-Content-Type-Options"], "nosniff")
        (first, *_) = self.client.peek("q", 0).messages
        self.assertEqual((first.message.message_id, first.message.subject), ("m1", "\u00fc"))

    def test_a_path_may_need_escapes(self):
        self.client.topics.create("news")
        self.client.topics.subscribe("news", "all")
        self.assertEqual(self.send(b"x" * 100, "entityPath=news").status, 200)
        got = self.look("entityPath=news%2FSubscriptions%2Fall&sequenceNumber=1")
        self.assertEqual((got.status, got.body), (200, b"x" * 100))

    def test_what_is_wrong_is_told(self):
        for query, method, status, part in (
                ("", "GET", 400, "entityPath"), ("entityPath=q", "GET", 400, "sequenceNumber"),
                ("entityPath=q&sequenceNumber=x", "GET", 400, "whole number"),
                ("entityPath=q&sequenceNumber=9", "GET", 404, "9"), ("entityPath=none&sequenceNumber=1", "GET", 404, "none"),
                ("entityPath=none", "POST", 404, "none"), ("", "POST", 400, "entityPath"), ("entityPath=q", "PUT", 405, "POST")):
            with self.subTest(query=query, method=method):
                answer = ask_body(self.port, query, method, b"x" if method != "GET" else None)
                self.assertEqual(answer.status, status, answer.body)
                self.assertIn(part, answer.error["message"])
        answer = self.send(b"x", **{"X-Wharf-Message": '{"messageIt": "1"}'})
        self.assertIn("X-Wharf-Message: messageIt", answer.error["message"])
        self.assertEqual(self.client.runtime("q").total_message_count, 0)

    def test_one_too_large_for_its_entity_is_refused_and_nothing_is_left(self):
        self.client.create("small")
        answer = self.send(b"x" * 2 * MEBI, "entityPath=small")
        self.assertEqual((answer.status, answer.error["code"]), (400, "MessageSizeExceeded"), answer.body)
        self.assertEqual(self.client.runtime("small").total_message_count, 0)
        self.assertEqual(self.send(b"x", "entityPath=small").status, 200)

    def test_no_page_of_others_sends_one(self):
        answer = ask_body(self.port, "entityPath=q", "POST", b"x", Origin="http://evil.example")
        self.assertEqual(answer.status, 403)


class BodyRightsTest(test_access.AccessTest):

    def test_each_takes_its_right(self):
        self.start_on(listen=PLACES)
        port = port_of(self.daemon)
        self.root.create("q", max_message_size_in_kilobytes=102400)
        tokens = {right: make_token("sb://host/q", right, self.root.make_rule("q", right, right).primary_key)
                  for right in ("Send", "Listen")}
        for body in (b"x", b"x" * 2 * MEBI):
            send = {right: ask_body(port, "entityPath=q", "POST", body, Authorization=token).status
                    for right, token in tokens.items()}
            self.assertEqual(send, {"Send": 200, "Listen": 403})
        for number in (1, 2):
            look = {right: ask_body(port, f"entityPath=q&sequenceNumber={number}", Authorization=token).status
                    for right, token in tokens.items()}
            self.assertEqual(look, {"Send": 403, "Listen": 200})
        self.assertEqual(ask_body(port, "entityPath=q&sequenceNumber=1").status, 401)
        self.assertEqual(ask_body(port, "entityPath=q", "POST", b"x").status, 401)
