"""Partners of another make come in by the door: Proton in Python, and rhea as Azure's JavaScript SDK uses it."""

import subprocess
import unittest

import test_node
from door import KEY, Door, token
from endpoint import TIME
from proton import Delivery, Message, SSLDomain
from proton.utils import BlockingConnection, ConnectionClosed, LinkDetached


class ProtonComesIn(unittest.TestCase):
    def setUp(self):
        self.door = Door(self)

    def connect(self, mechanism, user=None, key=None, tls=False):
        domain = None
        if tls:
            domain = SSLDomain(SSLDomain.MODE_CLIENT)
            domain.set_trusted_ca_db(self.door.authority)
            domain.set_peer_authentication(SSLDomain.VERIFY_PEER)
        scheme, port = ("amqps", self.door.tls) if tls else ("amqp", self.door.plain)
        connection = BlockingConnection(f"{scheme}://127.0.0.1:{port}", timeout=TIME, heartbeat=10,
                                        allowed_mechs=mechanism, allow_insecure_mechs=True, user=user, password=key,
                                        ssl_domain=domain)
        self.addCleanup(connection.close)
        return connection

    def send_and_receive(self, connection, address):
        sender = connection.create_sender(address)
        self.assertEqual(sender.send(Message(body="x" * 200_000)).remote_state, Delivery.ACCEPTED)
        receiver = connection.create_receiver(address, credit=1)
        self.assertEqual(len(receiver.receive(timeout=TIME).body), 200_000)
        receiver.accept()

    def test_by_name_and_key(self):
        self.send_and_receive(self.connect("PLAIN", "root", KEY), "anything")

    def test_by_name_and_key_over_tls(self):
        self.send_and_receive(self.connect("PLAIN", "root", KEY, tls=True), "anything")

    def test_a_key_has_the_rights_of_its_rule_and_no_others(self):
        connection = self.connect("PLAIN", "sender", KEY)
        connection.create_sender("orders").send(Message(body="one"))
        for attach in (lambda: connection.create_receiver("orders"), lambda: connection.create_sender("bills")):
            with self.assertRaises(LinkDetached) as caught:
                attach()
            self.assertEqual(caught.exception.condition, "amqp:unauthorized-access")
            self.assertIn("TrackingId:", str(caught.exception))

    def test_a_wrong_key_opens_nothing(self):
        connection = self.connect("PLAIN", "root", "wrong" + KEY)
        with self.assertRaises(LinkDetached) as caught:
            connection.create_sender("orders")
        self.assertEqual(caught.exception.condition, "amqp:unauthorized-access")

    def put(self, connection, audience, said):
        """The number that `$cbs` answers with."""
        answers = connection.create_receiver("$cbs", name="answers", credit=1)
        asks = connection.create_sender("$cbs", name="asks")
        asks.send(Message(id="m1", reply_to="answers", body=said,
                          properties={"operation": "put-token", "type": "servicebus.windows.net:sastoken",
                                      "name": audience}))
        answer = answers.receive(timeout=TIME)
        self.assertEqual(answer.correlation_id, "m1")
        asks.close()
        answers.close()
        return answer.properties["status-code"]

    def test_by_a_token(self):
        connection = self.connect("ANONYMOUS", tls=True)
        uri = f"sb://127.0.0.1:{self.door.tls}/orders"
        with self.assertRaises(LinkDetached):
            connection.create_sender("orders")
        self.assertEqual(self.put(connection, uri, token(uri, "sender", "wrong" + KEY)), 401)
        self.assertEqual(self.put(connection, uri, token(uri, "sender")), 202)
        connection.create_sender("orders").send(Message(body="one"))

    def test_a_stop_tells_why(self):
        connection = self.connect("PLAIN", "root", KEY)
        connection.create_sender("orders")
        self.door.stop()
        with self.assertRaisesRegex(ConnectionClosed, "amqp:connection:forced"):
            connection.wait(lambda: False, timeout=TIME)


class RheaComesIn(unittest.TestCase):
    def test_by_tokens_as_azures_sdk_does_it(self):
        test_node.install()
        door = Door(self)
        told = subprocess.run(["node", "door_story.mjs", str(door.plain), KEY], cwd=test_node.NODE, timeout=TIME,
                              stdout=subprocess.PIPE, text=True)
        self.assertEqual(told.stdout.splitlines(), ["open", "refused before", "a wrong token", "a token", "sent",
                                                    "received", "renewed", "closed"])
        self.assertEqual(told.returncode, 0)


if __name__ == "__main__":
    unittest.main()
