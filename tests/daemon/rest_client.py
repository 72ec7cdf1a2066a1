"""What tests of Service Bus over HTTP share: a daemon that listens for it, and what it answers."""

import http.client
import json
import re
import urllib.parse

import daemon_test
import wire
from access_calls import AccessClient, connection_of, make_token

PLACES = "127.0.0.1:0,servicebus://127.0.0.1:0,amqp://127.0.0.1:0,operations://127.0.0.1:0"


class Answer:

    def __init__(self, answer):
        self.status, self.headers, self.body = answer.status, answer.headers, answer.read()

    @property
    def broker(self):
        return json.loads(self.headers["BrokerProperties"])

    @property
    def place(self):
        """The path of the lock."""
        return urllib.parse.urlsplit(self.headers["Location"]).path

    def user(self):
        """The properties of the application, as their headers say them."""
        ours = {"brokerproperties", "location", "date", "server", "content-type", "content-length", "transfer-encoding",
                "connection", "x-wharf-omitted"}
        return {name: value for name, value in self.headers.items() if name.lower() not in ours}


class RestTest(daemon_test.DaemonTest):
    token = None

    def serve(self, *flags, places=PLACES, **options):
        daemon = self.start(listen=places, flags=flags, **options)
        self.port = self.port_of(daemon, "servicebus")
        return daemon

    @staticmethod
    def port_of(daemon, kind):
        (line,) = [line for line in daemon.log if "wharfd ready on " in line]
        return int(re.search(rf" {kind}://127\.0\.0\.1:(\d+) ", line).group(1))

    def ask(self, method, path, body=b"", headers=None, broker=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=wire.TIMEOUT)
        try:
            sent = {**({"Authorization": self.token} if self.token else {}),
                    **({"BrokerProperties": json.dumps(broker)} if broker is not None else {}), **(headers or {})}
            connection.request(method, path, body=body, headers=sent)
            return Answer(connection.getresponse())
        finally:
            connection.close()

    def send(self, path, body=b"x", headers=None, **broker):
        answer = self.ask("POST", f"/{path}/messages", body, headers, broker or None)
        self.assertEqual(answer.status, 201, answer.body)
        return answer

    def lock(self, path, timeout=30):
        return self.ask("POST", f"/{path}/messages/head?timeout={timeout}")

    def take(self, path, timeout=30):
        return self.ask("DELETE", f"/{path}/messages/head?timeout={timeout}")

    def assert_refused(self, status, words, answer):
        text = answer.body.decode()
        self.assertEqual(answer.status, status, text)
        self.assertRegex(text, rf"^<Error><Code>{status}</Code><Detail>SubCode=\d{{5}}\. .*TrackingId:[0-9a-f-]{{36}}")
        self.assertIn(words, text)


class RestAccessTest(RestTest):
    """With access on, and a queue; `self.root` may do everything."""

    def setUp(self):
        super().setUp()
        self.daemon = self.serve("--access=on")
        with open(f"{self.data}/root-connection-string", encoding="ascii") as text:
            self.root_key = connection_of(text.read())["SharedAccessKey"]
        self.root = AccessClient(self.daemon.address,
                                 make_token("sb://host/", "RootManageSharedAccessKey", self.root_key))
        self.addCleanup(self.root.close)
        self.root.create("q")

    def token_for(self, path, right, uri=None, **options):
        rule = self.root.make_rule(path, right, right)
        return make_token(uri or f"http://127.0.0.1:{self.port}/{path}", right, rule.primary_key, **options)
