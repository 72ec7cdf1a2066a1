"""The gRPC API as JSON, at the listener of the console: all of it, as everybody, and for no page of another origin."""

import base64
import http.client
import json
import pathlib
import re
import socket
import ssl
import subprocess
import time
import unittest

import grpc

import access_calls
import daemon_test
import test_access
import test_clients
import wire
from access_calls import connection_of, make_token
from cluster_nodes import ClusterTest
from free_ports import free_port
from json_stream import JsonStream

PLACES = "127.0.0.1:0,console://127.0.0.1:0"
ROOT = pathlib.Path(__file__).resolve().parents[2]
NAMED = {"X-Wharf-Request": "1"}


def port_of(daemon, kind="console"):
    (line,) = [line for line in daemon.log if "wharfd ready on " in line]
    return int(re.search(rf" {re.escape(kind)}://127\.0\.0\.1:(\d+) ", line).group(1))


class Answer:

    def __init__(self, answer):
        self.status, self.headers, self.body = answer.status, answer.headers, answer.read()

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def error(self):
        return self.json["error"]


def ask(port, path, body=None, method="POST", context=None, headers=None, named=True):
    """`context`: of TLS. `named`: as what may change something."""
    connection = (http.client.HTTPSConnection("127.0.0.1", port, timeout=wire.TIMEOUT, context=context) if context else
                  http.client.HTTPConnection("127.0.0.1", port, timeout=wire.TIMEOUT))
    text = json.dumps(body) if isinstance(body, dict) else body
    try:
        connection.request(method, f"/api/v1/{path}", body=text,
                           headers={**(NAMED if named else {}), **(headers or {})})
        return Answer(connection.getresponse())
    finally:
        connection.close()


class ConsoleTest(daemon_test.DaemonTest):
    """A daemon with access off."""

    def serve(self, *flags, **options):
        self.daemon = self.start(listen=PLACES, flags=flags, **options)
        self.port = port_of(self.daemon)
        return self.daemon

    def ask(self, path, body=None, **options):
        return ask(self.port, path, body, **options)

    def done(self, path, body=None, **options):
        answer = self.ask(path, body, **options)
        self.assertEqual(answer.status, 200, answer.body)
        return answer.json


class CallTest(ConsoleTest):

    def setUp(self):
        super().setUp()
        self.serve("--log-level=debug")

    def test_every_method_of_every_service_is_reached(self):
        """A service of a .proto that nobody thought of is missed here."""
        told = self.done("openapi.json", method="GET")["paths"]
        methods = re.findall(r"^service (\w+)|^  rpc (\w+)\((stream )?", "\n".join(
            file.read_text(encoding="utf-8") for file in sorted(ROOT.glob("proto/wharf/v1/*.proto"))), re.MULTILINE)
        service, paths = None, {"/api/v1/session", "/api/v1/bodies"}
        for name, method, is_stream in methods:
            service = name or service
            if not method:
                continue
            path = f"{service}/{method}"
            with self.subTest(path):
                answer = self.ask(path, '{"no such field": 1}')
                paths.add(f"/api/v1/{path}")
                if is_stream:
                    self.assertEqual(answer.status, 426)
                    JsonStream(self.port, path).close()
                    continue
                self.assertEqual((answer.status, answer.error["message"]),
                                 (400, "no such field: there is no such field"))
                # It is asked: what there is none of is an entity or a message, and never the method.
                answer = self.ask(path, {})
                self.assertNotIn(answer.status, (405, 501), answer.body)
                self.assertNotIn("nothing at this path", answer.body.decode())
        self.assertEqual(set(told), paths)

    def test_what_is_sent_as_json_is_received_over_grpc_and_the_reverse(self):
        self.done("Management/CreateQueue", {"queue": {"name": "q", "maxDeliveryCount": 3}})
        self.assertEqual(self.client.get("q").max_delivery_count, 3)
        sent = self.done("Messaging/Send", {"entityPath": "q", "messages": [
            {"body": base64.b64encode(b"\x00\xff").decode(), "messageId": "m",
             "applicationProperties": {"n": {"int64Value": "9007199254740993"}}}]})
        self.assertEqual(sent["results"], [{"sequenceNumber": "1"}])

        received = self.client.receive_one("q")
        self.assertEqual(received.message.body, b"\x00\xff")
        self.assertEqual(received.message.application_properties["n"].int64_value, 9007199254740993)
        self.client.complete("q", received.lock_token)

        self.client.send("q", b"back")
        (message,) = self.done("Messaging/Receive", {"entityPath": "q", "maxWait": "30s"})["messages"]
        self.assertEqual(base64.b64decode(message["message"]["body"]), b"back")
        self.done("Messaging/Settle", {"entityPath": "q", "settlement": {
            "lockTokens": [message["lockToken"]], "complete": {}}})
        self.assertEqual(self.client.runtime("q").total_message_count, 0)

    def test_what_is_read_can_be_changed_and_written(self):
        queue = self.done("Management/CreateQueue", {"queue": {"name": "q", "lockDuration": "45s"}})
        queue["maxDeliveryCount"] = 7
        written = self.done("Management/UpdateQueue", {"entityPath": "q", "queue": queue})
        self.assertEqual((written["maxDeliveryCount"], written["lockDuration"]), (7, "45s"))

        masked = self.done("Management/UpdateQueue", {
            "entityPath": "q", "queue": {"maxDeliveryCount": 9, "lockDuration": "5s"},
            "updateMask": "maxDeliveryCount"})
        self.assertEqual((masked["maxDeliveryCount"], masked["lockDuration"]), (9, "45s"))

    def test_an_error_has_its_place_and_stands_in_the_log_with_who_asked(self):
        answer = self.ask("Messaging/Receive", {"entityPath": "none"})
        self.assertEqual(answer.status, 404)
        self.assertEqual((answer.error["code"], answer.error["entityPath"]), ("MessagingEntityNotFound", "none"))
        daemon_test.wait_for(lambda: self.assertRegex(
            "".join(self.daemon.log), rf"ReceiveRequest from 127\.0\.0\.1:\d+ fails.*{answer.error['trackingId']}"),
            AssertionError)

    def test_hostile_bodies_are_refused_and_harm_nobody(self):
        for body in (b"[" * 10_000, b'{"messages":' * 10_000, b"\xff\xfe", b'{"maxMessages": 1e999}',
                     b"{" + b" " * 1_000_000,
                     b'{"messages": [' + b"{}," * 400_000 + b"null]}", b'{"entityPath": "a", "entityPath": "b"}'):
            answer = self.ask("Messaging/Send", body)
            self.assertEqual((answer.status, answer.error["code"]), (400, "ArgumentError"), body[:40])
        self.assertEqual(self.ask("Messaging/Send", headers={"Content-Length": str(25 << 20)}).status, 413)
        self.done("Management/ListQueues")

    def test_the_largest_request_of_grpc_fits(self):
        self.client.create("q")
        messages = [{"body": base64.b64encode(bytes(1_040_000)).decode()}] * 16
        sent = self.done("Messaging/Send", {"entityPath": "q", "messages": messages})
        self.assertEqual(sent["results"][-1], {"sequenceNumber": "16"})
        answer = self.ask("Messaging/Send", {"entityPath": "q", "messages": messages + messages[:1]})
        self.assertEqual((answer.status, answer.error["code"]), (400, "MessageSizeExceeded"))

    def test_a_client_that_goes_ends_its_call(self):
        """Else it would get the next message, whenever that comes; how soon it ends is nobody's promise."""
        def round_of_one():
            self.client.create("q")
            with socket.create_connection(("127.0.0.1", self.port), timeout=wire.TIMEOUT) as leaving:
                body = json.dumps({"entityPath": "q", "maxWait": "300s"}).encode()
                leaving.sendall(b"POST /api/v1/Messaging/Receive HTTP/1.1\r\nHost: localhost\r\nX-Wharf-Request: 1\r\n"
                                b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
            self.client.create("another")  # A turn of the broker.
            self.client.delete("another")
            self.client.send("q", b"x")
            received = self.client.receive("q")
            self.client.delete("q")
            self.assertEqual(len(received), 1)
        daemon_test.wait_for(round_of_one, AssertionError)

    def test_a_restart_ends_nothing_but_the_connection(self):
        self.done("Management/CreateQueue", {"queue": {"name": "q"}})
        self.daemon.terminate()
        self.serve()
        self.assertEqual(self.done("Management/GetQueue", {"entityPath": "q"})["name"], "q")


class PageTest(ConsoleTest):
    """With access off a browser could do everything, if it were let."""

    def setUp(self):
        super().setUp()
        self.serve()

    def assert_refused(self, part, **options):
        answer = self.ask("Management/ListQueues", {}, **options)
        self.assertEqual(answer.status, 403)
        self.assertIn(part, answer.error["message"])

    def test_a_page_of_another_origin_gets_nothing(self):
        own = f"http://127.0.0.1:{self.port}"
        self.done("Management/ListQueues", {}, headers={"Origin": own})
        for origin in ("http://evil.example", "null", f"https://127.0.0.1:{self.port}", "http://127.0.0.1:1"):
            self.assert_refused("another origin", headers={"Origin": origin})
        self.assert_refused("X-Wharf-Request", named=False)
        self.assert_refused("X-Wharf-Request", named=False, headers={"Origin": own, "Content-Type": "text/plain"})
        asked = self.ask("Management/ListQueues", method="OPTIONS", named=False, headers={
            "Origin": "http://evil.example", "Access-Control-Request-Headers": "X-Wharf-Request"})
        self.assertEqual(asked.status, 403)
        self.assertNotIn("Access-Control-Allow-Origin", asked.headers)

    def test_a_name_that_suddenly_means_this_machine_gets_nothing(self):
        self.assert_refused("http-hosts", headers={"Host": f"evil.example:{self.port}"})
        self.assert_refused("http-hosts", headers={"Host": f"evil.example:{self.port}",
                                                   "Origin": f"http://evil.example:{self.port}"})
        answer = self.ask("openapi.json", method="GET", headers={"Host": "evil.example"})
        self.assertEqual(answer.status, 403)

    def test_every_answer_tells_a_browser_what_it_must_not_do(self):
        for answer in (self.ask("Clock/Get", {}), self.ask("none"), self.ask("Clock/Get", "x"),
                       self.ask("Clock/Get", {}, named=False), self.ask("openapi.json", method="GET"),
                       self.ask("session", {}), self.ask("Clock/Get", headers={"Content-Length": "x"})):
            self.assertEqual(answer.headers["X-Content-Type-Options"], "nosniff")
            self.assertEqual(answer.headers["X-Frame-Options"], "DENY")
            self.assertIn("frame-ancestors 'none'", answer.headers["Content-Security-Policy"])
            self.assertEqual(answer.headers["Cache-Control"], "no-store")

    def test_where_access_is_off_nobody_signs_in(self):
        self.assertEqual(self.ask("session", {"keyName": "a", "key": "b"}).status, 400)
        self.assertFalse(self.done("session", method="GET")["isAccessOn"])


class JsonMatrixTest(test_access.Matrix):

    def test_everything_asked_as_everybody_as_json(self):
        self.start_on("--clock=manual", listen=PLACES)
        port = port_of(self.daemon)
        unary = {name: line for name, line in access_calls.METHODS.items() if "Stream" not in name}
        self.ask_everything(lambda *call: access_calls.ask_json(port, *call), unary)


class SignInTest(test_access.AccessTest):

    def setUp(self):
        super().setUp()
        self.start_on(listen=PLACES)
        self.port = port_of(self.daemon)
        self.root.create("q")

    def sign_in(self, **given):
        return ask(self.port, "session", given)

    def session(self, **given):
        answer = self.sign_in(**given)
        self.assertEqual(answer.status, 201, answer.body)
        return {"Authorization": f"Session {answer.json['session']}"}

    def status(self, path, body, headers):
        return ask(self.port, path, body, headers=headers).status

    def test_a_session_may_what_its_rule_may(self):
        rule = self.root.make_rule("q", "sender", "Send")
        session = self.session(keyName="sender", key=rule.primary_key, entityPath="q")
        send = {"entityPath": "q", "messages": [{"body": "eA=="}]}

        self.assertEqual(self.status("Messaging/Send", send, session), 200)
        self.assertEqual(self.status("Messaging/Receive", {"entityPath": "q"}, session), 403)
        self.assertEqual(self.status("Management/ListQueues", {}, session), 403)
        who = ask(self.port, "session", method="GET", headers=session).json
        self.assertEqual((who["rule"], who["entityPath"], who["rights"]), ("sender", "q", ["Send"]))

    def test_a_connection_string_signs_in_and_a_key_leaves_never(self):
        text = self.root_file().read_text(encoding="ascii").strip()
        answer = self.sign_in(connectionString=text)
        self.assertNotIn(self.root_key(), answer.body.decode() + str(answer.headers) + "".join(self.daemon.log))
        self.assertNotIn("Set-Cookie", answer.headers)
        self.assertRegex(answer.json["session"], r"^[\w-]{43}$")

    def test_a_session_ends_with_its_key_and_the_other_key_s_lives_on(self):
        rule = self.root.make_rule("q", "m", "Manage")
        first = self.session(keyName="m", key=rule.primary_key, entityPath="q")
        second = self.session(keyName="m", key=rule.secondary_key, entityPath="q")
        look = {"entityPath": "q"}
        self.assertEqual(self.status("Management/GetQueue", look, first), 200)

        self.root.rotate("q", "m")

        self.assertEqual(self.status("Management/GetQueue", look, first), 401)
        self.assertEqual(self.status("Management/GetQueue", look, second), 200)
        self.root.remove_rule("q", "m")
        self.assertEqual(self.status("Management/GetQueue", look, second), 401)

    def test_a_call_that_waits_ends_with_its_key(self):
        rule = self.root.make_rule("q", "l", "Listen")
        session = self.session(keyName="l", key=rule.primary_key, entityPath="q")
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=wire.TIMEOUT)
        self.addCleanup(connection.close)
        connection.request("POST", "/api/v1/Messaging/Receive", headers={**NAMED, **session},
                           body='{"entityPath": "q", "maxWait": "300s"}')

        self.root.rotate("q", "l")
        rotated = time.monotonic()

        self.assertEqual(connection.getresponse().status, 401)
        self.assertLess(time.monotonic() - rotated, 2.0)

    def test_who_signs_out_is_out_and_a_restart_signs_everybody_out(self):
        given = {"connectionString": self.root_file().read_text(encoding="ascii").strip()}
        first, second = self.session(**given), self.session(**given)
        self.assertEqual(ask(self.port, "session", method="DELETE", headers=first).status, 204)
        self.assertEqual(self.status("Management/ListQueues", {}, first), 401)
        self.assertEqual(self.status("Management/ListQueues", {}, second), 200)

        self.daemon.terminate()
        self.daemon.start()
        self.port = port_of(self.daemon)

        self.assertEqual(self.status("Management/ListQueues", {}, second), 401)

    def test_failures_slow_an_address_down(self):
        for _ in range(4):
            self.assertEqual(self.sign_in(keyName="RootManageSharedAccessKey", key="x" * 44).status, 401)
        slowed = self.sign_in(keyName="RootManageSharedAccessKey", key=self.root_key())
        self.assertEqual(slowed.status, 429)
        self.assertEqual(slowed.headers["Retry-After"], "1")
        daemon_test.wait_for(lambda: self.session(keyName="RootManageSharedAccessKey", key=self.root_key()),
                             AssertionError)

    def test_nobody_vouches_for_who_comes_from_outside(self):
        channel = grpc.insecure_channel(self.daemon.address)
        self.addCleanup(channel.close)
        call = channel.unary_unary("/wharf.v1.Management/ListQueues")
        for handle in ("", "x" * 44, base64.b64encode(bytes(32)).decode()):
            self.assert_unauthenticated(call, b"", timeout=wire.TIMEOUT, metadata=[("wharf-vouched", handle)])

    def test_who_brings_a_token_may_name_any_host_and_who_signs_in_may_not(self):
        token = make_token("sb://host/", "RootManageSharedAccessKey", self.root_key())
        foreign = {"Host": "ns.example.org"}
        self.assertEqual(self.status("Management/ListQueues", {}, {**foreign, "Authorization": token}), 200)
        self.assertEqual(ask(self.port, "session", {}, headers=foreign).status, 403)

    def test_the_readme_says_what_works(self):
        readme = (ROOT / "README.md").read_text(encoding="utf-8")
        lines = readme.split("## As JSON")[1].split("```sh")[2].split("```")[0]
        self.assertEqual(lines.count("curl -f"), 9)
        script = lines.replace("127.0.0.1:8080", f"127.0.0.1:{self.port}").replace("curl", "curl -s").replace(
            "/var/lib/wharf", self.data)
        done = subprocess.run(["bash", "-ec", script], cwd=self.folder.name, stdout=subprocess.PIPE, text=True,
                              check=True, timeout=wire.TIMEOUT)
        self.assertIn('"body":"aGVsbG8="', done.stdout)
        self.assertEqual(self.root.runtime("orders").total_message_count, 1)
        self.assertEqual(pathlib.Path(self.folder.name, "same.bin").read_bytes(),
                         pathlib.Path(self.folder.name, "openapi.json").read_bytes())


class TlsTest(test_clients.ClientsTest):

    def setUp(self):
        super().setUp()
        self.start_with("certificate:CN=shop -> #shop", flags=("--listen", "console+tls://127.0.0.1:0"))
        self.port_of_console = port_of(self.daemon, "console+tls")
        self.context = ssl.create_default_context(cafile=str(self.authority.certificate))
        self.own = f"https://127.0.0.1:{self.port_of_console}"

    def ask(self, path, body=None, **options):
        return ask(self.port_of_console, path, body, **{"context": self.context, **options})

    def test_over_tls_a_session_is_a_cookie_that_no_script_reads(self):
        given = {"keyName": "RootManageSharedAccessKey", "key": self.root_key}
        answer = self.ask("session", given, headers={"Origin": self.own})
        self.assertEqual(answer.status, 201)
        self.assertNotIn("session", answer.json)
        cookie, *rules = answer.headers["Set-Cookie"].split("; ")
        self.assertTrue(cookie.startswith("__Host-"))
        self.assertEqual(set(rules), {"Path=/", "Secure", "HttpOnly", "SameSite=Strict"})

        with_cookie = {"Cookie": f"theme=dark; {cookie}"}
        self.assertEqual(self.ask("Management/ListQueues", {}, headers=with_cookie).status, 200)
        self.assert_no_page("Management/ListQueues", with_cookie)
        ended = self.ask("session", method="DELETE", headers=with_cookie)
        self.assertEqual(ended.status, 204)
        self.assertIn("Max-Age=0", ended.headers["Set-Cookie"])
        self.assertEqual(self.ask("Management/ListQueues", {}, headers=with_cookie).status, 401)

    def test_a_certificate_is_enough_and_no_page_of_others_may_use_it(self):
        self.root.make_rule("", "shop", "Manage")
        shop = self.authority.sign("shop")
        self.context.load_cert_chain(shop.certificate, shop.key)
        self.assertEqual(self.ask("Management/ListQueues", {}).status, 200)
        self.assert_no_page("Management/ListQueues", {})
        self.assertEqual(self.ask("session").status, 201)
        self.assertEqual(self.ask("session", method="GET").json["client"], "certificate:CN=shop")

    def assert_no_page(self, path, headers):
        for more, named in (({}, False), ({"Origin": "https://evil.example"}, True), ({"Host": "evil.example"}, True),
                            ({"Host": "evil.example", "Origin": "https://evil.example"}, True)):
            self.assertEqual(self.ask(path, {}, headers={**headers, **more}, named=named).status, 403, (more, named))


class NodeTest(ConsoleTest):

    def test_a_node_that_waits_answers_what_is_asked_of_the_cluster_and_can_be_founded(self):
        self.serve("--node=a", f"--peer-listen=127.0.0.1:{free_port()}", "--insecure")
        answer = self.ask("Management/ListQueues", {})
        self.assertEqual((answer.status, answer.headers["Retry-After"]), (503, "1"))
        self.assertTrue(self.done("Cluster/GetStatus", {})["waitsForInvitation"])

        self.assertTrue(self.done("Cluster/Found", {})["clusterId"])
        daemon_test.wait_for(lambda: self.done("Management/ListQueues", {}), (AssertionError, OSError))


class ThreeNodesTest(ClusterTest):

    def ask(self, node, path, body=None, **options):
        return ask(port_of(node.daemon), path, body, **options)

    def test_every_node_serves_by_the_one_that_leads(self):
        leader = self.start_cluster(listen=PLACES)
        leader.client.create("q")
        for node in self.nodes:
            answer = self.ask(node, "Messaging/Send", {"entityPath": "q", "messages": [{"body": "eA=="}]})
            self.assertEqual(answer.status, 200, answer.body)
        self.assertEqual(leader.client.runtime("q").total_message_count, 3)

    def test_without_a_leader_a_node_says_to_come_again_and_tells_of_the_cluster(self):
        leader = self.start_cluster(listen=PLACES)
        leader.client.create("q")
        _, second, third = self.nodes
        for node in (leader, third):
            node.daemon.kill()
        daemon_test.wait_for(
            lambda: self.assertEqual(self.ask(second, "Management/ListQueues", {}).status, 503),
            (AssertionError, OSError, http.client.HTTPException))
        self.assertEqual(self.ask(second, "Cluster/GetStatus", {}).status, 200)

    def test_sessions_end_with_the_leader_that_has_them(self):
        def token():
            file = pathlib.Path(self.folder.name, "n1", "root-connection-string")
            return make_token("sb://h/", "RootManageSharedAccessKey", connection_of(
                file.read_text(encoding="ascii"))["SharedAccessKey"]) if file.exists() else ""
        first = self.start_cluster(listen=PLACES, flags=("--access=on",), token=token)
        root = pathlib.Path(first.data, "root-connection-string").read_text(encoding="ascii")
        given = {"connectionString": root.strip()}
        signed_in = self.ask(self.nodes[2], "session", given)
        self.assertEqual(signed_in.status, 201, signed_in.body)
        session = {"Authorization": f"Session {signed_in.json['session']}"}
        self.assertEqual(self.ask(self.nodes[1], "Management/ListQueues", {}, headers=session).status, 200)

        first.daemon.kill()

        daemon_test.wait_for(
            lambda: self.assertEqual(self.ask(self.nodes[1], "Management/ListQueues", {}, headers=session).status, 401),
            (AssertionError, OSError, http.client.HTTPException))


if __name__ == "__main__":
    unittest.main()
